#include "api/write/limits.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>

#include "api/file_sets.hpp"
#include "api/root.hpp"
#include "api/sidecar.hpp"
#include "api/write/converted_values.hpp"
#include "api/write/step_state.hpp"
#include "base/stopwatch.hpp"
#include "quire/api/reader.hpp"
#include "quire/spi/base/archive.hpp"
#include "quire/spi/plan/watched_source.hpp"

namespace quire {
namespace {

using State = WriteStep::State;

/// Shorter extents are not followed: they stay in the cache until the step is complete.
constexpr std::uint64_t followed_from = 16 << 10;

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
  if (!writer.comm.is_root() || !writer.target.asks_for_limits()) return;
  writer.remarks.push_back("zones: limits of blocks of rows are not stored: " + reason);
}

std::string too_many() {
  const auto most = FileLimits::most_bytes >> 20;
  return "they take more than " + std::to_string(most) + " MiB; quire index makes them in less memory";
}

bool has_limits(const State& step) { return step.limits && step.limits->why_lost.empty(); }

/// A failure costs the limits, not the step.
template <class Action>
void attempt(State& step, const Action& action) {
  if (!has_limits(step)) return;
  if (const auto error = caught(std::ref(action))) {
    *step.limits = StepLimits{.number = step.limits->number, .why_lost = error->what()};
  }
}

void require_room(const State& step) {
  if (step.writer->limits->bytes + step.limits->bytes() <= FileLimits::most_bytes) return;
  throw Error(ErrorKind::unsupported, too_many());
}

/// Whether the rows of a table are in the file in the order of the ranks.
bool is_in_order(const State& step, std::size_t table) {
  return !step.elements && !step.accepted.tables[table].expansion && step.part->rows_chosen_of(table) == nullptr;
}

/// Whether a table of the step has limits.
bool takes_limits(const State& step, std::size_t table) {
  const std::vector<TableLimits>& tables = step.limits->tables;
  return table < tables.size() && !tables[table].columns.empty() && is_in_order(step, table);
}

/// Whether limits are those of values in memory.
bool has_values(const ConstView& values, const Column& stored) {
  return values.count != 0 && values.data != nullptr && BlockLimits::limits(stored.type);
}

/// Takes values with the type that they have in the file, of which `first` is the first row.
void add(BlockLimits& limits, const Column& stored, std::uint64_t first, const ConstView& values, bool lossy) {
  if (values.type == stored.type) return limits.add(first, values);
  std::vector<std::byte> scratch;
  for (std::uint64_t done = 0; done < values.count; done += rows_at_once) {
    const std::uint64_t rows = std::min(rows_at_once, values.count - done);
    const auto bytes = converted_values(values.part(done, rows), stored, done, values.count, lossy, scratch);
    const ConstView converted(stored.type, bytes.data(), rows, static_cast<std::ptrdiff_t>(size_of(stored.type)));
    limits.add(first + done, converted);
  }
}

/// Takes rows of a column, of which `first` is the first of this rank, apart from those that its limits have already.
void add_column(State& step, std::size_t table, std::size_t column, std::uint64_t first, const ConstView& values) {
  const Column& stored = step.accepted.tables[table].columns[column];
  TableLimits& of_table = step.limits->tables[table];
  BlockLimits& limits = of_table.columns[column].limits;
  const std::uint64_t done = std::max(limits.rows(), first) - first;
  if (!has_values(values, stored) || done >= values.count) return;
  add(limits, stored, of_table.before + first + done, values.part(done, values.count - done),
      step.writer->options.lossy);
}

/// Rows of this rank that are records of fixed size, one after another in the file.
struct FollowedRun {
  std::size_t table = 0;
  const Run* run = nullptr;
  [[nodiscard]] std::uint64_t end() const noexcept { return run->offset + run->records * run->record_bytes; }
};

/// In the order of their ends.
std::vector<FollowedRun> followed_runs(const State& step) {
  std::vector<FollowedRun> followed;
  for (std::size_t t = 0; t < step.placement.tables.size() && t < step.part->tables.size(); ++t) {
    if (!takes_limits(step, t)) continue;
    for (const Run& run : step.placement.tables[t]) {
      const bool is_plain = !run.opaque && !run.chunks && !run.text && !run.by_cell && run.pieces.empty();
      if (is_plain && run.record_bytes != 0) followed.push_back({t, &run});
    }
  }
  std::ranges::sort(followed, {}, &FollowedRun::end);
  return followed;
}

/// The first run that may touch bytes from this place of the file on.
auto first_from(const std::vector<FollowedRun>& followed, std::uint64_t offset) {
  return std::ranges::upper_bound(followed, offset, {}, &FollowedRun::end);
}

bool touches(const std::vector<FollowedRun>& followed, const WriteExtent& extent) {
  const auto first = first_from(followed, extent.offset);
  return std::any_of(first, followed.end(),
                     [&](const FollowedRun& one) { return one.run->offset < extent.offset + extent.length; });
}

/// Takes the rows of runs that touch these bytes of the file, up to their end.
void add_written(State& step, const std::vector<FollowedRun>& followed, std::uint64_t offset, std::uint64_t end) {
  auto next = first_from(followed, offset);
  for (; next != followed.end() && next->run->offset < end; ++next) {
    const std::uint64_t rows = (std::min(end, next->end()) - next->run->offset) / next->run->record_bytes;
    for (const Cell& cell : next->run->cells) {
      const auto column = static_cast<std::size_t>(cell.column);
      const ConstView& values = step.part->tables[next->table][column];
      add_column(step, next->table, column, 0, values.part(0, std::min(rows, values.count)));
    }
  }
}

/// The limits that a rank sends to rank 0, or the reason why there are none.
struct Sent {
  std::string why_lost{};
  std::vector<StepLimits> steps{};
  template <class Archive>
  void archive(Archive& a) {
    a(why_lost, steps);
  }
};

void require_alike(bool is_alike) {
  if (!is_alike) throw Error(ErrorKind::conflict, "the ranks have limits of different steps or columns");
}

/// Adds those of the next rank.
void append(std::vector<ColumnLimits>& columns, const std::vector<ColumnLimits>& next) {
  require_alike(std::ranges::equal(columns, next, {}, &ColumnLimits::name, &ColumnLimits::name));
  for (std::size_t c = 0; c < columns.size(); ++c) columns[c].limits.append(next[c].limits);
}

void append(std::vector<StepLimits>& steps, const std::vector<StepLimits>& next) {
  require_alike(std::ranges::equal(steps, next, {}, &StepLimits::number, &StepLimits::number));
  for (std::size_t s = 0; s < steps.size(); ++s) {
    std::vector<TableLimits>& tables = steps[s].tables;
    require_alike(std::ranges::equal(tables, next[s].tables, {}, &TableLimits::name, &TableLimits::name));
    for (std::size_t t = 0; t < tables.size(); ++t) append(tables[t].columns, next[s].tables[t].columns);
  }
}

/// The limits of all ranks, of each step by rising numbers. Throws the first reason why there are none.
std::vector<StepLimits> joined(const std::vector<Parcel>& parcels) {
  std::vector<StepLimits> all;
  for (std::size_t p = 0; p < parcels.size(); ++p) {
    auto sent = unpack<Sent>(parcels[p].bytes);
    if (!sent.why_lost.empty()) throw Error(ErrorKind::unsupported, sent.why_lost);
    p == 0 ? void(all = std::move(sent.steps)) : append(all, sent.steps);
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

/// Requires that a reader finds the steps that were written. A file of one step need not store its number.
void require_found(const std::vector<std::int64_t>& found, std::vector<std::int64_t> written) {
  std::ranges::sort(written);
  if (found == written || (found.size() == 1 && written.size() == 1)) return;
  throw Error(ErrorKind::conflict, "the file has other steps than those that were written");
}

/// The limits that a reader of the file finds: a format may have names of its own.
Sidecar sidecar_of(const Reader& reader, const std::vector<std::int64_t>& numbers,
                   const std::vector<StepLimits>& written) {
  const std::vector<std::int64_t> present = reader.numbers();
  require_found(present, numbers);
  Sidecar sidecar;
  for (const StepLimits& one : written) {
    const auto place = present.size() == 1 ? 0 : std::ranges::lower_bound(present, one.number) - present.begin();
    const ReadStep step = reader.at(static_cast<std::size_t>(place));
    for (const Table& found : step.description().tables) {
      const std::vector<TableLimits>& tables = one.tables;
      auto table = std::ranges::find(tables, found.name, &TableLimits::name);
      if (table == tables.end()) table = std::ranges::find(tables, found.name, &TableLimits::put_name);
      if (table != tables.end()) add_table(sidecar, step.number(), found, *table);
    }
  }
  return sidecar;
}

/// Rank 0. Throws conflict errors unless the path has the file as this writer left it.
void require_left(const Writer::State& writer, const FileState& left) {
  // A file that replaced another one has left the place where it was locked.
  const bool is_lost = !writer.target.replaces_whole() && writer.lock.is_lost();
  if (!is_lost && state_of(writer.path) == left) return;
  throw Error(ErrorKind::conflict, "another program has replaced or changed the file");
}

/// Whether an index would take the place of one that was asked for, or of a file of others.
bool is_in_the_way(const std::string& path) {
  std::error_code ignored;
  const auto there = std::filesystem::symlink_status(sidecar_path(path), ignored).type();
  return there != std::filesystem::file_type::not_found && !has_unasked_index(path);
}

/// Rank 0. Returns whether the file has a new index.
bool write_sidecar(const Writer::State& writer, const FileLimits& mine, const std::vector<StepLimits>& written) {
  const bool is_asked = writer.target.asks_for_limits();
  if (!mine.left) throw Error(ErrorKind::io, "the state of the file could not be examined");
  // Where times have whole seconds, a change in the same second would not be noticed: then only on request.
  if (!is_asked && mine.left->modified % 1'000'000'000 == 0) return false;
  require_left(writer, *mine.left);
  if (!is_asked && is_in_the_way(writer.path)) return false;
  Sidecar sidecar = sidecar_of(open(writer.path, Comm::self()), mine.numbers, written);
  if (!is_asked && sidecar.is_empty()) return false;
  sidecar.write(writer.path, *mine.left, is_asked ? Asked::yes : Asked::no);
  const auto error = caught([&] { require_left(writer, *mine.left); });
  if (!error) return true;
  std::error_code ignored;
  std::filesystem::remove(sidecar_path(writer.path), ignored);
  throw Error(*error);
}

/// Collective. Gathers the limits of all ranks on rank 0. Returns no value, the same on all ranks, if the file was left
/// or has no limits; then rank 0 may have a remark.
std::optional<std::vector<Parcel>> gathered(Writer::State& writer, FileLimits& mine) {
  enum Word : std::size_t { left, steps, bytes };
  const std::uint64_t committed = mine.steps.size() + (mine.why_lost.empty() ? 0 : 1);
  std::array<std::uint64_t, 3> words{writer.is_left() ? 1U : 0U, committed, mine.bytes};
  writer.comm.sum(words);
  if (words[left] != 0 || words[steps] == 0) return std::nullopt;
  if (words[bytes] > FileLimits::most_bytes) {
    remark(writer, too_many());
    return std::nullopt;
  }
  std::vector<Parcel> parcels;
  const auto failure = caught([&] {
    parcels.push_back({0, pack(Sent{.why_lost = mine.why_lost, .steps = std::move(mine.steps)})});
  });
  if (failure) parcels.assign(1, {0, pack(Sent{.why_lost = failure->what()})});
  return writer.comm.exchange(std::move(parcels));
}

/// Whether a table with this number of rows on all ranks gets limits. Those of constants alone would be longer than
/// their file.
bool gets_limits(const State& step, std::size_t table, std::uint64_t rows) {
  if (step.writer->target.asks_for_limits()) return true;
  return rows >= FileLimits::large_rows && !step.accepted.tables[table].columns.empty();
}

/// Whether the step gets limits. `total` has the rows of each table, and the number of ranks that lend their arrays: a
/// second pass over these would take the time that lending saves.
bool gets_some(const State& step, std::span<const std::uint64_t> total) {
  if (step.writer->target.asks_for_limits()) return true;
  bool has_large = false;
  for (std::size_t t = 0; t + 1 < total.size(); ++t) has_large = has_large || gets_limits(step, t, total[t]);
  return has_large && total.back() == 0;
}

/// Takes the rows of this rank, which have one value.
void add_constant(BlockLimits& limits, const Attribute& constant, std::uint64_t before, std::uint64_t rows) {
  const std::uint64_t bytes = rows / BlockLimits::block_rows * 2 * size_of(constant.type);
  if (bytes > FileLimits::most_bytes) throw Error(ErrorKind::unsupported, too_many());
  limits.add(before, {constant.type, constant.value.bytes().data(), rows, 0});
}

/// Begins the limits of the tables that have some. `total` and `before` are words of all, and of the lower ranks.
void begin_step(State& step, std::span<const std::uint64_t> total, std::span<const std::uint64_t> before) {
  const std::vector<Table>& tables = step.accepted.tables;
  for (std::size_t t = 0; t < tables.size(); ++t) {
    TableLimits& table = step.limits->tables.emplace_back(
        TableLimits{.name = tables[t].name, .put_name = step.table_names[t], .before = before[t]});
    if (!gets_limits(step, t, total[t])) continue;
    for (const Column& column : tables[t].columns) table.columns.push_back({column.name, BlockLimits(column.type)});
    for (const Attribute& constant : tables[t].constants) {
      BlockLimits& limits = table.columns.emplace_back(ColumnLimits{constant.name, BlockLimits(constant.type)}).limits;
      if (!is_in_order(step, t) || !BlockLimits::limits(constant.type)) continue;
      add_constant(limits, constant, before[t], tables[t].rows);
    }
  }
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
  writer.limits.emplace(FileLimits{.is_wanted = writer.target.asks_for_limits()});
}

void propose_limits(State& step, Proposal& mine) {
  const WriteTarget& target = step.writer->target;
  const std::size_t words = step.accepted.tables.size() + 1;
  step.words_of_limits = 0;
  if (!target.keeps_limits()) return;
  if (!target.asks_for_limits() && mine.measure.size() + words > slots_at_once) return;
  for (const Table& table : step.accepted.tables) mine.measure.push_back(table.rows);
  mine.measure.push_back(step.is_lent ? 1 : 0);
  step.words_of_limits = words;
}

void settle_limits(State& step, Consensus& all) {
  const std::size_t words = step.words_of_limits;
  if (words == 0) return;
  const auto total = std::span<const std::uint64_t>(all.total).last(words);
  const auto before = std::span<const std::uint64_t>(all.before).last(words);
  if (step.writer->limits) {
    FileLimits& kept = *step.writer->limits;
    const bool has_some = gets_some(step, total);
    kept.is_wanted = kept.is_wanted || has_some;
    if (has_some && kept.why_lost.empty()) {
      step.limits.emplace(StepLimits{.number = step.builder.number()});
      attempt(step, [&] {
        begin_step(step, total, before);
        require_room(step);
      });
    }
  }
  all.total.resize(all.total.size() - words);
  all.before.resize(all.before.size() - words);
}

void follow_writes(WritePlan& plan, State& step) {
  if (!has_limits(step) || step.builder.is_streamed()) return;
  attempt(step, [&] {
    const auto followed = std::make_shared<const std::vector<FollowedRun>>(followed_runs(step));
    for (WriteExtent& extent : plan.extents) {
      if (extent.length < followed_from || !touches(*followed, extent)) continue;
      WatchedSource::Watch watch = [&step, followed, offset = extent.offset](std::uint64_t end) {
        attempt(step, [&] { add_written(step, *followed, offset, end); });
      };
      extent.source = std::make_shared<WatchedSource>(std::move(extent.source), extent.length, std::move(watch));
    }
  });
}

void complete_limits(State& step) {
  if (step.builder.is_streamed()) return;
  for (std::size_t t = 0; t < step.part->tables.size(); ++t) add_limits(step, t, 0, step.part->tables[t]);
}

void add_limits(State& step, std::size_t table, std::uint64_t first, std::span<const ConstView> columns) {
  if (!has_limits(step) || !takes_limits(step, table)) return;
  const Stopwatch watch(step.writer->timing.encode);
  attempt(step, [&] {
    for (std::size_t c = 0; c < columns.size(); ++c) add_column(step, table, c, first, columns[c]);
    require_room(step);
  });
}

void remember_file(Writer::State& writer) {
  if (!writer.limits || !writer.limits->is_wanted || !writer.comm.is_root()) return;
  static_cast<void>(caught([&] { writer.limits->left = state_of(writer.first_file); }));
}

void keep_limits(State& step) {
  if (!step.writer->limits) return;
  FileLimits& kept = *step.writer->limits;
  if (step.writer->comm.is_root()) kept.numbers.push_back(step.builder.number());
  if (!step.limits) return;
  StepLimits limits = *std::exchange(step.limits, std::nullopt);
  if (!limits.why_lost.empty()) {
    kept = FileLimits{.is_wanted = true, .why_lost = limits.why_lost};
  }
  if (!kept.why_lost.empty()) return;
  for (TableLimits& table : limits.tables) {
    std::erase_if(table.columns, [](const ColumnLimits& one) { return !BlockLimits::limits(one.limits.type()); });
  }
  kept.bytes += limits.bytes();
  kept.steps.push_back(std::move(limits));
}

void write_limits(Writer::State& writer) {
  std::optional<FileLimits> mine = std::exchange(writer.limits, std::nullopt);
  const auto parcels = mine && mine->is_wanted ? gathered(writer, *mine) : std::nullopt;
  if (writer.comm.is_root()) {
    bool is_written = false;
    if (parcels) {
      const auto error = caught([&] { is_written = write_sidecar(writer, *mine, joined(*parcels)); });
      if (error) remark(writer, error->what());
    }
    if (!is_written) remove_unasked_index(writer.path);
  }
  // A rank that opens the file finds the index.
  if (parcels) writer.comm.barrier();
}

}  // namespace quire
