#include <algorithm>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "query/loop_bodies.hpp"
#include "query/loops.hpp"
#include "query/wildcard.hpp"
#include "quire/spi/base/load.hpp"

namespace quire::query {
namespace {

struct Like {
  bool operator()(std::string_view text, std::string_view pattern) const { return matches_wildcard(text, pattern); }
};

struct Length {
  std::int64_t operator()(std::string_view text) const {
    return std::count_if(text.begin(), text.end(),
                         [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; });
  }
};

template <class Value>
std::size_t look_up(const Call& call) {
  const auto& sorted = *static_cast<const std::vector<Value>*>(call.extra);
  const Value* const in = operand<Value>(call, 0);
  auto* const out = result<std::uint8_t>(call);
  for (std::size_t i = 0; i < call.count; ++i) {
    const auto found = std::lower_bound(sorted.begin(), sorted.end(), in[i]);
    out[i] = found != sorted.end() && *found == in[i];
  }
  return call.count;
}

template <class Value>
Membership membership_of(const std::vector<Constant>& constants) {
  std::vector<Value> sorted;
  for (const Constant& constant : constants) {
    const auto value = load_at<Value>(constant.bytes.data());
    if (!is_nan(value)) sorted.push_back(value);
  }
  std::sort(sorted.begin(), sorted.end());
  return {look_up<Value>, std::make_shared<const std::vector<Value>>(std::move(sorted))};
}

}  // namespace

Loop like_loop() { return binary_plain<Like, std::string_view, std::string_view, std::uint8_t>; }

Loop length_loop() { return unary_plain<Length, std::string_view, std::int64_t>; }

Membership membership(Lane lane, const std::vector<Constant>& values) {
  switch (lane) {
    case Lane::integer:
      return membership_of<std::int64_t>(values);
    case Lane::natural:
      return membership_of<std::uint64_t>(values);
    case Lane::real:
      return membership_of<double>(values);
    case Lane::extended:
      return membership_of<long double>(values);
    case Lane::text:
      return membership_of<std::string_view>(values);
    case Lane::truth:
      break;
  }
  return {};
}

}  // namespace quire::query
