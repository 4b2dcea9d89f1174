#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "quire/base/error.hpp"
#include "quire/comm/comm.hpp"

namespace quire::bench {

/// Collective. Runs `work` on all ranks; an error of any rank becomes the error of all.
[[nodiscard]] std::optional<Error> together(Comm& comm, const std::function<void()>& work);

/// Collective. A number of every rank, on every rank.
[[nodiscard]] std::vector<double> gather(Comm& comm, double mine);

/// Collective. Rank 0's text, on every rank.
[[nodiscard]] std::string text_of_root(Comm& comm, const std::string& text);

}  // namespace quire::bench
