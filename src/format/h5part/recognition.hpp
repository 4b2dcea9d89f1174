#pragma once

#include <memory>

#include "quire/spi/plan/byte_source.hpp"

namespace quire::hdf5 {

/// Whether the root of an HDF5 file has a link named like a step, `prefix#number`, or meshes, or only attachments, or
/// nothing at all. Also true for damaged files: their errors are reported as those of a file of steps.
[[nodiscard]] bool holds_steps_or_nothing(const std::shared_ptr<ByteSource>& bytes);

}  // namespace quire::hdf5
