#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "quire/plan/byte_source.hpp"
#include "quire/plan/plan.hpp"

namespace quire::nektar {

/// The characters between the tags of an element that holds text alone, a piece at a time: without comments and
/// processing instructions, with what sections of CDATA hold, and with what references to characters stand for.
class PayloadText {
 public:
  /// `text` is where they stand; it may be longer than they are: they end where the element does.
  PayloadText(ByteSource& bytes, const Extent& text) : bytes_(bytes), text_(text), next_(text.offset) {}

  /// Further characters that stand together in the file, until the next call; nothing at the end. Throws bad_file
  /// errors for an element within, and for text that is cut.
  [[nodiscard]] std::string_view next();
  /// Where the piece that came last begins.
  [[nodiscard]] std::uint64_t piece_at() const noexcept { return piece_at_; }

 private:
  /// At least so many characters from here on, unless the text ends before.
  [[nodiscard]] std::string_view look(std::size_t least);
  /// So many characters that are loaded, as the next piece.
  [[nodiscard]] std::string_view take(std::size_t count);
  [[nodiscard]] std::uint64_t place() const noexcept { return next_ - (loaded_.size() - used_); }
  /// Goes on behind what begins here with `<`; false where the element ends.
  [[nodiscard]] bool pass_mark();
  void skip_behind(std::string_view mark);
  [[nodiscard]] std::string_view take_reference();
  [[noreturn]] void refuse(const std::string& what) const;

  ByteSource& bytes_;
  Extent text_;
  std::uint64_t next_ = 0;  ///< of the file, to be loaded
  std::uint64_t piece_at_ = 0;
  std::vector<char> loaded_;
  std::size_t used_ = 0;
  bool is_section_ = false;  ///< of CDATA
  char referred_ = 0;
};

}  // namespace quire::nektar
