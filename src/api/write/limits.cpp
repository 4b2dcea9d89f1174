#include "api/write/limits.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <utility>

#include "api/file_sets.hpp"
#include "api/root.hpp"
#include "api/sidecar.hpp"
#include "api/write/converted_values.hpp"
#include "api/write/step_state.hpp"
#include "base/stopwatch.hpp"
#include "quire/api/reader.hpp"
#include "quire/spi/base/archive.hpp"

namespace quire {
namespace {

using State = WriteStep::State;

/// That are converted together.
constexpr std::uint64_t rows_at_once = 1U << 14;

/// The reason why a file cannot have limits; null if it can.
const char* obstacle(const Writer::State& writer) {
  const PlannerCapabilities can = writer.capabilities();
  if (writer.target.is_compressed()) return "the file is compressed as a whole";
  if (writer.has_members || !entry_of(can.file_set).empty()) return "it is a set of files";
  if (can.streams != nullptr) return "it has no columns";
  if (can.weigher != nullptr) return "its values are text, which may be rounded, and is read as a whole";
  return nullptr;
}

/// Rank 0.
void remark(Writer::State& writer, const std::string& reason) {
  if (!writer.comm.is_root()) return;
  writer.remarks.push_back("zones: limits of blocks of rows are not stored: " + reason);
}

/// A failure costs the limits, not the step.
void attempt(State& step, const std::function<void()>& action) {
  if (!step.limits || step.limits->is_lost) return;
  const Stopwatch watch(step.writer->timing.encode);
  FileLimits& kept = *step.writer->limits;
  const bool failed = caught(action).has_value();
  if (!failed && kept.bytes + step.limits->bytes() <= FileLimits::most_bytes) return;
  *step.limits = StepLimits{.number = step.limits->number, .is_lost = true};
}

/// Whether the rows of a table are in the file in the order of the ranks.
bool is_in_order(const State& step, std::size_t table) {
  return !step.elements && !step.accepted.tables[table].expansion && step.part->rows_chosen_of(table) == nullptr;
}

/// Takes values with the type that they have in the file, of which `first` is the first row.
void add(BlockLimits& limits, const Column& stored, std::uint64_t first, const ConstView& values, bool lossy) {
  if (values.count == 0 || values.data == nullptr || !BlockLimits::limits(stored.type)) return;
  if (values.type == stored.type) return limits.add(first, values);
  std::vector<std::byte> scratch;
  for (std::uint64_t done = 0; done < values.count; done += rows_at_once) {
    const std::uint64_t rows = std::min(rows_at_once, values.count - done);
    const auto bytes = converted_values(values.part(done, rows), stored, done, values.count, lossy, scratch);
    const ConstView converted(stored.type, bytes.data(), rows, static_cast<std::ptrdiff_t>(size_of(stored.type)));
    limits.add(first + done, converted);
  }
}

/// The limits of all ranks, of each step by rising numbers.
std::vector<StepLimits> joined(const std::vector<Parcel>& parcels) {
  std::vector<StepLimits> all;
  for (const Parcel& parcel : parcels) {
    auto steps = unpack<std::vector<StepLimits>>(parcel.bytes);
    if (all.empty()) {
      all = std::move(steps);
      continue;
    }
    for (std::size_t s = 0; s < all.size(); ++s) {
      for (std::size_t t = 0; t < all[s].tables.size(); ++t) {
        std::vector<ColumnLimits>& columns = all[s].tables[t].columns;
        for (std::size_t c = 0; c < columns.size(); ++c) {
          columns[c].limits.append(steps.at(s).tables.at(t).columns.at(c).limits);
        }
      }
    }
  }
  std::ranges::stable_sort(all, {}, &StepLimits::number);
  return all;
}

/// Adds the limits of a table whose columns a reader finds in the file as they were written.
void add_table(Sidecar& sidecar, std::int64_t number, const Table& found, const TableLimits& written) {
  for (const ColumnLimits& column : written.columns) {
    const auto same = std::ranges::find(found.columns, column.name, &Column::name);
    if (same == found.columns.end() || same->type != column.limits.type()) continue;
    if (BlockLimits::limits(same->type) && found.rows == column.limits.rows()) {
      sidecar.add(number, found.name, column.name, column.limits);
    }
  }
}

/// Rank 0. A format may count steps instead of storing their numbers, and has names of its own: the index has those
/// that a reader finds.
void write_sidecar(const std::string& path, const std::vector<StepLimits>& written) {
  const Reader reader = open(path, Comm::self());
  if (reader.numbers().size() != written.size()) {
    throw Error(ErrorKind::conflict, "the file has other steps than those that were written");
  }
  Sidecar sidecar;
  for (std::size_t s = 0; s < written.size(); ++s) {
    const ReadStep step = reader.at(s);
    for (const Table& found : step.description().tables) {
      const std::vector<TableLimits>& tables = written[s].tables;
      auto table = std::ranges::find(tables, found.name, &TableLimits::name);
      if (table == tables.end()) table = std::ranges::find(tables, found.name, &TableLimits::put_name);
      if (table != tables.end()) add_table(sidecar, step.number(), found, *table);
    }
  }
  sidecar.write(path);
}

}  // namespace

std::uint64_t StepLimits::bytes() const {
  std::uint64_t sum = sizeof *this;
  for (const TableLimits& table : tables) {
    for (const ColumnLimits& column : table.columns) sum += sizeof column + column.name.size() + column.limits.bytes();
  }
  return sum;
}

void begin_limits(Writer::State& writer) {
  if (!writer.target.keeps_limits()) return;
  if (const char* reason = obstacle(writer)) return remark(writer, reason);
  writer.limits.emplace();
}

void propose_limits(const State& step, Proposal& mine) {
  if (!step.writer->target.keeps_limits()) return;
  for (const Table& table : step.accepted.tables) mine.measure.push_back(table.rows);
}

void settle_limits(State& step, Consensus& all) {
  if (!step.writer->target.keeps_limits()) return;
  const std::vector<Table>& tables = step.accepted.tables;
  const std::size_t slots = all.total.size() - tables.size();
  const std::vector<std::uint64_t> before(all.before.begin() + static_cast<std::ptrdiff_t>(slots), all.before.end());
  all.total.resize(slots);
  all.before.resize(slots);
  if (!step.writer->limits || step.writer->limits->is_lost) return;
  step.limits.emplace(StepLimits{.number = step.builder.number()});
  attempt(step, [&] {
    for (std::size_t t = 0; t < tables.size(); ++t) {
      TableLimits& table = step.limits->tables.emplace_back(
          TableLimits{.name = tables[t].name, .put_name = step.table_names[t], .before = before[t]});
      for (const Column& column : tables[t].columns) table.columns.push_back({column.name, BlockLimits(column.type)});
      for (const Attribute& constant : tables[t].constants) {
        BlockLimits& limits =
            table.columns.emplace_back(ColumnLimits{constant.name, BlockLimits(constant.type)}).limits;
        if (!is_in_order(step, t) || !BlockLimits::limits(constant.type)) continue;
        limits.add(before[t], {constant.type, constant.value.bytes().data(), tables[t].rows, 0});
      }
    }
  });
}

void add_all_limits(State& step) {
  if (step.builder.is_streamed()) return;
  Timing& timing = step.writer->timing;
  const double before = timing.encode;
  for (std::size_t t = 0; t < step.part->tables.size(); ++t) add_limits(step, t, 0, step.part->tables[t]);
  // This is a part of the agreement on the step, but no waiting time.
  timing.wait -= timing.encode - before;
}

void add_limits(State& step, std::size_t table, std::uint64_t first, std::span<const ConstView> columns) {
  if (!is_in_order(step, table)) return;
  attempt(step, [&] {
    TableLimits& limits = step.limits->tables[table];
    for (std::size_t c = 0; c < columns.size(); ++c) {
      add(limits.columns[c].limits, step.accepted.tables[table].columns[c], limits.before + first, columns[c],
          step.writer->options.lossy);
    }
  });
}

void keep_limits(State& step) {
  if (!step.limits) return;
  FileLimits& kept = *step.writer->limits;
  StepLimits limits = *std::exchange(step.limits, std::nullopt);
  if (limits.is_lost) kept = FileLimits{.is_lost = true};
  if (kept.is_lost) return;
  kept.bytes += limits.bytes();
  kept.steps.push_back(std::move(limits));
}

void write_limits(Writer::State& writer) {
  if (!writer.limits) return;
  Comm& comm = writer.comm;
  FileLimits mine = *std::exchange(writer.limits, std::nullopt);
  std::vector<Parcel> parcels;
  const bool is_packed = !caught([&] { parcels.push_back({0, pack(mine.steps)}); });
  enum Word : std::size_t { left, lost, bytes };
  std::array<std::uint64_t, 3> words{writer.is_left() ? 1U : 0U, mine.is_lost || !is_packed ? 1U : 0U, mine.bytes};
  comm.sum(words);
  if (words[left] != 0) return;
  if (words[lost] != 0 || words[bytes] > FileLimits::most_bytes) {
    const auto most = FileLimits::most_bytes >> 20;
    return remark(writer,
                  "they take more than " + std::to_string(most) + " MiB; quire index makes them in less memory");
  }
  const std::vector<Parcel> received = comm.exchange(std::move(parcels));
  if (comm.is_root()) {
    const auto error = caught([&] { write_sidecar(writer.path, joined(received)); });
    if (error) remark(writer, error->what());
  }
  // A rank that opens the file finds the index.
  comm.barrier();
}

}  // namespace quire
