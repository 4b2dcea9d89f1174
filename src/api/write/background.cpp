#include "api/write/background.hpp"

#include <utility>

#include "api/root.hpp"

namespace quire {

bool Background::add(std::function<void()> task) {
  const std::lock_guard lock(mutex_);
  if (failure_) return false;
  if (!thread_.joinable()) thread_ = std::thread([this] { run(); });
  tasks_.push_back(std::move(task));
  changed_.notify_all();
  return true;
}

bool Background::is_done() {
  const std::lock_guard lock(mutex_);
  return tasks_.empty() && !is_busy_;
}

std::optional<Error> Background::wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return tasks_.empty() && !is_busy_; });
  return failure_;
}

void Background::drop() {
  std::deque<std::function<void()>> dropped;
  {
    const std::lock_guard lock(mutex_);
    dropped.swap(tasks_);
    is_ending_ = true;
    changed_.notify_all();
  }
  if (thread_.joinable()) thread_.join();
}

void Background::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return !tasks_.empty() || is_ending_; });
    if (tasks_.empty()) return;
    std::function<void()> task = std::move(tasks_.front());
    tasks_.pop_front();
    is_busy_ = true;
    lock.unlock();
    const std::optional<Error> failure = caught(rank_, task);
    // What tasks own is released before they count as done.
    task = nullptr;
    std::deque<std::function<void()>> dropped;
    lock.lock();
    if (failure) {
      failure_ = failure;
      dropped.swap(tasks_);
      lock.unlock();
      dropped.clear();
      lock.lock();
    }
    is_busy_ = false;
    changed_.notify_all();
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
