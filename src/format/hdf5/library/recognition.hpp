#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>

#include "quire/spi/plan/byte_source.hpp"

namespace quire::hdf5 {

class OpenFile;

/// Whether the first bytes of a file have HDF5's signature at one of its possible offsets.
[[nodiscard]] bool has_signature(std::span<const std::byte> head);

/// The result of `what` on the structure of a file, which a writer may change at the same time; no value if it is
/// damaged.
[[nodiscard]] std::optional<bool> holds(const std::shared_ptr<ByteSource>& bytes,
                                        const std::function<bool(OpenFile&)>& what);

}  // namespace quire::hdf5
