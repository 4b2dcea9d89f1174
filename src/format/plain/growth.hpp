#pragma once

#include <hdf5.h>

#include <cstdint>

#include "format/hdf5/image/image.hpp"
#include "format/hdf5/library/chunking.hpp"
#include "format/hdf5/planning/growing_step.hpp"
#include "format/plain/acceptance.hpp"

namespace quire::hdf5 {

/// The step of a new file, without rows and elements.
[[nodiscard]] GrowingStep fresh_data(const StepDescription& step, const PlainRules& rules, const Chunking& chunking);

/// The tables and fields of the image's open file. Matrices whose chunks hold several columns do not grow.
[[nodiscard]] GrowingStep growing_data(hid_t file, Image& image, std::uint64_t memory_budget);

}  // namespace quire::hdf5
