#include "api/write/background.hpp"

#include <utility>

#include "api/root.hpp"

namespace quire {

Background::Shared& Background::shared() {
  if (getpid() == process_) return *shared_;
  throw Error(ErrorKind::usage, "a forked process cannot complete the step that its parent writes in the background")
      .advise("call wait() before the fork, or leave the file to the parent");
}

bool Background::add(std::function<void()> task) {
  Shared& all = shared();
  const std::lock_guard lock(all.mutex);
  if (all.failure) return false;
  if (!all.thread.joinable()) all.thread = std::thread([&all, rank = rank_] { all.run(rank); });
  all.tasks.push_back(std::move(task));
  all.changed.notify_all();
  return true;
}

bool Background::is_done() {
  Shared& all = shared();
  const std::lock_guard lock(all.mutex);
  return all.is_idle();
}

std::optional<Error> Background::wait() {
  Shared& all = shared();
  std::unique_lock lock(all.mutex);
  all.changed.wait(lock, [&all] { return all.is_idle(); });
  return all.failure;
}

void Background::drop() {
  if (getpid() != process_) {
    static_cast<void>(shared_.release());
    return;
  }
  std::deque<std::function<void()>> dropped;
  {
    const std::lock_guard lock(shared_->mutex);
    dropped.swap(shared_->tasks);
    shared_->is_ending = true;
    shared_->changed.notify_all();
  }
  if (shared_->thread.joinable()) shared_->thread.join();
}

void Background::Shared::run(int rank) {
  std::unique_lock lock(mutex);
  while (true) {
    changed.wait(lock, [this] { return !tasks.empty() || is_ending; });
    if (tasks.empty()) return;
    std::function<void()> task = std::move(tasks.front());
    tasks.pop_front();
    is_busy = true;
    lock.unlock();
    const std::optional<Error> failed = caught(rank, task);
    // What tasks own is released before they count as done.
    task = nullptr;
    std::deque<std::function<void()>> dropped;
    lock.lock();
    if (failed) {
      failure = failed;
      dropped.swap(tasks);
      lock.unlock();
      dropped.clear();
      lock.lock();
    }
    is_busy = false;
    changed.notify_all();
  }
}

std::shared_ptr<Staging> BufferPool::take() {
  std::unique_lock lock(mutex_);
  returned_.wait(lock, [this] { return !free_.empty() || made_ < most_; });
  std::unique_ptr<Staging> buffer;
  if (free_.empty()) {
    free_.reserve(made_ + 1);
    buffer = std::make_unique<Staging>();
    ++made_;
  } else {
    buffer = std::move(free_.back());
    free_.pop_back();
  }
  lock.unlock();
  return {buffer.release(), [this](Staging* used) { put_back(std::unique_ptr<Staging>(used)); }};
}

void BufferPool::put_back(std::unique_ptr<Staging> buffer) {
  const std::lock_guard lock(mutex_);
  free_.push_back(std::move(buffer));
  returned_.notify_one();
}

}  // namespace quire
