#pragma once

#include <hdf5.h>

#include <string>
#include <vector>

#include "format/hdf5/library/chunks.hpp"
#include "quire/model/description.hpp"
#include "quire/spi/plan/record.hpp"

namespace quire::hdf5 {

/// Adds the fields of a step's group `Block` to its layout. Objects that are no field are named in the step's warnings.
void describe_fields(hid_t block, ChunkScope& scope, StepLayout& step);

}  // namespace quire::hdf5
