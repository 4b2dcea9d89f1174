#include <cmath>
#include <cstdint>
#include <limits>
#include <string_view>
#include <utility>

#include "query/loop_bodies.hpp"
#include "query/loops.hpp"

namespace quire::query {
namespace {

/// The order of an integer and a floating-point number, compared exactly.
enum class Order : std::uint8_t { less, equal, greater, none };

template <class Integer>
Order order(Integer left, double right) {
  constexpr double limit = std::numeric_limits<Integer>::digits == 63 ? 0x1p63 : 0x1p64;
  if (std::isnan(right)) return Order::none;
  if (right >= limit) return Order::less;
  if (right < static_cast<double>(std::numeric_limits<Integer>::min())) return Order::greater;
  const auto whole = static_cast<Integer>(right);
  if (left != whole) return left < whole ? Order::less : Order::greater;
  const double rest = right - static_cast<double>(whole);
  if (rest == 0) return Order::equal;
  return rest > 0 ? Order::less : Order::greater;
}

template <class Integer>
Order order(double left, Integer right) {
  switch (order(right, left)) {
    case Order::less:
      return Order::greater;
    case Order::greater:
      return Order::less;
    case Order::equal:
      return Order::equal;
    case Order::none:
      break;
  }
  return Order::none;
}

template <class Left, class Right>
inline constexpr bool is_mixed = std::is_floating_point_v<Left> != std::is_floating_point_v<Right>;

template <class Left, class Right>
bool less(Left left, Right right) {
  if constexpr (is_mixed<Left, Right>) {
    return order(left, right) == Order::less;
  } else if constexpr (std::is_integral_v<Left> && std::is_integral_v<Right>) {
    return std::cmp_less(left, right);
  } else {
    return left < right;
  }
}

template <class Left, class Right>
bool equal(Left left, Right right) {
  if constexpr (is_mixed<Left, Right>) {
    return order(left, right) == Order::equal;
  } else if constexpr (std::is_integral_v<Left> && std::is_integral_v<Right>) {
    return std::cmp_equal(left, right);
  } else {
    return left == right;
  }
}

// Written with & and |, which are vectorised. A value that is not a number satisfies none, not even !=.
struct Less {
  template <class Left, class Right>
  bool operator()(Left left, Right right) const {
    return less(left, right);
  }
};
struct Greater {
  template <class Left, class Right>
  bool operator()(Left left, Right right) const {
    return less(right, left);
  }
};
struct Equal {
  template <class Left, class Right>
  bool operator()(Left left, Right right) const {
    return equal(left, right);
  }
};
struct LessEqual {
  template <class Left, class Right>
  bool operator()(Left left, Right right) const {
    if constexpr (std::is_floating_point_v<Left> && std::is_floating_point_v<Right>) {
      return left <= right;
    } else {
      return less(left, right) | equal(left, right);
    }
  }
};
struct GreaterEqual {
  template <class Left, class Right>
  bool operator()(Left left, Right right) const {
    return LessEqual{}(right, left);
  }
};
struct NotEqual {
  template <class Left, class Right>
  bool operator()(Left left, Right right) const {
    if constexpr (std::is_same_v<Left, std::string_view>) {
      return left != right;
    } else {
      return static_cast<bool>(static_cast<int>(less(left, right)) | static_cast<int>(less(right, left)));
    }
  }
};

template <class Left, class Right>
Loop loop_for(Operation operation) {
  switch (operation) {
    case Operation::less:
      return binary<Less, Left, Right, std::uint8_t>();
    case Operation::less_equal:
      return binary<LessEqual, Left, Right, std::uint8_t>();
    case Operation::greater:
      return binary<Greater, Left, Right, std::uint8_t>();
    case Operation::greater_equal:
      return binary<GreaterEqual, Left, Right, std::uint8_t>();
    case Operation::equal:
      return binary<Equal, Left, Right, std::uint8_t>();
    case Operation::not_equal:
      return binary<NotEqual, Left, Right, std::uint8_t>();
    default:
      return nullptr;
  }
}

/// The right side of a comparison with numbers of the left lane.
template <class Left>
Loop with_number(Operation operation, Lane right) {
  switch (right) {
    case Lane::integer:
      return loop_for<Left, std::int64_t>(operation);
    case Lane::natural:
      return loop_for<Left, std::uint64_t>(operation);
    case Lane::real:
      return loop_for<Left, double>(operation);
    default:
      return nullptr;
  }
}

struct And {
  std::uint8_t operator()(std::uint8_t left, std::uint8_t right) const { return left & right; }
};
struct Or {
  std::uint8_t operator()(std::uint8_t left, std::uint8_t right) const { return left | right; }
};
struct Not {
  std::uint8_t operator()(std::uint8_t value) const { return value ^ 1U; }
};

}  // namespace

Loop comparison_loop(Operation operation, Lane left, Lane right) {
  switch (left) {
    case Lane::integer:
      return with_number<std::int64_t>(operation, right);
    case Lane::natural:
      return with_number<std::uint64_t>(operation, right);
    case Lane::real:
      return with_number<double>(operation, right);
    case Lane::extended:
      return right == Lane::extended ? loop_for<long double, long double>(operation) : nullptr;
    case Lane::text:
      return right == Lane::text ? loop_for<std::string_view, std::string_view>(operation) : nullptr;
    case Lane::truth:
      break;
  }
  return nullptr;
}

Loop both_loop() { return binary<And, std::uint8_t, std::uint8_t, std::uint8_t>(); }
Loop either_loop() { return binary<Or, std::uint8_t, std::uint8_t, std::uint8_t>(); }
Loop inversion_loop() { return unary<Not, std::uint8_t, std::uint8_t>(); }

}  // namespace quire::query
