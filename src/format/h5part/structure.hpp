#pragma once

#include <string>

#include "format/hdf5/planning/layout.hpp"

namespace quire::hdf5 {

/// Adds a step's group of this name with its attributes and datasets to an open file. Datasets are contiguous or
/// chunked, allocated at the planned places, never filled, without time stamps. Unless the step `may_grow`, space that
/// only it needs is allocated as cold.
void write_step(const NewStep& step, const std::string& name, bool may_grow);

}  // namespace quire::hdf5
