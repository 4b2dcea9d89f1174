#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace quire::sdds {

/// The place of a page, and the number of its step if the steps are numbered.
struct PagePlace {
  std::uint64_t offset = 0;
  std::uint64_t end = 0;
  std::int64_t number = 0;
};

/// The places of the pages of a file in order. Pages of the same length at equal distances, with evenly rising numbers,
/// are one entry: compressed files can contain millions of small pages in a few bytes.
class PageIndex {
 public:
  void push_back(const PagePlace& page);
  /// Removes the pages from this index on.
  void truncate(std::uint64_t pages);
  [[nodiscard]] std::uint64_t size() const noexcept {
    return runs_.empty() ? 0 : runs_.back().first + runs_.back().count;
  }
  [[nodiscard]] bool empty() const noexcept { return runs_.empty(); }
  /// The page must exist.
  [[nodiscard]] PagePlace operator[](std::uint64_t index) const;
  [[nodiscard]] PagePlace back() const { return runs_.back().at(runs_.back().count - 1); }
  /// The size of the entries in memory, in bytes.
  [[nodiscard]] std::size_t bytes() const noexcept { return runs_.size() * sizeof(Run); }

 private:
  struct Run {
    std::uint64_t first = 0;  ///< index of its first page
    std::uint64_t count = 0;
    PagePlace page;              ///< the first one
    std::uint64_t distance = 0;  ///< from the offset of a page to that of the next one
    std::uint64_t rise = 0;      ///< from the number of a page to that of the next one, modulo 2^64

    [[nodiscard]] PagePlace at(std::uint64_t position) const noexcept;
  };

  std::vector<Run> runs_;
};

}  // namespace quire::sdds
