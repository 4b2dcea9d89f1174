#pragma once

#include <cstdint>
#include <optional>

#include "driver/carrier.hpp"
#include "quire/api/writer.hpp"

namespace quire::bench {

/// Independent. The bytes of all files that writing a case makes, planned for all ranks on this one. Nothing where that
/// depends on values (text, compression) or the plan is made by the ranks together (expansions).
[[nodiscard]] std::optional<std::uint64_t> predicted_size(const Case& data, int ranks, Carrier carrier,
                                                          const WriteOptions& options);

}  // namespace quire::bench
