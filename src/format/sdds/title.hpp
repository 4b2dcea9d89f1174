#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "format/sdds/header.hpp"
#include "quire/model/description.hpp"
#include "quire/model/value.hpp"

namespace quire::sdds {

/// A value in a page before the fields.
struct TitleValue {
  std::string name;
  Value value;
  bool is_array = false;
};

/// Parameters, then arrays that hold attributes, in the order of the header. `step` is as agreed with the header.
/// Throws a conflict error for a parameter that the step does not have.
[[nodiscard]] std::vector<TitleValue> title_values(const Header& header, const FileDescription& file,
                                                   const StepDescription& step);

/// The bytes of a binary page between the row count and the arrays of fields. Throws as title_values().
[[nodiscard]] std::vector<std::byte> title_bytes(const Header& header, const FileDescription& file,
                                                 const StepDescription& step);

/// The dimensions before the elements of an array. Every extent fits into 31 bits.
[[nodiscard]] std::vector<std::byte> dimension_bytes(const std::vector<std::uint64_t>& extents, ByteOrder order);

/// The size of strings in bytes, with their lengths.
[[nodiscard]] std::uint64_t bytes_of_strings(const ConstView& strings);

}  // namespace quire::sdds
