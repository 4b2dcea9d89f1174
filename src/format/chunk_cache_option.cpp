#include "format/chunk_cache_option.hpp"

#include <algorithm>
#include <string>

#include "quire/base/error.hpp"

namespace quire {

const Option& chunk_cache_option() {
  static const Option option{"chunk_cache",
                             OptionKind::integer,
                             "2097152",
                             {},
                             "bytes of decoded chunks that each rank keeps for its next reads; 0: none"};
  return option;
}

std::uint64_t chunk_cache_bytes(const CheckedOptions& options) {
  const std::string_view name = chunk_cache_option().name;
  const long long bytes = options.integer(name);
  if (bytes < 0) {
    throw Error(ErrorKind::usage, "the size of the cache is negative").on(std::string(name)).advise("give 0 for none");
  }
  return static_cast<std::uint64_t>(bytes);
}

std::uint64_t chunk_cache_of_format(const CheckedOptions& options) { return chunk_cache_bytes(options) / 2; }

std::shared_ptr<ChunkCache> make_chunk_cache(const std::vector<Option>& table, const Options& given) {
  if (std::ranges::find(table, chunk_cache_option().name, &Option::name) == table.end()) return nullptr;
  const std::uint64_t bytes = chunk_cache_bytes(CheckedOptions(table, given));
  return bytes == 0 ? nullptr : std::make_shared<ChunkCache>(bytes);
}

}  // namespace quire
