#pragma once

#include <string>

#include "format/h5/simulation.hpp"
#include "support/json.hpp"

namespace quire::test {

/// What of a truth is compared.
struct Scope {
  bool with_fields = true;
  bool with_bytes = true;  ///< attributes of 8-bit integers; else they have become 16-bit ones
};

/// Compares everything that the truth of a valid file says with what the describer and the file's bytes say.
void expect_truth(const Json& truth, ByteSource& file, Describer& describer, const Scope& scope);

}  // namespace quire::test
