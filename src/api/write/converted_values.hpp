#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "quire/model/description.hpp"
#include "quire/model/value.hpp"

namespace quire {

/// Values of a view with the type of `column`, contiguous: in place, or converted into `scratch`; texts have
/// Column::text_bytes each. They are the values from `first` on of `total`. Throws type errors (unless `lossy`) that
/// name the row.
[[nodiscard]] std::span<const std::byte> converted_values(const ConstView& values, const Column& column,
                                                          std::uint64_t first, std::uint64_t total, bool lossy,
                                                          std::vector<std::byte>& scratch);

}  // namespace quire
