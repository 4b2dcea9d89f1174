#pragma once

#include <cstdint>

#include "quire/model/description.hpp"

namespace quire {

/// Pure. Throws usage errors for a table of so many rows, or a field, that no file holds: an offset in a file has 63
/// bits, and a format needs some of the room for itself.
void require_size(const Table& table, std::uint64_t rows);
void require_size(const Field& field);

}  // namespace quire
