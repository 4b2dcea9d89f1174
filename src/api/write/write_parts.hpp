#pragma once

#include <cstddef>
#include <span>

#include "api/write/writer_state.hpp"

namespace quire {

// A step in pieces: its declared fields come part by part.

/// Independent. Throws usage errors for a declared field of which elements have not been weighed.
void require_weighed_parts(const WriteStep::State& step, std::size_t field);

/// Independent. Throws usage errors for declared fields of which elements are missing: their bytes would be whatever is
/// there.
void require_all_parts(const WriteStep::State& step);

}  // namespace quire
