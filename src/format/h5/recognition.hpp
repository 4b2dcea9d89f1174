#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>

#include "quire/plan/byte_source.hpp"

namespace quire::h5 {

class OpenFile;

/// Whether the first bytes of a file have HDF5's signature at a place where it may stand.
[[nodiscard]] bool has_signature(std::span<const std::byte> head);

/// What `what` says of the structure of a file, which a writer may change meanwhile; nothing if it is damaged.
[[nodiscard]] std::optional<bool> holds(const std::shared_ptr<ByteSource>& bytes,
                                        const std::function<bool(OpenFile&)>& what);

/// Whether the root of an HDF5 file has a link that is called like a step, `prefix#number`, or meshes, or attachments
/// alone, or nothing at all. True also for damaged files: they are steps until the opposite is proven, and their errors
/// those of a file of steps.
[[nodiscard]] bool holds_steps_or_nothing(const std::shared_ptr<ByteSource>& bytes);

}  // namespace quire::h5
