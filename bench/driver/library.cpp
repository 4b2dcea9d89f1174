// The library under measurement, by its public interface: any format and any transport, both by name.

#include "driver/library.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "driver/method.hpp"
#include "quire/api/reader.hpp"
#include "quire/api/writer.hpp"
#include "quire/format/format.hpp"
#include "quire/spi/transport/transport.hpp"

namespace quire::bench {
namespace {

constexpr std::uint64_t page = 4096;

class Library final : public Method {
 public:
  Library(const MethodSpec& spec, const Setting& setting)
      : setting_(setting),
        options_(library_options(spec)),
        at_once_(spec.get("call", "") == "write_file"),
        aligned_(spec.get("memory", "") == "aligned"),
        columns_(std::stoul(spec.get("read", std::to_string(setting.workload.columns.size())))),
        block_(std::stoull(spec.get("block", "0"))),
        stride_(std::stoull(spec.get("stride", "0"))) {
    sieve_.largest_gap = std::stoull(spec.get("sieve", std::to_string(sieve_.largest_gap)));
    sieve_.free_gap = std::min(sieve_.free_gap, sieve_.largest_gap);
  }

  void write(const std::string& path) override {
    if (at_once_) return write_at_once(path);
    Writer writer = create(path, setting_.comm, options_);
    for (std::uint64_t s = 0; s < setting_.workload.steps; ++s) {
      WriteStep step = writer.step(static_cast<std::int64_t>(s));
      put_all(step, setting_.comm, options_, *setting_.source, layout_);
      step.commit();
    }
    writer.close();
    counters_ = writer.counters();
  }

  void verify_written(const std::string& path) override {
    if (!holds_streams(options_)) return verify_file(path, setting_.workload, setting_.comm);
    const Reader reader = open(path, setting_.comm);
    const int writer = (setting_.comm.rank() + 1) % setting_.comm.size();
    const auto streams = reader.at(0).streams({writer});
    const Slice rows = setting_.workload.rows_of(writer, setting_.comm.size());
    const Block wanted(setting_.workload, rows, Block::Use::source);
    std::vector<std::byte> found(streams.front().size());
    if (streams.front().read_at(0, found) != found.size() || !std::ranges::equal(found, wanted.step_bytes())) {
      throw Error(ErrorKind::bad_file, "the stream holds other bytes than were written");
    }
  }

  void prepare_reading(const std::string& path) override {
    // As the source: programs do not have all columns at the same place modulo 4096.
    std::vector<std::size_t> apart(setting_.workload.columns.size());
    for (std::size_t c = 0; c < apart.size(); ++c) apart[c] = c * Block::apart % page;
    shifts_.assign(setting_.workload.steps, apart);
    if (!aligned_) return;
    Reader reader = open(path, setting_.comm, reading());
    for (std::uint64_t s = 0; s < setting_.workload.steps; ++s) {
      const ReadStep step = reader.at(s);
      for (std::size_t c = 0; c < setting_.workload.columns.size(); ++c) {
        const auto extents = step.plan("", setting_.target->rows(), {Workload::column_name(c)});
        if (!extents.empty()) shifts_[s][c] = static_cast<std::size_t>(extents.front().offset % page);
      }
    }
    reader.close();
  }

  void read(const std::string& path) override {
    const bool is_collective = is_transport_collective(options_.transport);
    Reader reader = open(path, setting_.comm, reading());
    for (std::uint64_t s = 0; s < setting_.workload.steps; ++s) {
      std::vector<ReadColumn> columns;
      const RowSelection rows = selection();
      for (std::size_t c = 0; c < columns_; ++c) {
        View memory = setting_.target->memory(c, shifts_[s][c]);
        memory.count = rows.count();
        columns.push_back({Workload::column_name(c), memory});
      }
      const ReadStep step = reader.at(s);
      if (is_collective) {
        step.read_all("", rows, std::move(columns));
      } else {
        step.read("", rows, std::move(columns));
      }
    }
    reader.close();
    counters_ = reader.counters();
  }

  void verify_read() override {
    for (std::size_t c = 0; c < columns_; ++c) {
      if (stride_ == 0) {
        setting_.target->check(c, shifts_.back()[c]);
      } else {
        check_blocks(c);
      }
    }
  }

  [[nodiscard]] TransportCounters counters() const override { return counters_; }

 private:
  /// A file of one step in one call.
  void write_at_once(const std::string& path) {
    const auto fill = [&](Writer&, WriteStep& step) {
      put_all(step, setting_.comm, options_, *setting_.source, layout_);
    };
    counters_ = write_file(path, setting_.comm, 0, fill, options_).counters();
  }

  [[nodiscard]] ReadOptions reading() const {
    ReadOptions options;
    options.transport = options_.transport;
    options.sieve = sieve_;
    if (!options_.format.empty()) {
      options.options = known_options(format_named(options_.format).read_options, options_.options);
    }
    return options;
  }

  [[nodiscard]] std::uint64_t blocks() const {
    const std::uint64_t rows = setting_.target->rows().count;
    return rows < block_ ? 0 : (rows - block_) / stride_ + 1;
  }

  /// This rank's rows, or regular blocks of them.
  [[nodiscard]] RowSelection selection() const {
    const Slice& rows = setting_.target->rows();
    if (stride_ == 0) return rows;
    return Hyperslab{.start = {rows.first}, .stride = {stride_}, .count = {blocks()}, .block = {block_}};
  }

  void check_blocks(std::size_t column) const {
    const Type type = setting_.workload.columns[column];
    const std::byte* found = setting_.target->memory(column, shifts_.back()[column]).data;
    std::vector<std::byte> wanted(static_cast<std::size_t>(block_) * size_of(type));
    for (std::uint64_t b = 0; b < blocks(); ++b, found += wanted.size()) {
      make_values(type, column, setting_.target->rows().first + b * stride_, wanted);
      if (!std::equal(wanted.begin(), wanted.end(), found)) {
        throw Error(ErrorKind::bad_file, "the memory holds other values than were written");
      }
    }
  }

  Setting setting_;
  WriteOptions options_;
  ElementLayout layout_;  ///< of the first file, for all that follow
  bool at_once_;          ///< made, written and closed by one call
  bool aligned_;
  std::size_t columns_;   ///< how many of them are read
  std::uint64_t block_;   ///< rows that are read of each
  std::uint64_t stride_;  ///< so many; 0: all
  SieveLimits sieve_;
  std::vector<std::vector<std::size_t>> shifts_;  ///< by step and column: target memory at the file's place in a page
  TransportCounters counters_;
};

}  // namespace

WriteOptions library_options(const MethodSpec& spec) {
  constexpr std::string_view prefix = "option.";
  constexpr std::array<std::string_view, 8> of_methods{"engine", "call",  "file",   "memory",
                                                       "read",   "block", "stride", "sieve"};
  WriteOptions options;
  for (const auto& [key, value] : spec.settings) {
    if (key == "format") {
      options.format = value;
    } else if (key == "transport") {
      options.transport = value;
    } else if (key == "durable") {
      options.durable = value == "true";
    } else if (key.starts_with(prefix)) {
      options.options[key.substr(prefix.size())] = value;
    } else if (std::ranges::find(of_methods, key) == of_methods.end()) {
      throw Error(ErrorKind::usage, "the library has no setting \"" + key + "\"")
          .advise("format, transport, durable, option.NAME, call, memory, file, read, block, stride, sieve");
    }
  }
  return options;
}

Options known_options(const std::vector<Option>& known, const Options& given) {
  Options chosen;
  for (const Option& option : known) {
    const auto found = given.find(option.name);
    if (found != given.end()) chosen.insert(*found);
  }
  return chosen;
}

bool holds_streams(const WriteOptions& options) {
  return !options.format.empty() && format_named(options.format).holds_streams;
}

namespace {

/// The rows as coefficients on hexahedra.
void put_hexahedra(WriteStep& step, const Block& source, const ElementLayout& layout) {
  if (source.modes() == 0) throw Error(ErrorKind::usage, "files of elements need --modes");
  ElementPart part;
  part.expansion.shape = "Hexahedron";
  part.expansion.basis.assign(3, "Modified_A");
  part.expansion.modes.assign(3, source.modes());
  part.ids = ConstView(source.ids());
  for (std::size_t c = 0; c < source.columns(); ++c) {
    part.variables.push_back(Workload::column_name(c));
    part.values.push_back(source.values(c));
  }
  put_elements(step, std::span(&part, 1), layout);
}

}  // namespace

void put_all(WriteStep& step, const Comm& comm, const WriteOptions& options, const Block& source,
             const ElementLayout& layout) {
  if (holds_streams(options)) {
    step.stream({.rank = comm.rank()}).write_together(source.step_bytes());
    return;
  }
  if (!options.format.empty() && !format_named(options.format).holds_tables) {
    return put_hexahedra(step, source, layout);
  }
  step.rows(source.rows().count);
  for (std::size_t c = 0; c < source.columns(); ++c) step.put(Workload::column_name(c), source.values(c), "m");
}

std::unique_ptr<Method> make_library(const MethodSpec& spec, const Setting& setting) {
  return std::make_unique<Library>(spec, setting);
}

}  // namespace quire::bench
