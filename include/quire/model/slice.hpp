#pragma once

#include <cstdint>
#include <vector>

namespace quire {

/// Rows [first, first + count) of a table.
struct Slice {
  std::uint64_t first = 0;
  std::uint64_t count = 0;

  [[nodiscard]] std::uint64_t end() const noexcept { return first + count; }
  [[nodiscard]] bool operator==(const Slice&) const = default;
  template <class Archive>
  void archive(Archive& a) {
    a(first, count);
  }
};

/// A box of an n-dimensional array: along each axis (slowest first) the elements [start, start + count).
struct Box {
  std::vector<std::uint64_t> start;
  std::vector<std::uint64_t> count;

  [[nodiscard]] bool operator==(const Box&) const = default;
};

/// The box of all elements of an array with these extents.
[[nodiscard]] Box whole(const std::vector<std::uint64_t>& extents);

/// The number of elements of a box or of an array with these extents; overflow is an error.
[[nodiscard]] std::uint64_t volume(const std::vector<std::uint64_t>& extents);

}  // namespace quire
