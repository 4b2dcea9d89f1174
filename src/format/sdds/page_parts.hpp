#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "format/sdds/page.hpp"

namespace quire::sdds {

// Common functions of pages of binary and text data: they add parsed objects to a page of the model.

/// Whether the array holds the value of an attribute, and not a field.
[[nodiscard]] bool is_attribute(const ArrayDefinition& array) noexcept;

void add_parameter(Page& page, const ParameterDefinition& parameter, Value value);
/// The value of an attribute, of the step or of the file.
void add_attribute(Page& page, const ArrayDefinition& array, Value value);
void add_field(Page& page, const ArrayDefinition& array, std::vector<std::uint64_t> extents, Run elements);
/// Adds the table with its columns; its rows and their places are set later.
void add_table(Page& page, const Header& header);

/// The remaining memory budget for the contents of a page.
class PageBudget {
 public:
  explicit PageBudget(std::uint64_t bytes) noexcept : left_(bytes) {}

  [[nodiscard]] std::uint64_t left() const noexcept { return left_; }
  /// Throws a memory error with the object and the place if the budget is too small; spends nothing.
  void require(std::uint64_t bytes, const std::string& object, std::uint64_t offset) const;
  void spend(std::uint64_t bytes, const std::string& object, std::uint64_t offset);

 private:
  std::uint64_t left_;
};

/// Throws a bad_file error unless `count` values of at least `bytes_each` fit into the `left` bytes at `offset`.
void require_room(std::uint64_t count, std::uint64_t bytes_each, std::uint64_t left, const std::string& object,
                  std::uint64_t offset);

}  // namespace quire::sdds
