#include "api/read/steps_ahead.hpp"

#include <iterator>
#include <utility>

#include "quire/base/error.hpp"

namespace quire {
namespace {

constexpr std::size_t most_steps = 8;
/// Objects of all steps described in advance: a limit for memory and for work that may be wasted.
constexpr std::size_t most_objects = 128;

/// The amount of description, in columns.
std::size_t objects_of(const StepLayout& layout) {
  std::size_t objects = 1 + layout.description.attributes.size();
  for (const auto* places : {&layout.tables, &layout.fields}) {
    for (const Place& place : *places) {
      for (const Run& run : place.runs) objects += 1 + run.pieces.size() + (run.chunks ? run.chunks->chunks.size() : 0);
    }
  }
  return objects;
}

}  // namespace

std::optional<StepLayout> StepsAhead::take(std::uint64_t index) {
  if (!follows(index) || layouts_.empty()) return std::nullopt;
  StepLayout layout = std::move(layouts_.front());
  layouts_.pop_front();
  ++expected_;
  return layout;
}

std::optional<StepLayout> StepsAhead::keep(std::uint64_t index, std::vector<StepLayout> layouts) {
  layouts_.assign(std::make_move_iterator(layouts.begin()), std::make_move_iterator(layouts.end()));
  expected_ = index;
  return take(index);
}

std::vector<StepLayout> describe_ahead(Describer& describer, std::uint64_t index, bool ahead) {
  std::vector<StepLayout> layouts;
  auto wanted = describer.step(index);
  if (!wanted) return layouts;
  layouts.push_back(*std::move(wanted));
  if (!ahead || !describer.capabilities().looks_ahead) return layouts;
  // The next one is about as large as this one.
  for (std::size_t objects = objects_of(layouts.front()); layouts.size() < most_steps;) {
    if (objects + objects_of(layouts.back()) > most_objects) break;
    try {
      auto next = describer.step(index + layouts.size());
      if (!next) break;
      objects += objects_of(*next);
      layouts.push_back(*std::move(next));
    } catch (const Error&) {
      break;
    }
  }
  return layouts;
}

}  // namespace quire
