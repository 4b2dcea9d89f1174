#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string_view>

#include "quire/model/value.hpp"

namespace quire {

/// The text in a cell of `width` bytes: up to the first zero byte.
[[nodiscard]] std::string_view text_in_cell(const std::byte* cell, std::size_t width);

/// Stores the text of a cell, followed by zero bytes. Returns false if the text does not fit or has a zero byte.
[[nodiscard]] bool put_text(std::string_view text, std::byte* cell, std::size_t width);

/// Appends texts of cells to the caller's strings in the order of their rows, whatever the order in which they are
/// read.
class PaddedTexts {
 public:
  explicit PaddedTexts(PackedStrings& texts) : texts_(texts) {}

  /// The texts of rows [first, first + rows) in consecutive cells.
  void take(std::uint64_t first, std::size_t rows, const std::byte* cells, std::size_t width);

 private:
  PackedStrings& texts_;
  std::uint64_t next_ = 0;                          ///< row
  std::map<std::uint64_t, PackedStrings> waiting_;  ///< for earlier rows; by their first row
};

}  // namespace quire
