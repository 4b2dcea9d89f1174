#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "quire/model/value.hpp"
#include "quire/spi/base/endian.hpp"

namespace quire::sdds {

/// Converts bytes of a file to native elements, for titles only: the records of tables and fields are converted by
/// encoders and decoders. Padding of float80 is set to zero. `bytes` has whole elements of a fixed-size type.
[[nodiscard]] std::vector<std::byte> native_elements(Type type, ByteOrder order, std::span<const std::byte> bytes);

/// The inverse: the bytes of a number or character value for a file.
[[nodiscard]] std::vector<std::byte> file_elements(const Value& value, ByteOrder order);

}  // namespace quire::sdds
