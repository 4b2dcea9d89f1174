#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "plan/chunk_cache.hpp"
#include "quire/format/options.hpp"

namespace quire {

/// The reader option of chunked formats: the bytes of decoded chunks that a rank keeps between requests.
[[nodiscard]] const Option& chunk_cache_option();

/// Independent. The size of the cache in bytes. Throws a usage error if it is negative.
[[nodiscard]] std::uint64_t chunk_cache_bytes(const CheckedOptions& options);

/// Independent. The share of a format that reads itself while the reader's own cache is in use: one half. The reader
/// frees this half before the format reads (ChunkCache::leave_half).
[[nodiscard]] std::uint64_t chunk_cache_of_format(const CheckedOptions& options);

/// Independent. A cache of this size for one file. Null if the size is 0 or the format does not have the option.
[[nodiscard]] std::shared_ptr<ChunkCache> make_chunk_cache(const std::vector<Option>& table, const Options& given);

}  // namespace quire
