#include "kernels/block_limits.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>
#include <cstring>
#include <limits>
#include <span>
#include <type_traits>

#include "quire/base/error.hpp"
#include "quire/spi/base/endian.hpp"
#include "quire/spi/model/dispatch.hpp"

namespace quire {
namespace {

/// The type of limits of numbers.
template <class Number>
using LimitOf = std::conditional_t<std::same_as<Number, long double>, double, Number>;

template <class Number>
constexpr Number greatest = std::floating_point<Number> ? std::numeric_limits<Number>::infinity()
                                                        : std::numeric_limits<Number>::max();
template <class Number>
constexpr Number smallest = std::floating_point<Number> ? -std::numeric_limits<Number>::infinity()
                                                        : std::numeric_limits<Number>::lowest();

template <class Number>
Number load_at(const std::byte* place) {
  Number number;
  std::memcpy(&number, place, sizeof number);
  return number;
}

/// The limits of some numbers. Many of each kind are kept, so that compilers make a loop of vectors.
template <class Number>
class Range {
 public:
  Range() {
    lower_.fill(greatest<Number>);
    upper_.fill(smallest<Number>);
  }

  void add(const std::byte* place, std::ptrdiff_t stride, std::uint64_t count) {
    std::uint64_t done = 0;
    if (stride == static_cast<std::ptrdiff_t>(sizeof(Number))) {
      Lanes lower = lower_;
      Lanes upper = upper_;
      Lanes check = check_;
      for (; count - done >= lanes; done += lanes, place += lanes * sizeof(Number)) {
        const auto numbers = load_at<Lanes>(place);
        for (std::size_t i = 0; i < lanes; ++i) take(numbers[i], lower[i], upper[i], check[i]);
      }
      lower_ = lower;
      upper_ = upper;
      check_ = check;
    }
    for (; done < count; ++done, place += stride) take(load_at<Number>(place), lower_[0], upper_[0], check_[0]);
  }

  [[nodiscard]] Number lower() const { return std::ranges::min(lower_); }
  [[nodiscard]] Number upper() const { return std::ranges::max(upper_); }
  [[nodiscard]] bool may_have_nan() const {
    if constexpr (!std::floating_point<Number>) return false;
    return std::ranges::any_of(check_, [](Number sum) { return sum != Number{0}; });
  }

 private:
  /// So many that compilers do not unroll the loop over them before they look for vectors.
  static constexpr std::size_t lanes = 32;
  using Lanes = std::array<Number, lanes>;

  static void take(Number number, Number& lower, Number& upper, Number& check) {
    lower = number < lower ? number : lower;
    upper = number > upper ? number : upper;
    if constexpr (std::floating_point<Number>) check += number - number;
  }

  Lanes lower_;
  Lanes upper_;
  Lanes check_{};  ///< NaN after one, or an infinity
};

template <class Number>
std::uint64_t count_nans(const std::byte* place, std::ptrdiff_t stride, std::uint64_t count) {
  std::uint64_t nans = 0;
  if constexpr (std::floating_point<Number>) {
    for (std::uint64_t i = 0; i < count; ++i, place += stride) nans += std::isnan(load_at<Number>(place)) ? 1 : 0;
  }
  return nans;
}

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
    Range<Number> range;
    range.add(place, values.stride, values.stride == 0 ? 1 : count);
    const std::uint64_t nans = range.may_have_nan() ? count_nans<Number>(place, values.stride, count) : 0;
    using Limit = LimitOf<Number>;
    widen(row / block_rows, enclosing(range.lower(), smallest<Limit>), enclosing(range.upper(), greatest<Limit>), nans);
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
