#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "format/sdds/page_parts.hpp"
#include "format/sdds/record_walk.hpp"
#include "quire/base/error.hpp"

namespace quire::sdds {

/// The row count of a page, and an extent of an array.
inline constexpr std::uint64_t count_bytes = sizeof(std::int32_t);

/// The row count of an unfinished step. Readers refuse it, and it is the same in both byte orders.
inline constexpr std::int32_t unfinished_count = -1;

/// The row count that means: the true count follows with 64 bits.
inline constexpr std::int32_t wide_count_marker = -2147483647 - 1;

/// Parses a binary page (specs/sdds.md section 4).
class BinaryPage final : public PageDescriber {
 public:
  BinaryPage(const PageContext& context, std::uint64_t offset);

  [[nodiscard]] std::optional<Need> advance(const Window& window) override;
  [[nodiscard]] std::optional<Page> take() override;
  [[nodiscard]] std::optional<Page> salvage() override;
  [[nodiscard]] bool is_unfinished() const noexcept override { return unfinished_; }
  [[nodiscard]] const std::string& ending() const noexcept override { return ending_; }

 private:
  enum class Stage : std::uint8_t { row_count, parameters, arrays, table, complete, no_page };

  // Each continues its stage and returns false if it needs more bytes, which are in need_ then.
  [[nodiscard]] bool take_row_count();
  [[nodiscard]] bool take_parameters();
  [[nodiscard]] bool take_arrays();
  [[nodiscard]] bool take_table();

  [[nodiscard]] bool take_array();
  [[nodiscard]] bool take_extents(const ArrayDefinition& array);
  [[nodiscard]] bool take_attribute_elements(const ArrayDefinition& array);
  [[nodiscard]] bool take_field_elements(const ArrayDefinition& array);
  [[nodiscard]] bool take_rows();
  [[nodiscard]] bool take_columns();
  [[nodiscard]] bool walk(const Run& run);
  void end_rows_early(Run found, const Error& reason);
  void finish_table();

  [[nodiscard]] const std::byte* peek(std::uint64_t length, const std::string& object);
  /// The string at position_, or nothing if its bytes are not available yet.
  [[nodiscard]] std::optional<std::string> peek_string(const std::string& object);
  [[nodiscard]] Run run_of(std::uint64_t records, std::vector<Cell> cells) const;

  const Header& header_;
  std::uint64_t file_size_;
  PageBudget budget_;
  ByteOrder order_;
  bool strict_;
  Stage stage_ = Stage::row_count;
  std::uint64_t position_;
  Window window_;
  Need need_;
  Page page_;
  std::uint64_t rows_ = 0;
  std::size_t item_ = 0;                ///< the current parameter, array or column
  std::vector<std::uint64_t> extents_;  ///< of the current array, once they are known
  std::uint64_t elements_ = 0;          ///< of the current array
  std::vector<std::string> strings_;    ///< of the current attribute
  std::optional<RecordWalk> walk_;
  bool salvageable_ = false;
  bool unfinished_ = false;
  std::string ending_;  ///< always empty: binary data end with the file
};

}  // namespace quire::sdds
