#pragma once

#include <hdf5.h>

#include <cstdint>
#include <string>

#include "format/hdf5/image/image.hpp"
#include "format/hdf5/library/chunking.hpp"
#include "format/hdf5/planning/growing_step.hpp"
#include "quire/model/description.hpp"

namespace quire::hdf5 {

/// A new step with this group, without rows and elements. It has one table, also without columns.
[[nodiscard]] GrowingStep fresh_step(const StepDescription& step, const std::string& group, const Chunking& chunking);

/// The step of this group in the image's open file. Throws a conflict error that states why its columns cannot
/// grow. It may have fields that cannot grow.
[[nodiscard]] GrowingStep growing_step(hid_t file, std::int64_t number, const std::string& group, Image& image,
                                       std::uint64_t memory_budget);

}  // namespace quire::hdf5
