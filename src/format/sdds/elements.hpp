#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "quire/base/endian.hpp"
#include "quire/model/value.hpp"

namespace quire::sdds {

/// Native elements from the bytes of a file, for titles: the records of tables and fields go through the codecs of the
/// library. Padding of float80 becomes zero. `bytes` holds whole elements of a fixed-size type.
[[nodiscard]] std::vector<std::byte> native_elements(Type type, ByteOrder order, std::span<const std::byte> bytes);

/// The inverse: the bytes of a number or character value for a file.
[[nodiscard]] std::vector<std::byte> file_elements(const Value& value, ByteOrder order);

}  // namespace quire::sdds
