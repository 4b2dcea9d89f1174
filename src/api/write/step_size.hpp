#pragma once

#include <cstdint>

#include "quire/model/description.hpp"

namespace quire {

/// Pure. Throws usage errors for a table with this number of rows, or a field, that exceeds any file: an offset in a
/// file has 63 bits, and a format needs some of the space itself.
void require_size(const Table& table, std::uint64_t rows);
void require_size(const Field& field);

}  // namespace quire
