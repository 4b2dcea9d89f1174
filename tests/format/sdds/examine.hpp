// The checks of fuzzers for arbitrary bytes.

#pragma once

#include <cstddef>
#include <span>

namespace quire::test {

/// Describes any bytes as a file, leniently and strictly, and reads every step and all values of text. Errors of the
/// library are accepted; everything else is thrown.
void examine(std::span<const std::byte> bytes);

}  // namespace quire::test
