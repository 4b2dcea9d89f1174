#pragma once

#include <cstdint>

#include "quire/plan/byte_source.hpp"
#include "quire/plan/stream.hpp"

namespace quire::sion {

/// Walks over the records of a stream, head by head. Throws bad_file errors for a record that is not there whole.
void check_records(ByteSource& bytes, const StreamLayout& stream);

/// Cuts a stream whose end is not known behind the last record that can be one. Where nothing was written, all numbers
/// are 0.
void cut_behind_records(ByteSource& bytes, StreamLayout& stream);

}  // namespace quire::sion
