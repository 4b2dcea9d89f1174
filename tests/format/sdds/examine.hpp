// What fuzzers do with bytes that may be a file.

#pragma once

#include <cstddef>
#include <span>

namespace quire::test {

/// Describes any bytes as a file, leniently and strictly, and looks at every step that is found and at the values of
/// text. Nothing but an error of the library may come out of it: everything else is thrown.
void examine(std::span<const std::byte> bytes);

}  // namespace quire::test
