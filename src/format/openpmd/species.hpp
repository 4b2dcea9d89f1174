#pragma once

#include <functional>
#include <map>
#include <string>

#include "format/openpmd/records.hpp"
#include "quire/spi/plan/record.hpp"

namespace quire::hdf5 {

/// Values that only the library can read.
struct OpaqueValues {
  std::string path;  ///< of their dataset
  Type type = Type::float64;
  bool is_joined = false;  ///< the components of a field are along its first axis
};
using OpaqueObjects = std::map<std::string, OpaqueValues, std::less<>>;

/// Adds a species to a step: a table with this name, and the attributes of its group, records and components as
/// attributes of the step that are named by their path. Offsets of positions that are zero are left out, because every
/// writer adds them. Particle patches are another table.
void describe_species(const RecordScope& scope, const std::string& name, StepLayout& step, OpaqueObjects& opaque);

}  // namespace quire::hdf5
