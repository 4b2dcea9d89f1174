#pragma once

#include <cstddef>
#include <span>

#include "api/write/step_state.hpp"

namespace quire {

// A step in parts: its declared fields are written part by part.

/// Independent. Throws usage errors for a declared field with elements that were not weighed.
void require_weighed_parts(const WriteStep::State& step, std::size_t field);

/// Independent. Throws usage errors for declared fields with missing elements: their bytes would be undefined.
void require_all_parts(const WriteStep::State& step);

}  // namespace quire
