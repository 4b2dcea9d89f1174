#pragma once

#include "quire/spi/plan/plan.hpp"
#include "quire/spi/transport/transport.hpp"

namespace quire {

/// Independent, rank 0. Executes the acts in order; syncs only if durability was requested.
void carry_out(const Publication& acts, Transport& transport, bool durable);

/// True if an act changes bytes below `published_size`, which belong to earlier steps.
[[nodiscard]] bool overwrites(const PublishAct& act, std::uint64_t published_size);

}  // namespace quire
