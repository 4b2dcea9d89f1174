#pragma once

#include "driver/method.hpp"
#include "driver/workload.hpp"
#include "quire/api/writer.hpp"

namespace quire::bench {

/// Independent. How a method of the engine "library" writes. Throws usage errors for unknown keys.
[[nodiscard]] WriteOptions library_options(const MethodSpec& spec);

/// Independent. Puts this rank's rows of all columns.
void put_all(WriteStep& step, const Block& source);

}  // namespace quire::bench
