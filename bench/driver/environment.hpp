#pragma once

#include <string>

#include "driver/plan.hpp"
#include "quire/comm/comm.hpp"

namespace quire::bench {

/// Collective. What numbers depend on and no plan says: hosts, versions, the file system below a folder.
[[nodiscard]] Json describe_environment(Comm& comm, const std::string& folder);

/// Independent. Bytes that may still be written below a folder.
[[nodiscard]] std::uint64_t free_bytes(const std::string& folder);

/// Independent. The present time as ISO 8601 in UTC.
[[nodiscard]] std::string utc_now();

}  // namespace quire::bench
