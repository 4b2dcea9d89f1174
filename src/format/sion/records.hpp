#pragma once

#include <cstdint>

#include "quire/spi/plan/byte_source.hpp"
#include "quire/spi/plan/stream.hpp"

namespace quire::sion {

/// Checks the records of a stream by their heads. Throws a bad_file error for an incomplete record.
void check_records(ByteSource& bytes, const StreamLayout& stream);

/// Cuts a stream whose end is not known after its last plausible record. Where nothing was written, all numbers are 0.
void cut_after_records(ByteSource& bytes, StreamLayout& stream);

}  // namespace quire::sion
