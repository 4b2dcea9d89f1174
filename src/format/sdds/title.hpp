#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "format/sdds/header.hpp"
#include "quire/model/description.hpp"
#include "quire/model/view.hpp"

namespace quire::sdds {

/// What stands in a page between the row count and the arrays of fields: parameters, then arrays that hold attributes.
/// `step` is as agreed with the header. Throws conflict errors for parameters that the step does not give.
[[nodiscard]] std::vector<std::byte> title_bytes(const Header& header, const FileDescription& file,
                                                 const StepDescription& step);

/// The dimensions in front of the elements of an array. Every extent fits into 31 bits.
[[nodiscard]] std::vector<std::byte> dimension_bytes(const std::vector<std::uint64_t>& extents, ByteOrder order);

/// How many bytes strings take: their lengths and themselves.
[[nodiscard]] std::uint64_t bytes_of_strings(const ConstView& strings);

}  // namespace quire::sdds
