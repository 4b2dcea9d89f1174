#pragma once

#include <new>

#include "quire/base/error.hpp"

namespace quire {

/// Runs an action of a reader or a writer, given its state. Errors without a file or, among several ranks, without a
/// rank are completed with those of the state; the same holds for waits for other ranks.
template <class State, class Action>
auto in_file(const State& state, Action&& action) {
  const auto placed = [&](const Error& error) {
    Error copy = state.placed(error);
    if (state.comm.size() > 1 && !copy.rank()) copy.from_rank(state.comm.rank());
    return copy;
  };
  try {
    return action();
  } catch (const Error& error) {
    throw placed(error);
  } catch (const std::bad_alloc&) {
    throw placed(Error(ErrorKind::memory, "the system has no memory for it").advise("move the data in parts"));
  }
}

}  // namespace quire
