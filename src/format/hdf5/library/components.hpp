#pragma once

#include <cstdint>

#include "quire/spi/plan/record.hpp"

namespace quire::hdf5 {

/// Splits the run of a dataset whose first axis is that of components into one run for each. If chunks hold several
/// components, only the library reads them (read_component).
void split_components(Place& place, std::uint64_t components);

}  // namespace quire::hdf5
