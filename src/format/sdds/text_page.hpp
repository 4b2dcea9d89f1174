#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "format/sdds/page_parts.hpp"
#include "format/sdds/text_walk.hpp"
#include "format/text/tokens.hpp"

namespace quire::sdds {

/// Parses a page of text (specs/sdds.md section 3).
class TextPage final : public PageDescriber {
 public:
  TextPage(const PageContext& context, std::uint64_t offset);

  [[nodiscard]] std::optional<Need> advance(const Window& window) override;
  [[nodiscard]] std::optional<Page> take() override;
  [[nodiscard]] std::optional<Page> salvage() override;
  [[nodiscard]] bool is_unfinished() const noexcept override { return unfinished_; }
  [[nodiscard]] const std::string& ending() const noexcept override { return ending_; }

 private:
  enum class Stage : std::uint8_t {
    begin,
    header_lines,
    parameters,
    arrays,
    row_count,
    table,
    rest,
    complete,
    no_page
  };
  enum class Fetch : std::uint8_t { line, more, end };

  // Each continues its stage and returns false if it needs more bytes, which are in need_ then.
  [[nodiscard]] bool begin();
  [[nodiscard]] bool skip_blank_rest();
  [[nodiscard]] bool skip_empty_line();
  [[nodiscard]] bool take_header_lines();
  [[nodiscard]] bool take_parameters();
  [[nodiscard]] bool take_arrays();
  [[nodiscard]] bool take_row_count();
  [[nodiscard]] bool take_table();
  [[nodiscard]] bool take_rest();

  [[nodiscard]] bool take_array(const ArrayDefinition& array);
  [[nodiscard]] bool take_extents(const ArrayDefinition& array);
  [[nodiscard]] bool take_elements(const ArrayDefinition& array);
  [[nodiscard]] bool take_attribute(const ArrayDefinition& array, const Run& run);
  void take_parameter(const ParameterDefinition& parameter);
  void take_count(std::string_view line);
  [[nodiscard]] bool walk_table();
  [[nodiscard]] Run table_run() const;
  void end_table_early(Error reason);

  /// Reads the next line that is not a comment into line_; it begins at position_.
  [[nodiscard]] Fetch fetch();
  void use_line();
  /// Handles the end of the data before `what`: no page if nothing of it was read, else an error.
  [[nodiscard]] bool ends_before(const std::string& what);
  [[nodiscard]] bool end_at_blank_line(const std::string& expected);
  [[nodiscard]] bool may_begin_blank() const noexcept;
  [[nodiscard]] std::optional<bool> rest_is_blank();
  [[nodiscard]] bool is_unfinished_row(std::uint64_t offset) const;
  void warn(const std::string& what, std::uint64_t offset);
  [[nodiscard]] std::string_view bytes_from(std::uint64_t offset) const;

  const Header& header_;
  PageContext context_;
  PageBudget budget_;
  Stage stage_ = Stage::begin;
  std::uint64_t position_;
  Window window_;
  Need need_;
  text::Line line_;
  Page page_;
  bool touched_ = false;  ///< something of this page has been read
  std::uint64_t rows_ = 0;
  std::string count_line_;
  std::int64_t header_lines_ = 0;
  std::size_t item_ = 0;                ///< the current parameter or array
  std::vector<std::uint64_t> extents_;  ///< of the current array, once they are known
  std::uint64_t elements_ = 0;          ///< of the current array
  std::optional<TextWalk> walk_;
  bool salvageable_ = false;
  bool unfinished_ = false;
  std::string ending_;
};

}  // namespace quire::sdds
