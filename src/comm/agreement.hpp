#pragma once

#include <optional>
#include <string>

#include "quire/comm/comm.hpp"

namespace quire {

/// Collective. Checks that all ranks make the same call. Every rank throws the `refusal` of the lowest rank that has
/// one, or a conflict error that names a rank whose call differs from that of rank 0. `call` describes the call of this
/// rank in words. Costs one collective if there is no error, and none in a serial program.
void agree_on_call(Comm& comm, const std::string& call, const std::optional<Error>& refusal = {});

}  // namespace quire
