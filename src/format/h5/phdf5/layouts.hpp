#pragma once

#include <functional>
#include <memory>
#include <string>

#include "format/h5/chunking.hpp"
#include "format/h5/growth.hpp"
#include "format/h5/phdf5/engine.hpp"
#include "format/h5/plain/acceptance.hpp"
#include "format/h5/plain/growth.hpp"

namespace quire::h5 {

/// What the engine needs to know of a file of steps, from its planner.
struct StepFileRules {
  std::function<std::string(std::int64_t number)> group_of;
  /// Writes the attributes that are not written yet, with the units of a step.
  std::function<void(hid_t file, const StepDescription& step)> write_file_attributes;
  Chunking chunking;
  const AttachmentChanges* attachments = nullptr;  ///< rank 0: to be made with the next publication
  /// The existing step that a step adds to, or null.
  std::function<const GrowingStep*(const StepDescription& step)> growing;
};

/// A group for each step, which is linked when the step is published.
[[nodiscard]] std::unique_ptr<EngineLayout> layout_of_steps(StepFileRules rules);

/// The same for a plain file.
struct PlainFileRules {
  PlainRules rules;
  std::function<const std::vector<Attribute>&()> file_attributes;
  Chunking chunking;
  std::function<const GrowingData*(const StepDescription& step)> growing;  ///< as above
};

/// The datasets of the one step of a plain file, which are linked from the beginning.
[[nodiscard]] std::unique_ptr<EngineLayout> layout_of_plain(PlainFileRules rules);

}  // namespace quire::h5
