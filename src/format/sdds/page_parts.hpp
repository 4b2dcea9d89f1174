#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "format/sdds/page.hpp"

namespace quire::sdds {

// What pages of binary and of text data have in common: how what is found becomes a page of the model.

/// Whether the array holds the value of an attribute, and not a field.
[[nodiscard]] bool is_attribute(const ArrayDefinition& array) noexcept;

void add_parameter(Page& page, const ParameterDefinition& parameter, Value value);
/// The value of an attribute, of the step or of the file.
void add_attribute(Page& page, const ArrayDefinition& array, Value value);
void add_field(Page& page, const ArrayDefinition& array, std::vector<std::uint64_t> extents, Run elements);
/// The table with its columns; its rows and where they are become known later.
void add_table(Page& page, const Header& header);

/// The memory that what is kept of a page may still take.
class PageBudget {
 public:
  explicit PageBudget(std::uint64_t bytes) noexcept : left_(bytes) {}

  [[nodiscard]] std::uint64_t left() const noexcept { return left_; }
  /// Throws a memory error that names the object and the place if it would not be enough; takes nothing.
  void require(std::uint64_t bytes, const std::string& object, std::uint64_t offset) const;
  void spend(std::uint64_t bytes, const std::string& object, std::uint64_t offset);

 private:
  std::uint64_t left_;
};

/// Throws a bad_file error unless `count` values of at least `bytes_each` can stand in the `left` bytes at `offset`.
void require_room(std::uint64_t count, std::uint64_t bytes_each, std::uint64_t left, const std::string& object,
                  std::uint64_t offset);

}  // namespace quire::sdds
