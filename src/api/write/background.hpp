#pragma once

#include <unistd.h>

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "quire/base/error.hpp"
#include "transport/staging.hpp"

namespace quire {

/// Runs tasks in their order in a thread of its own. Tasks use neither MPI nor HDF5. A forked process does not have the
/// thread: there, all calls but the end are usage errors.
class Background {
 public:
  /// `rank`: of this process, for errors.
  explicit Background(int rank) : rank_(rank) {}
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;
  /// Drops the tasks that have not begun, and waits for the one that has.
  ~Background() { drop(); }

  /// Returns false after a task has failed: then no other one is run.
  bool add(std::function<void()> task);
  [[nodiscard]] bool is_done();
  /// Waits until all tasks are done. Returns what failed.
  [[nodiscard]] std::optional<Error> wait();
  /// Drops the tasks that have not begun, and waits for the one that has. No other one may follow.
  void drop();

 private:
  /// What the thread uses. A forked process leaves it alone: to end a mutex or a thread of its parent may never return.
  struct Shared {
    std::mutex mutex{};
    std::condition_variable changed{};
    std::deque<std::function<void()>> tasks{};
    bool is_busy = false;
    bool is_ending = false;
    std::optional<Error> failure{};
    std::thread thread{};

    [[nodiscard]] bool is_idle() const noexcept { return tasks.empty() && !is_busy; }
    void run(int rank);
  };
  [[nodiscard]] Shared& shared();

  int rank_;
  pid_t process_ = getpid();
  std::unique_ptr<Shared> shared_ = std::make_unique<Shared>();
};

/// A limited number of buffers, which are kept until the end of the pool: memory that is touched first is slow.
class BufferPool {
 public:
  explicit BufferPool(std::size_t most) : most_(most) {}

  /// A buffer, which returns to the pool when it is released by any thread. Waits for that if all are in use.
  [[nodiscard]] std::shared_ptr<Staging> take();

 private:
  void put_back(std::unique_ptr<Staging> buffer);

  std::size_t most_;
  std::size_t made_ = 0;
  std::mutex mutex_;
  std::condition_variable returned_;
  std::vector<std::unique_ptr<Staging>> free_;
};

}  // namespace quire
