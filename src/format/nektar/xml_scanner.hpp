#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "quire/plan/byte_source.hpp"
#include "quire/plan/plan.hpp"

namespace quire::nektar {

/// Bytes of a file by their place, a piece at a time.
class Window {
 public:
  /// `size` bytes from address `base` on.
  Window(ByteSource& bytes, std::uint64_t base, std::uint64_t size) : bytes_(bytes), base_(base), size_(size) {}

  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }
  /// The byte at `position`, which lies before the end.
  [[nodiscard]] char at(std::uint64_t position);
  /// Where `c` is found at or behind `position`; the size if nowhere.
  [[nodiscard]] std::uint64_t find(std::uint64_t position, char c);
  /// Where a text is found; the size if nowhere.
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

/// How deep elements may lie in each other below the root.
inline constexpr std::size_t deepest_elements = 256;

/// An element below the root: where its start tag stands and what is between the tags, relative to the file.
struct XmlElement {
  std::string name;
  Extent tag;
  Extent content;
  Extent whole;
};

/// Finds the elements below the root of an XML file without reading more of it at once than a piece: blocks may be
/// larger than memory. Joined files, one root behind the other, are one.
class XmlScanner {
 public:
  /// `size` bytes from address `base` on.
  XmlScanner(ByteSource& bytes, std::uint64_t base, std::uint64_t size) : window_(bytes, base, size) {}

  /// The next element below a root called NEKTAR; nothing behind the last. Throws bad_file errors with offsets.
  [[nodiscard]] std::optional<XmlElement> next();
  /// Its name, without a look at what is inside; empty behind the last.
  [[nodiscard]] std::string peek();
  [[nodiscard]] Window& window() noexcept { return window_; }

 private:
  /// Goes to the next element below a root; false behind the last.
  [[nodiscard]] bool advance();
  /// Behind white space and, within a root, text, comments and the like: where the next tag or the end is.
  [[nodiscard]] std::uint64_t next_tag(std::uint64_t position, bool may_have_text);
  /// Behind what begins with `<` at `position`, if it is a comment or the like.
  [[nodiscard]] std::optional<std::uint64_t> behind_aside(std::uint64_t position);
  /// One behind the `>` of the tag that begins at `position`.
  [[nodiscard]] std::uint64_t behind_tag(std::uint64_t position);
  [[nodiscard]] std::string name_at(std::uint64_t position);
  [[nodiscard]] XmlElement element_at(std::uint64_t position);
  [[noreturn]] void refuse(const std::string& what, std::uint64_t position) const;

  Window window_;
  std::uint64_t position_ = 0;
  bool inside_ = false;  ///< of a root
  bool seen_root_ = false;
};

}  // namespace quire::nektar
