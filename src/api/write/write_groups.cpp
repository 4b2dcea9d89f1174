#include "api/write/write_groups.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <utility>

#include "api/root.hpp"
#include "api/write/padded_texts.hpp"
#include "api/write/write_chunks.hpp"
#include "base/stopwatch.hpp"
#include "quire/spi/base/archive.hpp"

namespace quire {
namespace {

using State = WriteStep::State;
using Values = std::vector<std::vector<std::byte>>;

/// Rows sent to the rank that has begun their group.
struct MovedRows {
  std::uint64_t table = 0;
  Values values;
  template <class Archive>
  void archive(Archive& a) {
    a(table, values);
  }
};

/// Rank 0: the values of rows that are in the file already and are encoded again.
Values open_values(State& step, std::size_t table) {
  Writer::State& writer = *step.writer;
  Values values;
  for (std::size_t c = 0; c < step.accepted.tables[table].columns.size(); ++c) {
    const Extent place = writer.capabilities().row_groups->open_group(step.accepted, table, c);
    std::vector<std::byte> bytes(static_cast<std::size_t>(place.length));
    if (writer.transport->get(place.offset, bytes) != bytes.size()) {
      throw Error(ErrorKind::bad_file, "the file ends inside its last rows")
          .on(step.accepted.tables[table].columns[c].name)
          .at(place.offset);
    }
    values.push_back(writer.capabilities().row_groups->unpack_group(step.accepted, table, c, bytes));
  }
  return values;
}

/// The encoders of this rank's rows of each table.
std::vector<RowGroups> new_groups(State& step, bool keep_bytes) {
  std::vector<RowGroups> groups;
  for (std::size_t t = 0; t < step.grouped.size(); ++t) {
    const GroupedRows& rows = step.grouped[t];
    groups.emplace_back(*step.writer->capabilities().row_groups, step.accepted, t, rows, step.writer->options.lossy,
                        keep_bytes);
    if (rows.rank == 0 && rows.grouping.open_rows > 0) groups.back().begin_with(open_values(step, t));
  }
  return groups;
}

/// Encodes what this rank can without others, and packs the rows for them.
std::vector<Parcel> encode_own(State& step) {
  const Stopwatch watch(step.writer->timing.encode);
  if (!step.builder.is_streamed()) {
    step.groups = new_groups(step, true);
    for (std::size_t t = 0; t < step.groups.size(); ++t) step.groups[t].add(step.part->tables[t]);
  } else if (step.groups.empty()) {
    step.groups = new_groups(step, false);
  }
  if (step.builder.is_streamed()) {
    complete_zones(step, [&](std::size_t table, auto columns) { step.groups[table].add(columns); });
  }
  std::map<std::uint64_t, std::vector<MovedRows>> moved;
  for (std::size_t t = 0; t < step.groups.size(); ++t) {
    // A table of constants has rows, but no values.
    if (step.accepted.tables[t].columns.empty()) continue;
    if (step.groups[t].rows_added() != step.grouped[t].mine) {
      throw Error(ErrorKind::usage, "not all rows were weighed, but their encoded size is not known before")
          .on(step.accepted.tables[t].name)
          .advise("pass all blocks to weigh() before open()");
    }
    if (step.grouped[t].front() == 0) continue;
    moved[step.group_owners[t]].push_back({t, step.groups[t].front_values()});
  }
  std::vector<Parcel> parcels;
  for (const auto& [rank, rows] : moved) parcels.push_back({static_cast<int>(rank), pack(rows)});
  return parcels;
}

void encode_received(State& step, const std::vector<Parcel>& received) {
  const Stopwatch watch(step.writer->timing.encode);
  for (const Parcel& parcel : received) {
    for (const MovedRows& rows : unpack<std::vector<MovedRows>>(parcel.bytes)) {
      step.groups.at(static_cast<std::size_t>(rows.table)).complete(rows.values);
    }
  }
  step.part->groups.clear();
  for (RowGroups& groups : step.groups) {
    groups.finish();
    step.part->groups.push_back(groups.take());
  }
  step.groups.clear();
}

}  // namespace

void agree_on_rows(State& step) {
  Writer::State& writer = *step.writer;
  std::optional<Error> error = accept_step(step);
  Proposal mine{.failed = error.has_value(), .call = Call::rows};
  if (!error) {
    mine.structure = step.builder.structure_hash(writer.file);
    for (const Table& table : step.accepted.tables) mine.measure.push_back(table.rows);
    propose_texts(step, mine);
  }
  const Stopwatch watch(writer.timing.wait);
  finish_pending_exchanges(writer);
  const Consensus all = propose(writer.comm, mine);
  if (!all.goes_on(mine.call, error)) fail_together(step, error);
  if (!all.same_structure) fail_for_structure(step);
  agree_on_texts(step, all.greatest);

  const Measure& before = all.before;
  const int rank = writer.comm.rank();
  step.grouped.clear();
  step.group_owners.clear();
  const RowGroupCodec* const codec = writer.capabilities().row_groups;
  for (std::size_t t = 0; codec != nullptr && t < before.size(); ++t) {
    const Grouping grouping = codec->grouping(step.accepted, t);
    if (grouping.rows == 0) break;  // the same holds for all tables
    step.grouped.push_back({.grouping = grouping, .rank = rank, .before = before[t], .mine = mine.measure[t]});
    step.group_owners.push_back(step.grouped.back().begins_group() ? static_cast<std::uint64_t>(rank) : 0);
  }
  if (!step.grouped.empty()) writer.comm.prefix_maximum(step.group_owners);
  for (OwnZone& zone : step.zones) zone.begin_after(before[zone.table()]);
  begin_fields(step);
  step.phase = State::Phase::agreed_on_rows;
}

void weigh_groups(State& step, std::string_view table, std::span<const ConstView> columns) {
  if (!step.has_agreed_on_rows()) {
    throw Error(ErrorKind::usage, "the ranks have not agreed on their rows, but these are encoded in groups")
        .advise("every rank calls agree_on_rows() before weigh()");
  }
  if (step.grouped.empty()) return;
  const std::size_t index = step.find_table(table);
  if (columns.size() != step.accepted.tables[index].columns.size()) {
    throw Error(ErrorKind::usage, "a block needs a view for each of the columns").on(std::string(table));
  }
  if (step.groups.empty()) step.groups = new_groups(step, false);
  step.groups[index].add(columns);
  add_to_zone(step, index, columns);
}

std::optional<Error> regroup(State& step) {
  Writer::State& writer = *step.writer;
  if (!step.has_agreed_on_rows()) agree_on_rows(step);
  std::optional<Error> error = std::exchange(step.failure, std::nullopt);
  const int rank = writer.comm.rank();
  if (!step.grouped.empty()) {
    std::vector<Parcel> parcels;
    if (!error) error = caught(rank, [&] { parcels = encode_own(step); });
    const std::vector<Parcel> received = writer.comm.exchange(std::move(parcels));
    if (!error) error = caught(rank, [&] { encode_received(step, received); });
  }
  encode_fields(step, error);
  return error;
}

std::size_t pending_exchanges(const State& step) {
  if (!step.has_agreed_on_rows()) return 0;
  return (step.grouped.empty() ? 0 : 1) + field_exchanges(step);
}

void finish_pending_exchanges(Writer::State& writer) {
  if (State* step = writer.open_step) {
    writer.pending_exchanges += pending_exchanges(*step);
    // Its weights are dropped: it must begin again.
    if (step->has_agreed_on_rows()) step->phase = State::Phase::filling;
    step->grouped.clear();
    step->groups.clear();
    forget_fields(*step);
  }
  for (; writer.pending_exchanges > 0; --writer.pending_exchanges) static_cast<void>(writer.comm.exchange({}));
}

void collect_groups(State& step) {
  if (step.grouped.empty()) return;
  StepPart& part = *step.part;
  Comm& comm = step.writer->comm;
  const bool has_groups =
      std::ranges::any_of(part.groups, [](const auto& table) { return !table.empty() && !table.front().empty(); });
  std::vector<Parcel> parcels;
  if (has_groups) parcels.push_back({0, pack(part.groups)});
  const std::vector<Parcel> received = comm.exchange(std::move(parcels));
  if (!comm.is_root()) return;
  part.all_groups.assign(part.groups.size(), {});
  for (std::size_t t = 0; t < part.groups.size(); ++t) part.all_groups[t].resize(part.groups[t].size());
  for (const Parcel& parcel : received) {
    const auto groups = unpack<PackedTables>(parcel.bytes);
    for (std::size_t t = 0; t < groups.size(); ++t) {
      for (std::size_t c = 0; c < groups[t].size(); ++c) {
        std::ranges::copy(groups[t][c], std::back_inserter(part.all_groups.at(t).at(c)));
      }
    }
  }
}

void add_groups(WritePlan& plan, State& step, std::size_t table, std::span<const ConstView> columns) {
  if (step.groups.empty()) step.groups = new_groups(step, true);
  step.groups[table].add(columns);
  std::vector<std::vector<PackedGroup>> encoded = step.groups[table].take();
  for (std::size_t c = 0; c < encoded.size(); ++c) {
    std::uint64_t& position = step.positions[table][c];
    std::size_t& done = step.groups_written[table][c];
    for (PackedGroup& group : encoded[c]) {
      const auto& weighed = step.part->groups[table][c];
      if (done >= weighed.size() || weighed[done].length != group.length) {
        throw Error(ErrorKind::usage, "the rows are not those that were weighed")
            .on(step.accepted.tables[table].columns[c].name);
      }
      const std::uint64_t offset = step.placement.tables[table][c].offset + position;
      position += group.length;
      ++done;
      plan.add(offset, std::move(group.bytes));
    }
  }
}

}  // namespace quire
