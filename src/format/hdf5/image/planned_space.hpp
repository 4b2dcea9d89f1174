#pragma once

#include <cstdint>

namespace quire::hdf5 {

/// An extent of raw data, stored or planned for one dataset.
struct PlannedSpace {
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
};

}  // namespace quire::hdf5
