#pragma once

#include <cstdint>
#include <type_traits>

#include "quire/base/error.hpp"
#include "quire/model/type.hpp"

namespace quire {

/// Calls `function` with std::type_identity<T> of the C++ type that holds values of a fixed-size type in
/// memory (characters as char). Strings are an internal error: they have no fixed size.
template <class Function>
decltype(auto) visit_type(Type type, Function&& function) {
  switch (type) {
    case Type::int8:
      return function(std::type_identity<std::int8_t>{});
    case Type::uint8:
      return function(std::type_identity<std::uint8_t>{});
    case Type::int16:
      return function(std::type_identity<std::int16_t>{});
    case Type::uint16:
      return function(std::type_identity<std::uint16_t>{});
    case Type::int32:
      return function(std::type_identity<std::int32_t>{});
    case Type::uint32:
      return function(std::type_identity<std::uint32_t>{});
    case Type::int64:
      return function(std::type_identity<std::int64_t>{});
    case Type::uint64:
      return function(std::type_identity<std::uint64_t>{});
    case Type::float32:
      return function(std::type_identity<float>{});
    case Type::float64:
      return function(std::type_identity<double>{});
    case Type::float80:
      return function(std::type_identity<long double>{});
    case Type::character:
      return function(std::type_identity<char>{});
    case Type::string:
      break;
  }
  throw Error(ErrorKind::internal, "a string was used as a number");
}

}  // namespace quire
