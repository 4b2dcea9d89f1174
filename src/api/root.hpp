#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "quire/comm/comm.hpp"

namespace quire {

/// Runs an action and keeps what it throws as an error with this rank in it, so that the rank can still take part in
/// the agreement that follows. Foreign exceptions become internal errors.
[[nodiscard]] std::optional<Error> caught(int rank, const std::function<void()>& action);

/// Collective. Rank 0 alone runs `action`; every rank returns its bytes or throws its error.
[[nodiscard]] std::vector<std::byte> from_root(Comm& comm, const std::function<std::vector<std::byte>()>& action);

}  // namespace quire
