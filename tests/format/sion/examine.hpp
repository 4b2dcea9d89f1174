#pragma once

#include <cstddef>
#include <span>

namespace quire::test {

/// Describes any bytes as a multifile and checks the description: all extents are inside the file, or a quire::Error is
/// thrown. Throws std::logic_error for invalid descriptions.
void examine(std::span<const std::byte> bytes);

}  // namespace quire::test
