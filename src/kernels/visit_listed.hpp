#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <type_traits>

#include "kernels/value_list.hpp"
#include "quire/base/error.hpp"
#include "quire/spi/model/dispatch.hpp"

namespace quire::kernels {

/// Calls a function with the values of a column that can have a list, as a span of their type. Throws usage errors for
/// others.
template <class Function>
auto visit_listed(const ConstView& values, const Function& function) {
  if (values.count > most_listed_rows) {
    throw Error(ErrorKind::usage, std::to_string(values.count) + " rows are more than a list has");
  }
  return visit_type(values.type, [&](auto type) -> decltype(function(std::span<const double>{})) {
    using Number = typename decltype(type)::type;
    if constexpr (!std::is_same_v<Number, long double> && !std::is_same_v<Number, char>) {
      if (values.count == 0 || values.is_contiguous()) {
        return function(std::span(reinterpret_cast<const Number*>(values.data), values.count));
      }
    }
    throw Error(ErrorKind::usage, "a list needs numbers of at most 8 bytes, without gaps");
  });
}

}  // namespace quire::kernels
