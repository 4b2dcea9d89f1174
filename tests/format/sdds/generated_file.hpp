// Files that are mostly valid, made from the bytes of a fuzzer: it searches among headers and pages, not among letters.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "quire/model/type.hpp"

namespace quire::test {

/// A file, and what a reader must find in it.
struct GeneratedFile {
  std::string bytes;
  std::vector<std::uint64_t> rows;  ///< of each page
  bool is_text = false;
  bool is_valid = true;  ///< false: something was made wrong on purpose
  std::string damaged;   ///< the same file with some bytes changed, taken away or repeated
};

[[nodiscard]] GeneratedFile generate_file(std::span<const std::uint8_t> choices);

}  // namespace quire::test
