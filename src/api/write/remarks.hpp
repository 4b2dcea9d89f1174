#pragma once

#include <cstdint>

#include "api/write/writer_state.hpp"

namespace quire {

/// Rank 0: remarks on texts and attributes of the file that its format stores differently.
void remark_on_file(Writer::State& writer);

/// Rank 0: the same for attributes of a step, those of each name and kind once.
void remark_on_attributes(Writer::State& writer, const StepDescription& step);

/// Rank 0, after a step was published: the same for its number.
void remark_on_number(Writer::State& writer, std::int64_t number);

}  // namespace quire
