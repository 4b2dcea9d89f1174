#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "quire/format/options.hpp"
#include "quire/plan/chunk_cache.hpp"

namespace quire {

/// The option of readers whose formats have chunks: how much of them a rank keeps decoded between its requests.
[[nodiscard]] const Option& chunk_cache_option();

/// Independent. The bytes that the options ask for. Throws usage errors for less than none.
[[nodiscard]] std::uint64_t chunk_cache_bytes(const CheckedOptions& options);

/// Independent. The part of it that a format may take for what it reads itself, where the reader's own cache is used,
/// too: one half. The reader's gives that up before it asks the format to read (ChunkCache::leave_half).
[[nodiscard]] std::uint64_t chunk_cache_of_format(const CheckedOptions& options);

/// Independent. A cache of this size for one file; none if it is 0, or the option is not in the table of the format.
[[nodiscard]] std::shared_ptr<ChunkCache> make_chunk_cache(const std::vector<Option>& table, const Options& given);

}  // namespace quire
