#pragma once

#include "quire/format/format.hpp"

namespace quire::test {

/// A format of tests: raw columns with JSON headers. It shows what a format of records of fixed size needs.
///
/// A file begins with a magic number and the end of the published bytes (64 bits, little-endian), which a step moves
/// when it is complete: readers ignore what follows. Then come a header of the file and the steps, each with a header
/// and its columns. A header is its length (64 bits) and JSON; all numbers are little-endian.
[[nodiscard]] const Format& raw_format();

}  // namespace quire::test
