#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "quire/spi/plan/byte_source.hpp"
#include "quire/spi/plan/plan.hpp"

namespace quire::nektar {

/// The characters of an element that contains only text, a piece at a time: without comments and processing
/// instructions, with the contents of CDATA sections, and with character references replaced.
class PayloadText {
 public:
  /// `text` is the extent of the characters. It may be longer than them: they end where the element ends.
  PayloadText(ByteSource& bytes, const Extent& text) : bytes_(bytes), text_(text), next_(text.offset) {}

  /// Further characters that are contiguous in the file, valid until the next call; empty at the end. Throws bad_file
  /// errors for an element inside, and for truncated text.
  [[nodiscard]] std::string_view next();
  /// The offset of the last piece.
  [[nodiscard]] std::uint64_t piece_at() const noexcept { return piece_at_; }

 private:
  /// At least `least` characters from here on, unless the text ends earlier.
  [[nodiscard]] std::string_view look(std::size_t least);
  /// The next `count` loaded characters, as a piece.
  [[nodiscard]] std::string_view take(std::size_t count);
  [[nodiscard]] std::uint64_t place() const noexcept { return next_ - (loaded_.size() - used_); }
  /// Skips the markup that starts here with `<`; false at the end of the element.
  [[nodiscard]] bool pass_mark();
  void skip_past(std::string_view mark);
  [[nodiscard]] std::string_view take_reference();
  [[noreturn]] void refuse(const std::string& what) const;

  ByteSource& bytes_;
  Extent text_;
  std::uint64_t next_ = 0;  ///< the offset in the file of the next load
  std::uint64_t piece_at_ = 0;
  std::vector<char> loaded_;
  std::size_t used_ = 0;
  bool is_section_ = false;  ///< inside a CDATA section
  char referred_ = 0;
};

}  // namespace quire::nektar
