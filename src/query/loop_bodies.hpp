#pragma once

#include <cmath>
#include <type_traits>

#include "kernels/processor.hpp"
#include "query/program.hpp"

// Bodies that the loops share. They are inlined into functions for several kinds of processors, so that each is
// vectorised separately.

namespace quire::query {

template <class Value>
[[nodiscard]] inline bool is_nan(const Value& value) noexcept {
  if constexpr (std::is_floating_point_v<Value>) {
    return std::isnan(value);
  } else {
    return false;
  }
}

template <class Value>
[[nodiscard]] inline const Value* operand(const Call& call, std::size_t which) noexcept {
  return reinterpret_cast<const Value*>(call.in[which]);
}

template <class Value>
[[nodiscard]] inline Value* result(const Call& call) noexcept {
  return reinterpret_cast<Value*>(call.out);
}

/// Rows for which a loop requests later rows from memory at once.
inline constexpr std::size_t strip_rows = 32;
/// How far ahead, in bytes. The processor itself requests nothing beyond a page, and loops end with a block: columns
/// that are used in place came at half of the speed of the memory.
inline constexpr std::size_t bytes_ahead = 4096;

/// Requests the memory of the strip that is `bytes_ahead` after `values`; it may be after the end of the column.
template <class Value>
[[gnu::always_inline]] inline void request_ahead(const Value* values) {
  constexpr std::size_t line = 64;
  for (std::size_t at = 0; at < strip_rows * sizeof(Value); at += line) {
    __builtin_prefetch(reinterpret_cast<const char*>(values) + bytes_ahead + at);
  }
}

/// The rows [begin, end). Of an operand that `is_single` every row has the first value.
template <class Operation, bool left_is_single, bool right_is_single, class Left, class Right, class Out>
[[gnu::always_inline]] inline void binary_rows(const Left* left, const Right* right, Out* __restrict out,
                                               std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < end; ++i) {
    out[i] = static_cast<Out>(Operation{}(left[left_is_single ? 0 : i], right[right_is_single ? 0 : i]));
  }
}

/// The same for all rows, of which those of the other operand are requested ahead.
template <class Operation, bool left_is_single, class Left, class Right, class Out>
[[gnu::always_inline]] inline void binary_strips(const Left* left, const Right* right, Out* __restrict out,
                                                 std::size_t count) {
  std::size_t i = 0;
  for (; i + strip_rows <= count; i += strip_rows) {
    if constexpr (left_is_single) {
      request_ahead(right + i);
    } else {
      request_ahead(left + i);
    }
    binary_rows<Operation, left_is_single, !left_is_single>(left, right, out, i, i + strip_rows);
  }
  binary_rows<Operation, left_is_single, !left_is_single>(left, right, out, i, count);
}

template <class Operation, class Left, class Right, class Out>
[[gnu::always_inline]] inline std::size_t binary_body(const Call& call) {
  const Left* const left = operand<Left>(call, 0);
  const Right* const right = operand<Right>(call, 1);
  Out* const out = result<Out>(call);
  if (call.single[0]) {
    binary_strips<Operation, true>(left, right, out, call.count);
  } else if (call.single[1]) {
    binary_strips<Operation, false>(left, right, out, call.count);
  } else {
    binary_rows<Operation, false, false>(left, right, out, 0, call.count);
  }
  return call.count;
}

template <class Operation, class In, class Out>
[[gnu::always_inline]] inline std::size_t unary_body(const Call& call) {
  const In* const in = operand<In>(call, 0);
  Out* __restrict const out = result<Out>(call);
  for (std::size_t i = 0; i < call.count; ++i) out[i] = static_cast<Out>(Operation{}(in[i]));
  return call.count;
}

template <class Operation, class Left, class Right, class Out>
std::size_t binary_plain(const Call& call) {
  return binary_body<Operation, Left, Right, Out>(call);
}
template <class Operation, class In, class Out>
std::size_t unary_plain(const Call& call) {
  return unary_body<Operation, In, Out>(call);
}

#if defined(__x86_64__)
template <class Operation, class Left, class Right, class Out>
[[gnu::target("avx2")]] std::size_t binary_avx2(const Call& call) {
  return binary_body<Operation, Left, Right, Out>(call);
}
template <class Operation, class In, class Out>
[[gnu::target("avx2")]] std::size_t unary_avx2(const Call& call) {
  return unary_body<Operation, In, Out>(call);
}
template <class Operation, class Left, class Right, class Out>
Loop binary() {
  return kernels::has_avx2() ? binary_avx2<Operation, Left, Right, Out> : binary_plain<Operation, Left, Right, Out>;
}
template <class Operation, class In, class Out>
Loop unary() {
  return kernels::has_avx2() ? unary_avx2<Operation, In, Out> : unary_plain<Operation, In, Out>;
}
#else
template <class Operation, class Left, class Right, class Out>
Loop binary() {
  return binary_plain<Operation, Left, Right, Out>;
}
template <class Operation, class In, class Out>
Loop unary() {
  return unary_plain<Operation, In, Out>;
}
#endif

/// `Operation` stores its result through a pointer and returns whether there is one.
template <class Operation, class Value>
std::size_t binary_checked(const Call& call) {
  const Value* const left = operand<Value>(call, 0);
  const Value* const right = operand<Value>(call, 1);
  Value* const out = result<Value>(call);
  const std::size_t left_step = call.single[0] ? 0 : 1;
  const std::size_t right_step = call.single[1] ? 0 : 1;
  for (std::size_t i = 0; i < call.count; ++i) {
    if (!Operation{}(left[i * left_step], right[i * right_step], out + i)) return i;
  }
  return call.count;
}

template <class Operation, class In, class Out>
std::size_t unary_checked(const Call& call) {
  const In* const in = operand<In>(call, 0);
  Out* const out = result<Out>(call);
  for (std::size_t i = 0; i < call.count; ++i) {
    if (!Operation{}(in[i], out + i)) return i;
  }
  return call.count;
}

}  // namespace quire::query
