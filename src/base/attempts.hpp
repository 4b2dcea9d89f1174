#pragma once

#include <exception>
#include <utility>

namespace quire {

/// Runs every action, even after one has thrown, and keeps the first exception: for actions that other ranks also run,
/// or that must always run.
class Attempts {
 public:
  template <class Action>
  void attempt(Action&& action) noexcept {
    try {
      std::forward<Action>(action)();
    } catch (...) {
      if (!first_) first_ = std::current_exception();
    }
  }
  [[nodiscard]] bool have_failed() const noexcept { return first_ != nullptr; }
  void rethrow() const {
    if (first_) std::rethrow_exception(first_);
  }

 private:
  std::exception_ptr first_;
};

}  // namespace quire
