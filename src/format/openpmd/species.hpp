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

/// The names of a species: in the file, and as a table. They differ if the writer named a table without a name.
struct SpeciesNames {
  std::string species;
  std::string table;
};

/// Adds a species to a step: a table, and the attributes of its group, records and components as
/// attributes of the step that are named by their path, which begins with the species. Offsets of positions that are
/// zero are left out, because every writer adds them. Particle patches are another table.
void describe_species(const RecordScope& scope, const SpeciesNames& names, StepLayout& step, OpaqueObjects& opaque);

}  // namespace quire::hdf5
