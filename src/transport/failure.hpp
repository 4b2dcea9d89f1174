#pragma once

#include <exception>
#include <new>
#include <optional>
#include <string>
#include <utility>

#include "quire/base/error.hpp"

namespace quire {

/// Keeps the first error of a rank that must go on taking part, so that the others do not wait for it.
class FirstFailure {
 public:
  /// Errors that name no file get this one.
  explicit FirstFailure(const std::string& path) : path_(path) {}

  /// Carries out the action unless something has failed before.
  template <class Action>
  void attempt(Action&& action) {
    if (!error_) attempt_always(std::forward<Action>(action));
  }

  /// Carries out the action in any case: what all ranks must do together.
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
