#pragma once

#include <optional>
#include <utility>

#include "quire/base/error.hpp"

namespace quire::test {

/// The library's error that an action throws, if any.
template <class Action>
std::optional<Error> error_of(Action&& action) {
  try {
    std::forward<Action>(action)();
  } catch (const Error& error) {
    return error;
  }
  return std::nullopt;
}

}  // namespace quire::test
