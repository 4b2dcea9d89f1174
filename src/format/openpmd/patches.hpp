#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "quire/model/description.hpp"
#include "quire/spi/format/planner_capabilities.hpp"

namespace quire::hdf5 {

/// The group of a species with its particle patches.
inline constexpr std::string_view particle_patches = "particlePatches";

/// The zones of a species whose table of patches is another table of the step (openPMD 1.1.0, "Sub-group for particle
/// patches"); no value without such a table, or if its offsets cannot be compared with positions: these have an offset
/// or another unit.
[[nodiscard]] std::optional<Zones> zones_of_patches(const Table& species, const Table& patches);

/// The patches that a writer adds to a table of a step before it is accepted, where `species` is the name of a table
/// without one; no value if it has no positions, or its patches are put.
[[nodiscard]] std::optional<ZoneTable> patches_of(const StepDescription& step, std::size_t table,
                                                  const std::string& species);

}  // namespace quire::hdf5
