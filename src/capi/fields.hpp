#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "capi/handle.hpp"

namespace quire::capi {

/// The box of this rank that was set. Throws usage errors without one, and for a hyperslab.
[[nodiscard]] const Box& chosen_box(const quire_file& file);
/// Views of the components of a part of a field: the box, contiguous or with the chosen stride.
[[nodiscard]] std::vector<ConstView> part_views(const quire_file& file, quire_type type, std::uint64_t components,
                                                const void* const* values);
/// The field that is put or declared, with all that is known of it, in the chosen extents.
[[nodiscard]] Field field_to_write(quire_file& file, const char* name, const char* unit);

}  // namespace quire::capi
