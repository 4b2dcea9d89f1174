#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "quire/spi/plan/byte_source.hpp"
#include "quire/spi/plan/plan.hpp"

namespace quire::nektar {

/// The bytes of a file by position, loaded a piece at a time.
class Window {
 public:
  /// `size` bytes starting at address `base`.
  Window(ByteSource& bytes, std::uint64_t base, std::uint64_t size) : bytes_(bytes), base_(base), size_(size) {}

  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }
  /// The byte at `position`, which must be before the end.
  [[nodiscard]] char at(std::uint64_t position);
  /// The first position of `c` at or after `position`; the size if there is none.
  [[nodiscard]] std::uint64_t find(std::uint64_t position, char c);
  /// The first position of a text; the size if there is none.
  [[nodiscard]] std::uint64_t find(std::uint64_t position, std::string_view text);
  [[nodiscard]] bool has(std::uint64_t position, std::string_view text);
  [[nodiscard]] std::string text(const Extent& part);

 private:
  void load(std::uint64_t position);

  ByteSource& bytes_;
  std::uint64_t base_;
  std::uint64_t size_;
  std::uint64_t first_ = 0;
  std::vector<char> loaded_;
};

/// The maximum nesting depth of elements below the root.
inline constexpr std::size_t deepest_elements = 256;

/// An element below the root: the extents of its start tag, of its content, and of all of it, relative to the file.
struct XmlElement {
  std::string name;
  Extent tag;
  Extent content;
  Extent whole;
};

/// Finds the elements below the root of an XML file while holding only a piece of it: blocks may be larger than memory.
/// Concatenated files, each with its root, are read as one.
class XmlScanner {
 public:
  /// `size` bytes starting at address `base`.
  XmlScanner(ByteSource& bytes, std::uint64_t base, std::uint64_t size) : window_(bytes, base, size) {}

  /// The next element below a root called NEKTAR; nothing after the last. Throws bad_file errors with offsets.
  [[nodiscard]] std::optional<XmlElement> next();
  /// The name of the next element, without scanning its content; empty after the last.
  [[nodiscard]] std::string peek();
  [[nodiscard]] Window& window() noexcept { return window_; }

 private:
  /// Moves to the next element below a root; false after the last.
  [[nodiscard]] bool advance();
  /// The position of the next tag or of the end, after white space, comments and the like, and text if `may_have_text`.
  [[nodiscard]] std::uint64_t next_tag(std::uint64_t position, bool may_have_text);
  /// The position after the comment or the like at `position`; nothing if there is none.
  [[nodiscard]] std::optional<std::uint64_t> end_of_aside(std::uint64_t position);
  /// The position after the `>` of the tag at `position`.
  [[nodiscard]] std::uint64_t end_of_tag(std::uint64_t position);
  [[nodiscard]] std::string name_at(std::uint64_t position);
  [[nodiscard]] XmlElement element_at(std::uint64_t position);
  [[noreturn]] void refuse(const std::string& what, std::uint64_t position) const;

  Window window_;
  std::uint64_t position_ = 0;
  bool inside_ = false;  ///< of a root
  bool seen_root_ = false;
};

}  // namespace quire::nektar
