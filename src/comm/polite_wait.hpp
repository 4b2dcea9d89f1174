#pragma once

#include <sched.h>

#include <chrono>
#include <optional>
#include <thread>

#include "quire/comm/comm.hpp"

namespace quire {

/// The strategy of a wait after some tests in a row have failed: first it yields to others on the same core, then it
/// sleeps between tests.
struct Patience {
  std::chrono::microseconds yielding{0};  ///< how long it yields before it sleeps
  int yields = 20;                        ///< minimum number of yields
};

/// The strategy for ranks of a node. If each has its own core, the work of others in a step (describing, publishing) is
/// mostly over before a short sleep would end, which takes tenths of a millisecond at least. With more ranks than
/// cores, a rank that yields for long keeps the core from those that work.
/// @param ranks number of ranks on this node, if known
[[nodiscard]] Patience patience_of(std::optional<unsigned> ranks, unsigned cores) noexcept;

/// The strategy of this process, from the environment variables of the MPI launcher.
[[nodiscard]] Patience patience_here();

/// Tests until `is_done`; false if the deadline passes first. A blocking collective of an MPI that spins costs
/// milliseconds if there are more ranks than cores; this wait does not.
template <class Test>
bool wait_politely(const Patience& patience, Deadline deadline, Test&& is_done) {
  constexpr int eager_tests = 100;
  // The slack of the kernel's timers adds some 50 us.
  constexpr std::chrono::microseconds nap(5);
  for (int tests = 0; tests < eager_tests; ++tests) {
    if (is_done()) return true;
  }
  const auto begin = std::chrono::steady_clock::now();
  for (int yields = 0; !is_done();) {
    const auto waited = std::chrono::steady_clock::now() - begin;
    if (deadline && waited >= *deadline) return false;
    if (yields < patience.yields || waited < patience.yielding) {
      sched_yield();
      ++yields;
    } else {
      std::this_thread::sleep_for(nap);
    }
  }
  return true;
}

}  // namespace quire
