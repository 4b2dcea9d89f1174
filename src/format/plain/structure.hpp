#pragma once

#include <hdf5.h>

#include <vector>

#include "format/hdf5/planning/layout.hpp"
#include "format/plain/acceptance.hpp"

namespace quire::hdf5 {

/// Creates the attributes and datasets of a step in an open file, in the order of the description: first tables, then
/// fields.
void write_step(const NewStep& step, const PlainRules& rules);

}  // namespace quire::hdf5
