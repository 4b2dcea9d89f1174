#pragma once

#include "driver/method.hpp"
#include "driver/workload.hpp"
#include "quire/api/writer.hpp"
#include "quire/format/format.hpp"

namespace quire::bench {

/// Independent. How a method of the engine "library" writes. Throws usage errors for unknown keys.
[[nodiscard]] WriteOptions library_options(const MethodSpec& spec);

/// Independent. The options of a method that the reader of its format has, too: who moves the bytes, and how.
[[nodiscard]] Options options_of_reader(const Format& format, const Options& options);

/// Independent. Whether what is written are streams, and nothing but streams.
[[nodiscard]] bool holds_streams(const WriteOptions& options);

/// Independent. Puts this rank's rows of all columns, or as many bytes in a stream.
void put_all(WriteStep& step, const Comm& comm, const WriteOptions& options, const Block& source);

}  // namespace quire::bench
