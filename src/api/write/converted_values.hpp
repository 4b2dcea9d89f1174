#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "quire/model/value.hpp"

namespace quire {

/// Values of a view as `type`, contiguous: in place, or converted into `scratch`. They are the values from `first` on
/// of `total`, of the object that messages call `name`. Throws type errors (unless `lossy`) that name the row.
[[nodiscard]] std::span<const std::byte> converted_values(const ConstView& values, Type type, const std::string& name,
                                                          std::uint64_t first, std::uint64_t total, bool lossy,
                                                          std::vector<std::byte>& scratch);

}  // namespace quire
