#include "driver/workload.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <numeric>
#include <optional>

#include "quire/api/reader.hpp"
#include "quire/comm/partition.hpp"
#include "quire/spi/model/dispatch.hpp"

namespace quire::bench {
namespace {

constexpr std::uint64_t block_rows = 1 << 16;  // of a check: a few MB
constexpr std::size_t page = 4096;

[[noreturn]] void refuse(std::size_t column, std::uint64_t first, std::uint64_t rows) {
  throw Error(ErrorKind::bad_file, "rows " + std::to_string(first) + " to " + std::to_string(first + rows) +
                                       " hold other values than were written")
      .on(Workload::column_name(column));
}

void compare(Type type, std::size_t column, std::uint64_t first, std::span<const std::byte> values) {
  std::vector<std::byte> expected(block_rows * size_of(type));
  for (std::uint64_t done = 0; done < values.size();) {
    const auto part = values.subspan(done, std::min<std::uint64_t>(expected.size(), values.size() - done));
    const std::uint64_t row = first + done / size_of(type);
    make_values(type, column, row, std::span(expected).first(part.size()));
    if (std::memcmp(expected.data(), part.data(), part.size()) != 0) refuse(column, row, part.size() / size_of(type));
    done += part.size();
  }
}

void verify_step(const ReadStep& step, const Workload& workload, const Slice& mine) {
  const Table& table = step.description().tables.at(0);
  if (table.rows != workload.rows || table.columns.size() != workload.columns.size()) {
    throw Error(ErrorKind::bad_file, "the step has another number of rows or columns than were written");
  }
  std::vector<std::vector<std::byte>> memory(workload.columns.size());
  for (std::uint64_t row = mine.first; row < mine.end(); row += block_rows) {
    const Slice part{row, std::min(block_rows, mine.end() - row)};
    std::vector<ReadColumn> targets;
    for (std::size_t c = 0; c < memory.size(); ++c) {
      const std::size_t size = size_of(workload.columns[c]);
      memory[c].assign(part.count * size, std::byte{});
      targets.push_back({Workload::column_name(c),
                         View(workload.columns[c], memory[c].data(), part.count, static_cast<std::ptrdiff_t>(size))});
    }
    step.read(table.name, part, std::move(targets));
    for (std::size_t c = 0; c < memory.size(); ++c) compare(workload.columns[c], c, part.first, memory[c]);
  }
}

std::size_t next_multiple(std::size_t value, std::size_t unit) { return (value + unit - 1) / unit * unit; }

}  // namespace

std::uint64_t Workload::row_bytes() const {
  return std::accumulate(columns.begin(), columns.end(), std::uint64_t{0},
                         [](std::uint64_t sum, Type type) { return sum + size_of(type); });
}

Slice Workload::rows_of(int rank, int ranks) const {
  const Slice units = even_slice(rows / unit(), rank, ranks);
  return {units.first * unit(), units.count * unit()};
}

std::vector<Type> parse_columns(const std::string& text) {
  std::vector<Type> columns;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find('+', at), text.size());
    const std::string group = text.substr(at, end - at);
    std::size_t count = 0;
    const auto [stopped, failed] = std::from_chars(group.data(), group.data() + group.size(), count);
    const auto digits = static_cast<std::size_t>(stopped - group.data());
    if (failed != std::errc() || count == 0 || count > 100'000 || group.substr(digits, 1) != "x") {
      throw Error(ErrorKind::usage, "\"" + group + "\" is no group of columns").advise("write 7xfloat64+1xint32");
    }
    const Type type = type_named(group.substr(digits + 1));
    if (size_of(type) == 0) throw Error(ErrorKind::usage, "columns of text are not measured");
    columns.insert(columns.end(), count, type);
    at = end + 1;
  }
  return columns;
}

void make_values(Type type, std::size_t column, std::uint64_t first, std::span<std::byte> out) {
  visit_type(type, [&]<class Number>(std::type_identity<Number>) {
    const std::size_t count = out.size() / sizeof(Number);
    for (std::size_t i = 0; i < count; ++i) {
      // Exact in every type: wraps around in integers, stays below 2^53 in float64.
      const std::uint64_t number = (first + i) * 1021 + column;
      Number value{};
      if constexpr (std::is_integral_v<Number>) {
        value = static_cast<Number>(number);
      } else {
        value = static_cast<Number>(static_cast<double>(number));
      }
      std::memcpy(out.data() + i * sizeof(Number), &value, sizeof(Number));
    }
  });
}

Block::Block(const Workload& workload, const Slice& mine, Use use)
    : types_(workload.columns),
      mine_(mine),
      modes_(workload.modes),
      starts_([&] {
        std::vector<std::size_t> starts;
        std::size_t next = 0;
        for (const Type type : workload.columns) {
          starts.push_back(next);
          next += mine.count * size_of(type);
          next = use == Use::source ? next_multiple(next, 64) + apart : next_multiple(next, page) + page;
        }
        starts.push_back(next);
        return starts;
      }()),
      arena_(starts_.back() + page) {
  if (use == Use::target) return;
  if (modes_ > 0) {
    ids_.resize(static_cast<std::size_t>(mine_.count / workload.unit()));
    std::iota(ids_.begin(), ids_.end(), static_cast<std::uint32_t>(mine_.first / workload.unit()));
  }
  for (std::size_t c = 0; c < types_.size(); ++c) {
    make_values(types_[c], c, mine_.first, {column(c), static_cast<std::size_t>(bytes_of(c))});
  }
}

ConstView Block::values(std::size_t column_number) const {
  const Type type = types_[column_number];
  return {type, column(column_number), mine_.count, static_cast<std::ptrdiff_t>(size_of(type))};
}

View Block::memory(std::size_t column_number, std::size_t shift) const {
  const Type type = types_[column_number];
  return {type, column(column_number) + shift, mine_.count, static_cast<std::ptrdiff_t>(size_of(type))};
}

std::span<std::byte> Block::step_bytes() const {
  std::uint64_t bytes = 0;
  for (std::size_t c = 0; c < types_.size(); ++c) bytes += bytes_of(c);
  return arena_.bytes().first(static_cast<std::size_t>(bytes));
}

void Block::forget() const { std::ranges::fill(arena_.bytes(), std::byte{0xA5}); }

void Block::check(std::size_t column_number, std::size_t shift) const {
  compare(types_[column_number], column_number, mine_.first,
          {column(column_number) + shift, static_cast<std::size_t>(bytes_of(column_number))});
}

void verify_file(const std::string& path, const Workload& workload, const Comm& comm) {
  Reader reader = open(path, comm);
  if (reader.size() != workload.steps) {
    throw Error(ErrorKind::bad_file, "the file has another number of steps than were written").in_file(path);
  }
  const Slice mine = workload.rows_of((comm.rank() + 1) % comm.size(), comm.size());
  std::optional<Error> first;
  for (std::uint64_t s = 0; s < workload.steps; ++s) {
    // at() is collective: a rank that has found wrong bytes still takes part in what follows.
    const ReadStep step = reader.at(s);
    try {
      verify_step(step, workload, mine);
    } catch (const Error& error) {
      if (!first) first = error;
    }
  }
  reader.close();
  if (first) throw *first;
}

}  // namespace quire::bench
