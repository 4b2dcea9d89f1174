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
#include "quire/plan/record.hpp"

namespace quire::sdds {

/// Arrays of this group hold values of attributes that are arrays themselves, one for each step or one for the file:
/// the format knows only scalar parameters.
inline constexpr std::string_view attribute_group = "attribute";
inline constexpr std::string_view file_attribute_group = "file attribute";

/// The parameter that holds the number of a step.
inline constexpr std::string_view step_parameter = "Step";

/// Where a row count stands: of text its digits with the blanks in front of them; no bytes if there is none.
struct CountPlace {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
};

/// A page as described from the file.
struct Page {
  StepLayout layout;                       ///< numbered 0; the parameter Step is among the attributes
  std::optional<std::int64_t> step;        ///< the value of the parameter Step, if it is an integer
  std::vector<Attribute> file_attributes;  ///< arrays of the group for those
  bool cut = false;                        ///< rows are missing and the file allows that: nothing follows
  CountPlace count;                        ///< where text data say how many rows there are
};

/// Parses one page from the bytes it is given: the seam between binary and text data. Opens nothing.
class PageDescriber {
 public:
  virtual ~PageDescriber() = default;

  /// Goes on with these bytes. Answers what it must see next, or nothing when the page is complete.
  /// Throws bad_file errors with byte offsets, and memory errors.
  [[nodiscard]] virtual std::optional<Need> advance(const Window& window) = 0;
  /// The complete page, or nothing if the data end where it would begin.
  [[nodiscard]] virtual std::optional<Page> take() = 0;
  /// After advance() has thrown: the page with its complete rows, if anything can be saved.
  [[nodiscard]] virtual std::optional<Page> salvage() = 0;
  /// After advance() has thrown: whether this is a page whose writer has not completed it.
  [[nodiscard]] virtual bool is_unfinished() const noexcept = 0;
  /// Where there is no page: why the data end although the file goes on, or nothing.
  [[nodiscard]] virtual const std::string& ending() const noexcept = 0;
};

/// What the parsing of pages may rely on.
struct PageContext {
  const Header* header = nullptr;  ///< outlives the describer
  std::uint64_t file_size = 0;
  std::uint64_t memory_budget = 0;
  bool first = true;     ///< whether no page is in front of this one
  bool strict = false;   ///< tolerances are errors
  bool careful = false;  ///< every value of text data is looked at, not only the ends of lines
};

/// For a page of the header's mode that begins at `offset`.
[[nodiscard]] std::unique_ptr<PageDescriber> describe_page(const PageContext& context, std::uint64_t offset);

/// An integer that fits into 64 bits with a sign, or nothing.
[[nodiscard]] std::optional<std::int64_t> whole_number(const Value& value);

/// The error that a page has fewer complete rows than it announces, for the reason given.
[[nodiscard]] Error missing_rows(std::uint64_t announced, std::uint64_t complete, const Error& reason);

/// What a page that is being written says instead of a row count.
[[nodiscard]] Error unfinished_step();

/// The number of elements of an array. Throws bad_file errors that name the object and the place of its dimensions if
/// 64 bits do not hold it.
[[nodiscard]] std::uint64_t element_count(const std::vector<std::uint64_t>& extents, const std::string& object,
                                          std::uint64_t offset);

/// What a definition says to the model.
[[nodiscard]] Quantity quantity_of(const Definition& definition);

}  // namespace quire::sdds
