#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "api/write/step_state.hpp"

namespace quire {

// Texts of a column that are stored with one size (PlannerCapabilities::longest_padded_text): that of the longest one
// on any rank.

/// The bytes of the longest text of each column of each table (StepPart::longest_strings).
using LongestTexts = std::vector<std::vector<std::uint64_t>>;

/// Sets the sizes of texts of an accepted step, if its planner pads them. Throws unsupported
/// errors for texts that are too long, conflict errors for those that do not fit an existing column.
void pad_texts(const PlannerCapabilities& planner, StepDescription& step, const LongestTexts& longest);

/// Independent. Adds to a proposal the length of this rank's longest text of each column of strings of an accepted
/// step.
void propose_texts(const WriteStep::State& step, Proposal& mine);

/// Collective with fail_together() only. pad_texts() with the maxima over all ranks of what propose_texts() has added.
/// Every rank throws its errors.
void agree_on_texts(WriteStep::State& step, std::span<const std::uint64_t> greatest);

}  // namespace quire
