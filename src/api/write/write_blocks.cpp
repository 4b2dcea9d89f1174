#include "api/write/write_blocks.hpp"

#include <string>

#include "api/write/chosen_rows.hpp"
#include "api/write/limits.hpp"
#include "api/write/part_plan.hpp"
#include "api/write/write_groups.hpp"
#include "base/stopwatch.hpp"
#include "format/records.hpp"

namespace quire {
namespace {

using State = WriteStep::State;

std::uint64_t rows_of(std::span<const ConstView> columns) { return columns.empty() ? 0 : columns.front().count; }

/// Text and encoded rows have no fixed places, and bytes between blocks would not be written.
void check_order(const Table& table, std::uint64_t first, std::uint64_t rows, std::uint64_t written) {
  if (rows == 0 || first == written) return;
  throw Error(ErrorKind::usage, "a block begins at row " + std::to_string(first) + " where " + std::to_string(written) +
                                    " rows are written: blocks must be in order, each row once")
      .on(table.name);
}

void move(State& step, std::size_t table, const Slice& rows, std::span<const ConstView> columns) {
  Writer::State& writer = *step.writer;
  if (step.part->rows_chosen_of(table) != nullptr) {
    const SelectionWalk chosen = step.builder.choices()[table]->next(rows.count);
    StepPlans plans(step.accepted.tables[table], step.placement.tables[table], chosen, columns, writer.options.lossy);
    while (!plans.is_done()) writer.transport->run_alone(plans.next());
    return;
  }
  WritePlan plan;
  if (!step.grouped.empty()) {
    add_groups(plan, step, table, columns);
  } else if (step.placement.weighed) {
    step.placement.weighed->add(plan, table, columns, writer.options.lossy);
  } else {
    add_table(plan, step.accepted.tables[table], step.placement.tables[table], rows, columns, step.positions[table],
              writer.options.lossy);
  }
  coalesce(plan);
  writer.transport->run_alone(plan);
}

/// Strings and text have no fixed places: after rows that take less than was stated, the bytes would be undefined.
void require_all_bytes(const State& step, std::size_t table) {
  // Encoded groups are compared one by one.
  if (!step.grouped.empty() || table >= step.positions.size()) return;
  for (std::size_t r = 0; r < step.positions[table].size(); ++r) {
    require_weighed_bytes(step.placement.tables[table][r], step.positions[table][r], step.accepted.tables[table].name);
  }
}

}  // namespace

void check_block(const Table& table, std::uint64_t rows, std::uint64_t first, std::span<const ConstView> columns) {
  if (columns.size() != table.columns.size()) {
    throw Error(ErrorKind::usage,
                "a block needs a view for each of the " + std::to_string(table.columns.size()) + " columns");
  }
  if (first > rows || rows_of(columns) > rows - first) {
    throw Error(ErrorKind::usage, "the block ends beyond this rank's rows");
  }
}

void require_weighed_bytes(const Run& run, std::uint64_t written, const std::string& object) {
  if (run.record_bytes != 0 || written == run.bytes) return;
  throw Error(ErrorKind::usage, "the values take " + std::to_string(run.bytes - written) +
                                    " bytes less than was declared for their strings or weighed")
      .on(object)
      .advise("declare the bytes of all strings of this rank, and weigh the blocks that are written");
}

void write_block(State& step, std::size_t table, std::uint64_t first, std::span<const ConstView> columns) {
  const Table& target = step.accepted.tables[table];
  check_block(target, rows_of_rank(*step.part, step.accepted, table), first, columns);
  const std::uint64_t rows = rows_of(columns);
  step.written_rows.resize(step.accepted.tables.size(), 0);
  check_order(target, first, rows, step.written_rows[table]);
  add_to_zone(step, table, columns);
  add_limits(step, table, first, columns);
  move(step, table, {first, rows}, columns);
  step.written_rows[table] += rows;
}

void require_all_rows(const State& step) {
  if (!step.builder.is_streamed()) return;
  for (std::size_t t = 0; t < step.accepted.tables.size(); ++t) {
    const Table& table = step.accepted.tables[t];
    // A table of constants has rows, but no values.
    if (table.columns.empty()) continue;
    const std::uint64_t written = t < step.written_rows.size() ? step.written_rows[t] : 0;
    const std::uint64_t rows = rows_of_rank(*step.part, step.accepted, t);
    if (written != rows) {
      throw Error(ErrorKind::usage, "not all rows of the table were written: " + std::to_string(written) + " of the " +
                                        std::to_string(rows) + " of this rank")
          .on(table.name)
          .advise("write all blocks before the commit");
    }
    require_all_bytes(step, t);
  }
}

}  // namespace quire
