#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "quire/spi/plan/plan.hpp"

namespace quire::probe {

/// How much the patterns write.
struct Sizes {
  std::uint64_t large = 8 << 20;  ///< bytes of a large piece
  std::uint64_t big = 0;          ///< bytes of one very large request, a multiple of 4 MiB; 0: leave it out
  std::uint64_t pieces = 100;     ///< of a rank where there are many
};

/// One way in which ranks share a file: which bytes each of them writes, and what must be left alone.
struct Pattern {
  std::string_view name;
  /// The file exists before, full of other bytes, which must not change where no rank writes.
  bool has_background = false;
  /// Mostly a hole: only the pieces themselves are checked.
  bool is_sparse = false;
  /// The pieces of a rank, disjoint from each other and from those of all other ranks, by rising offset.
  std::function<std::vector<Extent>(int rank, int ranks, const Sizes&)> pieces;
};

/// All patterns, the cheapest first.
[[nodiscard]] const std::vector<Pattern>& all_patterns();

/// The bytes that belong at `offset`: any reader can compute them.
void fill_content(std::uint64_t offset, std::span<std::byte> out);

/// The other bytes, which stand in a file before.
void fill_background(std::uint64_t offset, std::span<std::byte> out);

/// Where bytes are not what they should be.
struct Damage {
  std::uint64_t wrong = 0;         ///< bytes
  std::uint64_t first_offset = 0;  ///< in the file, of the first wrong one
  unsigned expected = 0;
  unsigned found = 0;

  /// Compares the bytes at `offset`.
  void compare(std::uint64_t offset, std::span<const std::byte> should, std::span<const std::byte> is);
};

}  // namespace quire::probe
