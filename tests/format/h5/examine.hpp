#pragma once

#include <cstddef>
#include <span>

namespace quire::test {

/// Describes bytes as a file of steps (also as one that is cut) and as plain HDF5, and reads what only the library can
/// read. Throws if something is found that no file may lead to; errors about the file are fine.
void examine(std::span<const std::byte> bytes);

}  // namespace quire::test
