#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace quire::test {

/// A file with default choices: see Choices.
struct FuzzedInput {
  std::string name;
  std::string format;  ///< of the file
  std::vector<std::uint8_t> bytes;
};

/// Small files of every format: all that are kept in tests/data, and one of every kind that a format writes.
[[nodiscard]] std::vector<FuzzedInput> fuzzed_inputs();

}  // namespace quire::test
