#pragma once

#include <cstdint>
#include <span>

namespace quire::test {

// What is done to a file of any format whose bytes a fuzzer has made. The input is Choices, then the file. Nothing but
// errors of the library may come of it; each of these throws std::logic_error for what must never be.

/// Appends a step: every step that is kept stays as it was, and the new one is there.
void append_to_fuzzed(std::span<const std::uint8_t> input);

/// Repairs the file in place, or drops steps: what was whole, and is not dropped, stays.
void repair_fuzzed(std::span<const std::uint8_t> input);

/// Converts the file into one of any format, by any options, and reads that.
void convert_fuzzed(std::span<const std::uint8_t> input);

}  // namespace quire::test
