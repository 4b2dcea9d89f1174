#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "format/sdds/header.hpp"
#include "format/sdds/need.hpp"
#include "quire/base/error.hpp"
#include "quire/model/description.hpp"
#include "quire/spi/plan/record.hpp"

namespace quire::sdds {

/// Arrays of this group hold the values of attributes that are arrays, one for each step or one for the file: the
/// format has only scalar parameters.
inline constexpr std::string_view attribute_group = "attribute";
inline constexpr std::string_view file_attribute_group = "file attribute";

/// The parameter that holds the number of a step.
inline constexpr std::string_view step_parameter = "Step";

/// The place of a row count; in text data its digits with the blanks before them. No bytes if there is no row count.
struct CountPlace {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
};

/// A page as described from the file.
struct Page {
  StepLayout layout;                       ///< numbered 0; the parameter Step is among the attributes
  std::optional<std::int64_t> step;        ///< the value of the parameter Step, if it is an integer
  std::vector<Attribute> file_attributes;  ///< arrays of the group file_attribute_group
  bool cut = false;                        ///< rows are missing, which the file allows: nothing follows
  CountPlace count;                        ///< of text data
};

/// Parses one page from given bytes: the interface to binary and text data. Opens no files.
class PageDescriber {
 public:
  virtual ~PageDescriber() = default;

  /// Continues with these bytes. Returns the bytes that it needs next, or nothing when the page is complete.
  /// Throws bad_file errors with byte offsets, and memory errors.
  [[nodiscard]] virtual std::optional<Need> advance(const Window& window) = 0;
  /// The complete page, or nothing if the data end before it.
  [[nodiscard]] virtual std::optional<Page> take() = 0;
  /// After advance() has thrown: the page with its complete rows, if it can be recovered.
  [[nodiscard]] virtual std::optional<Page> salvage() = 0;
  /// After advance() has thrown: whether the writer has not completed this page.
  [[nodiscard]] virtual bool is_unfinished() const noexcept = 0;
  /// If there is no page: the reason why the data end before the file, or an empty text.
  [[nodiscard]] virtual const std::string& ending() const noexcept = 0;
};

/// The context of the parsing of pages.
struct PageContext {
  const Header* header = nullptr;  ///< outlives the describer
  std::uint64_t file_size = 0;
  std::uint64_t memory_budget = 0;
  bool first = true;     ///< this is the first page
  bool strict = false;   ///< tolerated defects are errors
  bool careful = false;  ///< every value of text data is checked, not only the ends of lines
};

/// The parser of a page of the header's mode that begins at `offset`.
[[nodiscard]] std::unique_ptr<PageDescriber> describe_page(const PageContext& context, std::uint64_t offset);

/// An integer that fits into 64 bits with a sign, or nothing.
[[nodiscard]] std::optional<std::int64_t> whole_number(const Value& value);

/// The error for a page with fewer complete rows than it declares, with its reason.
[[nodiscard]] Error missing_rows(std::uint64_t declared, std::uint64_t complete, const Error& reason);

/// The error for a page that its writer has not completed.
[[nodiscard]] Error unfinished_step();

/// The number of elements of an array. Throws a bad_file error with the object and the place of its dimensions if the
/// number does not fit into 64 bits.
[[nodiscard]] std::uint64_t element_count(const std::vector<std::uint64_t>& extents, const std::string& object,
                                          std::uint64_t offset);

/// A definition in terms of the model.
[[nodiscard]] Quantity quantity_of(const Definition& definition);

}  // namespace quire::sdds
