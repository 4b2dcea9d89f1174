#pragma once

#include <cstddef>
#include <span>

namespace quire::test {

/// Describes bytes as a file of steps (also as a truncated one) and as plain HDF5, and reads the objects that only the
/// library can read. Errors about the file are accepted; throws for results that no file may lead to, and for objects
/// that are left open in the library.
void examine(std::span<const std::byte> bytes);

}  // namespace quire::test
