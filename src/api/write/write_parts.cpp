#include "api/write/write_parts.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "api/in_file.hpp"
#include "api/root.hpp"
#include "api/write/part_plan.hpp"
#include "api/write/write_blocks.hpp"
#include "api/write/write_chunks.hpp"
#include "base/stopwatch.hpp"
#include "format/records.hpp"

namespace quire {
namespace {

using State = WriteStep::State;

/// The field of this name. Throws usage errors for one that is not declared.
std::size_t find_declared(State& step, std::string_view name) {
  const auto field = step.field_index.find(step.field_names, name);
  if (field && step.declared[*field]) return *field;
  throw Error(ErrorKind::usage, "no field of this name was declared")
      .on(std::string(name))
      .advise("call declare_field() before the step is opened");
}

/// Throws usage errors for values that are not those of a part.
void check_values(const DeclaredField& declared, const Box& part, std::span<const ConstView> components) {
  if (components.size() != declared.components) {
    throw Error(ErrorKind::usage,
                "a part needs a view for each of the " + std::to_string(declared.components) + " components");
  }
  const std::uint64_t elements = volume(part.count);
  for (const ConstView& view : components) {
    if (view.type != declared.type) {
      throw Error(ErrorKind::usage, "the values are " + std::string(name(view.type)) + ", the field was declared as " +
                                        std::string(name(declared.type)));
    }
    if (view.count != elements) {
      throw Error(ErrorKind::usage, "a component has " + std::to_string(view.count) + " values where the part has " +
                                        std::to_string(elements) + " elements");
    }
  }
}

/// Runs `work` for a part that is new to `cover`; errors name the field.
template <class Work>
void take_part(State& step, std::string_view name, BoxCover DeclaredField::*cover, const Box& part,
               std::span<const ConstView> components, Work&& work) {
  const std::size_t field = find_declared(step, name);
  DeclaredField& declared = *step.declared[field];
  try {
    (declared.*cover).add(part);
    check_values(declared, part, components);
  } catch (Error& error) {
    throw error.on(std::string(name));
  }
  if (volume(part.count) > 0) work(field, declared);
}

/// Weighs the values of a part as text.
void weigh_part(State& step, std::size_t field, std::span<const ConstView> components) {
  Writer::State& writer = *step.writer;
  StepPart block;
  block.description = step.accepted;
  block.fields.resize(step.accepted.fields.size());
  block.fields[field].views.assign(components.begin(), components.end());
  writer.capabilities().weigher->weigh(block, writer.options.lossy);
  auto& weights = step.part->weights.fields;
  weights.resize(step.accepted.fields.size());
  weights[field].resize(components.size(), 0);
  for (std::size_t c = 0; c < components.size(); ++c) weights[field][c] += block.weights.fields[field][c];
}

/// Values without a fixed size: each part continues the previous one.
void add_text(WritePlan& plan, const State& step, std::size_t field, DeclaredField& declared, const Box& part,
              std::span<const ConstView> components) {
  const Field& description = step.accepted.fields[field];
  const std::uint64_t elements = volume(part.count);
  const std::uint64_t first = declared.written.elements() - elements;
  const auto begin = SelectionWalk(description.extents, step.part->fields[field].selection).next();
  SelectionWalk walk(description.extents, part);
  const auto line = walk.next();
  if (line->count != elements || line->step != 1 || line->first != begin->first + first) {
    throw Error(ErrorKind::usage, "in this file each part of a field continues the previous one")
        .on(description.name)
        .advise("write layers along the slowest axis, the lowest first");
  }
  const std::vector<std::string> names(components.size(), description.name);
  for (const Run& run : step.placement.fields[field]) {
    const auto c = static_cast<std::size_t>(run.cells.front().column);
    declared.positions[c] = add_rows(plan, run, first, elements, components.subspan(c, 1), declared.positions[c],
                                     step.writer->options.lossy, names);
  }
}

void move_part(State& step, std::size_t field, DeclaredField& declared, const Box& part,
               std::span<const ConstView> components) {
  Writer::State& writer = *step.writer;
  const Field& description = step.accepted.fields[field];
  const std::vector<Run>& runs = step.placement.fields[field];
  if (!runs.empty() && is_addressed(runs.front())) {
    const SelectionWalk elements(description.extents, part);
    StepPlans plans(description, runs, elements, components, writer.options.lossy);
    while (!plans.is_done()) writer.transport->run_alone(plans.next());
    return;
  }
  WritePlan plan;
  if (!runs.empty() && runs.front().opaque) {
    add_chunks(plan, step, field, part, components);
  } else {
    add_text(plan, step, field, declared, part, components);
  }
  coalesce(plan);
  writer.transport->run_alone(plan);
}

void require_agreed(const State& step) {
  if (step.has_agreed_on_rows()) return;
  throw Error(ErrorKind::usage, "the ranks have not agreed on their fields, but these are encoded in chunks")
      .advise("every rank calls agree_on_rows() before weigh_field()");
}

}  // namespace

void require_weighed_parts(const State& step, std::size_t field) {
  if (!step.declared[field] || step.declared[field]->weighed.is_complete()) return;
  throw Error(ErrorKind::usage, "not all elements were weighed, but their encoded size is not known before")
      .on(step.accepted.fields[field].name)
      .advise("pass all parts to weigh_field() before open()");
}

void require_all_parts(const State& step) {
  for (std::size_t f = 0; f < step.declared.size(); ++f) {
    if (!step.declared[f]) continue;
    const DeclaredField& declared = *step.declared[f];
    if (!declared.written.is_complete()) {
      throw Error(ErrorKind::usage,
                  "not all elements of the field were written: " + std::to_string(declared.written.elements()) +
                      " of the " + std::to_string(declared.written.all_elements()) + " of this rank")
          .on(step.accepted.fields[f].name)
          .advise("write all parts before the commit");
    }
    for (const Run& run : step.placement.fields[f]) {
      const std::uint64_t position = declared.positions[static_cast<std::size_t>(run.cells.front().column)];
      if (!run.opaque) require_weighed_bytes(run, position, step.accepted.fields[f].name);
    }
  }
}

std::vector<std::uint64_t> WriteStep::field_chunk(const Field& field) const {
  state_->require_filling("field_chunk");
  const Writer::State& writer = *state_->writer;
  return in_file(*state_->writer, [&]() -> std::vector<std::uint64_t> {
    const FieldChunkCodec* const codec = writer.capabilities().field_chunks;
    if (codec == nullptr) return {};
    StepDescription alone;
    alone.number = state_->builder.number();
    alone.fields.push_back(field);
    return codec->chunk_shape(writer.planner->accept(alone, writer.options.lossy), 0);
  });
}

void WriteStep::weigh_field(std::string_view field, const Box& part, std::span<const ConstView> components) {
  State& step = *state_;
  step.require_filling("weigh_field");
  const PlannerCapabilities can = step.writer->capabilities();
  if (step.failure || step.builder.error() || !(can.encodes_together() || can.weigher != nullptr)) return;
  step.failure = caught(step.writer->comm.rank(), [&] {
    if (can.encodes_together()) {
      require_agreed(step);
    } else {
      begin_weighing(step);
    }
    take_part(step, field, &DeclaredField::weighed, part, components, [&](std::size_t index, const DeclaredField&) {
      if (can.encodes_together()) {
        weigh_chunks(step, index, part, components);
      } else {
        weigh_part(step, index, components);
      }
    });
  });
}

void WriteStep::write_field(std::string_view field, const Box& part, std::span<const ConstView> components) {
  State& step = *state_;
  step.require_placed("write_field", field);
  if (step.failure) return;
  step.failure = caught(step.writer->comm.rank(), [&] {
    take_part(step, field, &DeclaredField::written, part, components,
              [&](std::size_t index, DeclaredField& declared) { move_part(step, index, declared, part, components); });
  });
}

}  // namespace quire
