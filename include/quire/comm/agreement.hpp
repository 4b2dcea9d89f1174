#pragma once

#include <optional>
#include <string>

#include "quire/comm/comm.hpp"

namespace quire {

/// Collective. The beginning of a call that all ranks make with the same arguments: every rank throws the `refusal` of
/// the lowest rank that cannot make it, or a conflict error that names a rank whose call is not that of rank 0. `call`
/// is what this rank asks for, in words. One collective where all is well, none for a process alone.
void agree_on_call(Comm& comm, const std::string& call, const std::optional<Error>& refusal = {});

}  // namespace quire
