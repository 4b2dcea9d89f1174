#pragma once

#include <vector>

#include "driver/method.hpp"
#include "driver/workload.hpp"
#include "quire/api/elements.hpp"
#include "quire/api/writer.hpp"
#include "quire/format/format.hpp"

namespace quire::bench {

/// Independent. How a method of the engine "library" writes. Throws usage errors for unknown keys.
[[nodiscard]] WriteOptions library_options(const MethodSpec& spec);

/// Independent. Of the options that a method has been given, those that a reader or a writer has: both get what they
/// know, such as who moves the bytes, and how.
[[nodiscard]] Options known_options(const std::vector<Option>& known, const Options& given);

/// Independent. Whether what is written are streams, and nothing but streams.
[[nodiscard]] bool holds_streams(const WriteOptions& options);

/// Independent. Puts this rank's rows of all columns, as many bytes in a stream, or, in files of elements, the rows as
/// their coefficients.
void put_all(WriteStep& step, const Comm& comm, const WriteOptions& options, const Block& source,
             const ElementLayout& layout = {});

}  // namespace quire::bench
