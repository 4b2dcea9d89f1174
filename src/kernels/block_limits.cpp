#include "kernels/block_limits.hpp"

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstring>
#include <limits>
#include <type_traits>

#include "kernels/value_range.hpp"
#include "quire/base/error.hpp"
#include "quire/spi/base/endian.hpp"
#include "quire/spi/base/load.hpp"
#include "quire/spi/model/dispatch.hpp"

namespace quire {
namespace {

/// The type of limits of numbers.
template <class Number>
using LimitOf = std::conditional_t<std::same_as<Number, long double>, double, Number>;

/// The nearest limit in the direction of `towards` that the index can store.
template <class Number>
LimitOf<Number> enclosing(Number number, LimitOf<Number> towards) {
  const auto near = static_cast<LimitOf<Number>>(number);
  if constexpr (!std::same_as<Number, LimitOf<Number>>) {
    const bool is_inside = towards < 0 ? near > number : near < number;
    return is_inside ? std::nextafter(near, towards) : near;
  }
  return near;
}

}  // namespace

template <class Limit>
void BlockLimits::widen(std::uint64_t block, Limit lower, Limit upper, std::uint64_t nans) {
  if (nans_.empty()) first_block_ = block;
  const std::uint64_t end = first_block_ + nans_.size();
  if (block > end || block + 1 < end) throw Error(ErrorKind::internal, "limits of rows are added in a wrong order");
  if (block == end) {
    lower_.resize(lower_.size() + sizeof lower);
    upper_.resize(upper_.size() + sizeof upper);
    nans_.push_back(0);
  } else {
    lower = std::min(lower, load_at<Limit>(lower_.data() + lower_.size() - sizeof lower));
    upper = std::max(upper, load_at<Limit>(upper_.data() + upper_.size() - sizeof upper));
  }
  std::memcpy(lower_.data() + lower_.size() - sizeof lower, &lower, sizeof lower);
  std::memcpy(upper_.data() + upper_.size() - sizeof upper, &upper, sizeof upper);
  nans_.back() = static_cast<std::uint16_t>(nans_.back() + nans);
}

template <class Number>
void BlockLimits::add_numbers(std::uint64_t first, const ConstView& values) {
  for (std::uint64_t done = 0; done < values.count;) {
    const std::uint64_t row = first + done;
    const std::uint64_t count = std::min(block_rows - row % block_rows, values.count - done);
    const std::byte* const place = values.data + static_cast<std::ptrdiff_t>(done) * values.stride;
    const bool is_constant = values.stride == 0;
    const auto range = kernels::range_of<Number>(place, values.stride, is_constant ? 1 : count);
    using Limit = LimitOf<Number>;
    widen(row / block_rows, enclosing(range.lower, kernels::smallest<Limit>),
          enclosing(range.upper, kernels::greatest<Limit>), range.nans * (is_constant ? count : 1));
    done += count;
  }
  rows_ += values.count;
}

void BlockLimits::add(std::uint64_t first, const ConstView& values) {
  visit_type(type_, [&](auto type) { add_numbers<typename decltype(type)::type>(first, values); });
}

void BlockLimits::append(const BlockLimits& next) {
  if (next.type_ != type_) throw Error(ErrorKind::internal, "limits of different types are joined");
  if (!limits(type_)) return;
  visit_type(type_, [&](auto type) {
    using Limit = LimitOf<typename decltype(type)::type>;
    for (std::size_t i = 0; i < next.nans_.size(); ++i) {
      const std::size_t at = i * sizeof(Limit);
      widen(next.first_block_ + i, load_at<Limit>(next.lower_.data() + at), load_at<Limit>(next.upper_.data() + at),
            next.nans_[i]);
    }
  });
  rows_ += next.rows_;
}

std::vector<std::byte> BlockLimits::section() const {
  std::vector<std::byte> bytes(lower_.size() + upper_.size() + nans_.size() * sizeof(std::uint16_t));
  std::byte* place = bytes.data();
  const auto append = [&](auto number) {
    store(place, number, ByteOrder::little);
    place += sizeof number;
  };
  visit_type(type_, [&](auto type) {
    using Limit = LimitOf<typename decltype(type)::type>;
    const auto append_all = [&](const std::vector<std::byte>& limits) {
      for (std::size_t at = 0; at < limits.size(); at += sizeof(Limit)) {
        auto limit = load_at<Limit>(limits.data() + at);
        if constexpr (std::floating_point<Limit>) {
          const bool has_values = load_at<Limit>(lower_.data() + at) <= load_at<Limit>(upper_.data() + at);
          if (!has_values) limit = std::numeric_limits<Limit>::quiet_NaN();
        }
        append(limit);
      }
    };
    append_all(lower_);
    append_all(upper_);
  });
  for (const std::uint16_t nans : nans_) append(nans);
  return bytes;
}

}  // namespace quire
