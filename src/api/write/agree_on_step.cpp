#include "api/write/agree_on_step.hpp"

#include <utility>

#include "api/root.hpp"
#include "api/write/chosen_rows.hpp"
#include "api/write/limits.hpp"
#include "api/write/new_file.hpp"
#include "api/write/padded_texts.hpp"
#include "api/write/part_plan.hpp"
#include "api/write/write_groups.hpp"
#include "api/write/write_parts.hpp"
#include "base/stopwatch.hpp"
#include "format/records.hpp"

namespace quire {
namespace {

using State = WriteStep::State;

/// Text is printed from contiguous memory: copies what is selected from larger arrays.
void pack_fields(State& step) {
  for (FieldPart& field : step.part->fields) {
    if (field.memory.is_packed()) continue;
    const std::uint64_t elements = field.selection.elements();
    for (ConstView& view : field.views) {
      auto& bytes = step.packed.emplace_back(static_cast<std::size_t>(elements) * size_of(view.type));
      const View packed(view.type, bytes.data(), elements, static_cast<std::ptrdiff_t>(size_of(view.type)));
      pack_memory(field.memory, view, packed);
      view = ConstView(view.type, bytes.data(), elements, packed.stride);
    }
    field.memory = {};
  }
}

/// Weighs the values in memory; those of a streamed step have been weighed in blocks.
void weigh(State& step) {
  const Writer::State& writer = *step.writer;
  const ValueWeigher* const weigher = writer.capabilities().weigher;
  if (weigher == nullptr) return;
  for (std::size_t t = 0; step.builder.is_streamed() && t < step.accepted.tables.size(); ++t) {
    const Table& table = step.accepted.tables[t];
    if ((t < step.weighed_rows.size() ? step.weighed_rows[t] : 0) == table.rows) continue;
    throw Error(ErrorKind::usage, "not all rows were weighed, but this file is text: its rows have no size before")
        .on(table.name)
        .advise("pass all blocks to weigh() before open()");
  }
  for (std::size_t f = 0; f < step.declared.size(); ++f) require_weighed_parts(step, f);
  pack_fields(step);
  weigher->weigh(*step.part, writer.options.lossy);
}

}  // namespace

std::optional<Error> accept_step(State& step) {
  Writer::State& writer = *step.writer;
  const Stopwatch watch(writer.timing.plan);
  std::optional<Error> error = step.builder.error();
  if (!error) error = std::exchange(step.failure, std::nullopt);
  if (const auto left = std::exchange(writer.departure, std::nullopt)) error = Error(ErrorKind::aborted, left->reason);
  if (error) return error;
  return caught(writer.comm.rank(), [&] {
    writer.require_publishable();
    writer.describe_file();
    lay_out_elements(step);
    step.part = &step.builder.finish();
    if (!writer.capabilities().holds_constants) step.builder.spread_constants();
    add_zones(step);
    step.accept(*step.part);
    step.part->description = step.accepted;
    accept_chosen_rows(step);
  });
}

namespace {

/// Whether all ranks run their plans together: as many as the maximum over the ranks.
bool moves_together(const Writer::State& writer) {
  return writer.life.unmade() == nullptr && writer.transport->is_collective();
}

/// Rank 0, before others write.
void prepare_place(State& step) {
  Writer::State& writer = *step.writer;
  // Elements that no rank puts are zeros only where the file has no data. Opening a file alone removes nothing from it.
  if (writer.has_leftovers) writer.drop_leftovers();
  writer.transport->run_alone(writer.planner->guard(*step.part));
}

/// The measure of an accepted step, without an error so far.
Proposal measured(State& step, std::optional<Error>& error, bool together) {
  Writer::State& writer = *step.writer;
  const Stopwatch watch(writer.timing.plan);
  Proposal mine;
  mine.call = step.call;
  mine.elements = step.elements && !step.elements->joined;
  if (!error) {
    error = caught(writer.comm.rank(), [&] {
      if (step.grouped.empty()) weigh(step);
      mine.structure = step.builder.structure_hash(writer.file);
      if (const NewFile* file = writer.life.unmade()) {
        mine.structure ^= hash_of(file->choice());
      } else if (writer.comm.is_root()) {
        prepare_place(step);
      }
      mine.measure = writer.planner->measure(*step.part, writer.comm.is_root());
      propose_chosen_rows(step, mine);
      propose_limits(step, mine);
      if (!step.has_agreed_on_rows()) propose_texts(step, mine);
      if (together) mine.compared.push_back(count_plans(*step.part));
    });
  }
  mine.failed = error.has_value();
  return mine;
}

/// Collective. Proposes the step. A file that does not exist yet is created by rank 0 as soon as all agree on the step.
Consensus propose_step(State& step, const Proposal& mine) {
  Writer::State& writer = *step.writer;
  NewFile* const file = writer.life.unmade();
  if (file == nullptr) return propose(writer.comm, mine);
  return propose(writer.comm, mine, [&](const Consensus& known) {
    std::optional<Error> ignored;
    const bool goes_on = known.goes_on(step.call, ignored) && known.same_structure;
    return goes_on ? file->make([&] { prepare_place(step); }) : std::vector<std::byte>();
  });
}

/// Collective. Completes the file that was created with the step. Throws on all ranks why it was not.
void settle_file(State& step, const Consensus& all) {
  Writer::State& writer = *step.writer;
  NewFile* const file = writer.life.unmade();
  if (file == nullptr) return;
  if (const auto error = caught([&] { step.failure = file->settle(all.answer); })) {
    step.finish(false);
    throw Error(*error);
  }
  writer.life.open_for_step();
}

}  // namespace

void require_same_file(State& step, const std::optional<Error>& mine) {
  Writer::State& writer = *step.writer;
  const NewFile* const file = writer.life.unmade();
  if (file == nullptr) return;
  const auto placed = mine ? std::optional(writer.placed(*mine)) : std::nullopt;
  if (const auto error = caught([&] { file->require_alike(placed); })) {
    step.finish(false);
    throw Error(*error);
  }
}

[[noreturn]] void fail_together(State& step, const std::optional<Error>& mine) {
  Writer::State& writer = *step.writer;
  const bool may_have_bytes = writer.life.unmade() == nullptr && writer.steps != Steps::interrupted;
  if (writer.comm.is_root() && may_have_bytes) writer.roll_back();
  step.finish(false);
  agree(writer.comm, mine ? std::optional(writer.placed(*mine)) : std::nullopt);
  throw writer.placed(Error(ErrorKind::internal, "a step failed on no rank"));
}

void agree_on_step(State& step) {
  Writer::State& writer = *step.writer;
  const bool together = moves_together(writer);
  agree_on_elements(step);
  std::optional<Error> error = writer.capabilities().encodes_together() ? regroup(step) : accept_step(step);
  Proposal mine = measured(step, error, together);
  const Stopwatch watch(writer.timing.wait);
  const double before = writer.timing.metadata;
  Consensus all = propose_step(step, mine);
  if (all.goes_on(step.call, error) && !all.same_structure && all.elements) {
    join_elements(step);
    error = accept_step(step);
    mine = measured(step, error, together);
    all = propose_step(step, mine);
  }
  const std::optional<Error> own = error;
  if (!all.goes_on(step.call, error)) {
    require_same_file(step, own);
    fail_together(step, error);
  }
  if (!all.same_structure) {
    require_same_file(step, {});
    fail_for_structure(step);
  }
  settle_file(step, all);
  settle_limits(step, all);
  // The time in which rank 0 created the file is no waiting time.
  writer.timing.wait -= writer.timing.metadata - before;
  step.plans = together ? all.greatest.back() : 0;
  if (!step.has_agreed_on_rows()) agree_on_texts(step, std::span(all.greatest).subspan(words_of_chosen_rows(step)));
  agree_on_chosen_rows(step, all);
  begin_zones(step);
  collect_groups(step);
}

}  // namespace quire
