#pragma once

#include <string>

#include "format/hdf5/simulation.hpp"
#include "support/json.hpp"

namespace quire::test {

/// The parts of a truth that are compared.
struct Scope {
  bool with_fields = true;
  bool with_bytes = true;  ///< attributes of 8-bit integers; false if they were written as 16 bits
};

/// Compares a truth of a valid file with the describer and the bytes of the file.
void expect_truth(const Json& truth, ByteSource& file, Describer& describer, const Scope& scope);

}  // namespace quire::test
