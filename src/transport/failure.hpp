#pragma once

#include <exception>
#include <new>
#include <optional>
#include <string>
#include <utility>

#include "quire/base/error.hpp"

namespace quire {

/// Keeps the first error of a rank that must continue with collective calls, so that the others do not wait for it.
class FirstFailure {
 public:
  /// Errors without a file get this one.
  explicit FirstFailure(const std::string& path) : path_(path) {}

  /// Runs the action unless an earlier one has failed.
  template <class Action>
  void attempt(Action&& action) {
    if (!error_) attempt_always(std::forward<Action>(action));
  }

  /// Always runs the action: for collective calls.
  template <class Action>
  void attempt_always(Action&& action) {
    try {
      action();
    } catch (const Error& error) {
      keep(error);
    } catch (const std::bad_alloc&) {
      keep(Error(ErrorKind::memory, "not enough memory to move the data"));
    } catch (const std::exception& error) {
      keep(Error(ErrorKind::internal, error.what()));
    }
  }

  [[nodiscard]] const std::optional<Error>& error() const noexcept { return error_; }
  void rethrow() const {
    if (error_) throw Error(*error_);
  }

 private:
  void keep(Error error) {
    if (error.file().empty()) error.in_file(path_);
    if (!error_) error_ = std::move(error);
  }

  const std::string& path_;
  std::optional<Error> error_;
};

}  // namespace quire
