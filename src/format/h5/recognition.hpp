#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>

#include "quire/plan/byte_source.hpp"

namespace quire::h5 {

class OpenFile;

/// Whether the first bytes of a file have HDF5's signature at one of its possible offsets.
[[nodiscard]] bool has_signature(std::span<const std::byte> head);

/// The result of `what` on the structure of a file, which a writer may change at the same time; no value if it is
/// damaged.
[[nodiscard]] std::optional<bool> holds(const std::shared_ptr<ByteSource>& bytes,
                                        const std::function<bool(OpenFile&)>& what);

/// Whether the root of an HDF5 file has a link named like a step, `prefix#number`, or meshes, or only attachments, or
/// nothing at all. Also true for damaged files: their errors are reported as those of a file of steps.
[[nodiscard]] bool holds_steps_or_nothing(const std::shared_ptr<ByteSource>& bytes);

}  // namespace quire::h5
