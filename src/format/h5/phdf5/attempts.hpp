#pragma once

#include <exception>
#include <utility>

#include "format/h5/hdf5.hpp"
#include "quire/base/error.hpp"

namespace quire::h5 {

/// Keeps the first failure: what comes behind it is done all the same, for other ranks do it too.
class FirstFailure {
 public:
  template <class Action>
  void attempt(Action&& action) {
    try {
      std::forward<Action>(action)();
    } catch (...) {
      if (!failure_) failure_ = std::current_exception();
    }
  }
  [[nodiscard]] bool is_set() const noexcept { return failure_ != nullptr; }
  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  std::exception_ptr failure_;
};

/// Runs what calls the library, quietly; what fails there is no damage of a file, but a refusal.
template <class Work>
void with_library(Work&& work) {
  const Quiet quiet;
  try {
    std::forward<Work>(work)();
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::bad_file) throw;
    throw Error(ErrorKind::io, error.message()).on(error.object());
  }
}

}  // namespace quire::h5
