#pragma once

#include <cstdint>
#include <span>

namespace quire::test {

// Operations on a file of any format whose bytes are from a fuzzer. The input is Choices, then the file. Only errors of
// the library may result; each function throws std::logic_error if an invariant is violated.

/// Appends a step: every kept step is unchanged, and the new one is in the file.
void append_to_fuzzed(std::span<const std::uint8_t> input);

/// Repairs the file in place, or drops steps: steps that were whole and are not dropped stay.
void repair_fuzzed(std::span<const std::uint8_t> input);

/// Converts the file to any format with any options, and reads the result.
void convert_fuzzed(std::span<const std::uint8_t> input);

}  // namespace quire::test
