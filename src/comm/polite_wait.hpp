#pragma once

#include <sched.h>

#include <chrono>
#include <optional>
#include <thread>

#include "quire/comm/comm.hpp"

namespace quire {

/// How a wait passes its time, once some tests in a row have failed: giving way to others on the same core first,
/// asleep between tests then.
struct Patience {
  std::chrono::microseconds yielding{0};  ///< how long it gives way before it sleeps
  int yields = 20;                        ///< how often at least
};

/// How ranks of a node wait: where each has a core of its own, what others do in a step (describing, publishing) is
/// mostly over before a nap would be, which takes tenths of a millisecond whatever it is asked for. Where ranks
/// outnumber the cores, whoever gives way for long keeps the core from those that work.
/// @param ranks those of this node, unknown where nobody said so
[[nodiscard]] Patience patience_of(std::optional<unsigned> ranks, unsigned cores) noexcept;

/// The patience of this process, from what the starter of the ranks says in the environment.
[[nodiscard]] Patience patience_here();

/// Tests until `is_done`; false if the deadline passes first. A blocking collective of a spinning MPI costs
/// milliseconds as soon as ranks outnumber cores; this one does not.
template <class Test>
bool wait_politely(const Patience& patience, Deadline deadline, Test&& is_done) {
  constexpr int eager_tests = 100;
  // With the slack of the kernel's timers a nap takes some 50 us more.
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
