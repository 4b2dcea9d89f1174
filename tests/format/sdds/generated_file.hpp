// Mostly valid files from the bytes of a fuzzer, which then varies headers and pages instead of characters.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "quire/model/type.hpp"

namespace quire::test {

/// A file and its expected content.
struct GeneratedFile {
  std::string bytes;
  std::vector<std::uint64_t> rows;  ///< of each page
  bool is_text = false;
  bool is_valid = true;  ///< false: the file has a deliberate fault
  std::string damaged;   ///< the same file with some bytes changed, removed or repeated
};

[[nodiscard]] GeneratedFile generate_file(std::span<const std::uint8_t> choices);

}  // namespace quire::test
