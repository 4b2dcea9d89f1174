#include "kernels/value_range.hpp"

#include <array>
#include <cmath>
#include <cstring>

#include "quire/spi/base/load.hpp"

namespace quire::kernels {
namespace {

/// Vectors of each kind, so that an operation need not wait for the one before.
constexpr std::size_t chains = 4;

template <class Number>
constexpr bool has_vectors = !std::same_as<Number, long double> && !std::same_as<Number, char>;

template <class Number>
void take(ValueRange<Number>& range, Number number) {
  range.lower = number < range.lower ? number : range.lower;
  range.upper = number > range.upper ? number : range.upper;
  if constexpr (std::floating_point<Number>) range.nans += std::isnan(number) ? 1 : 0;
}

/// The ranges of numbers at the same place in each vector.
template <class Number, std::size_t vector_bytes>
struct Chain {
  using Vector [[gnu::vector_size(vector_bytes)]] = Number;
  static constexpr std::size_t width = vector_bytes / sizeof(Number);

  Vector lower = Vector{} + greatest<Number>;
  Vector upper = Vector{} + smallest<Number>;
  Vector sum{};  ///< of 0 for each number: NaN after one, or after an infinity

  [[gnu::always_inline]] void take(const std::byte* place) {
    Vector numbers;
    std::memcpy(&numbers, place, sizeof numbers);
    lower = numbers < lower ? numbers : lower;
    upper = numbers > upper ? numbers : upper;
    if constexpr (std::floating_point<Number>) sum += numbers - numbers;
  }
  [[gnu::always_inline]] void join(const Chain& other) {
    lower = other.lower < lower ? other.lower : lower;
    upper = other.upper > upper ? other.upper : upper;
    if constexpr (std::floating_point<Number>) sum += other.sum;
  }
};

template <class Number>
std::uint64_t count_nans(const std::byte* place, std::uint64_t count) {
  std::uint64_t nans = 0;
  for (std::uint64_t i = 0; i < count; ++i) nans += std::isnan(load_at<Number>(place + i * sizeof(Number))) ? 1 : 0;
  return nans;
}

/// The range of the first numbers, as many as fill vectors; `done` becomes their number.
template <class Number, std::size_t vector_bytes>
[[gnu::always_inline]] inline ValueRange<Number> range_of_vectors(const std::byte* place, std::uint64_t count,
                                                                  std::uint64_t& done) {
  using OneChain = Chain<Number, vector_bytes>;
  std::array<OneChain, chains> all;
  constexpr std::size_t at_once = chains * OneChain::width;
  done = count / at_once * at_once;
  const std::byte* const end = place + done * sizeof(Number);
  for (const std::byte* next = place; next != end;) {
    for (OneChain& chain : all) {
      chain.take(next);
      next += vector_bytes;
    }
  }
  OneChain joined = all[0];
  for (std::size_t c = 1; c < chains; ++c) joined.join(all[c]);
  ValueRange<Number> range;
  bool may_have_nan = false;
  for (std::size_t i = 0; i < OneChain::width; ++i) {
    if (joined.lower[i] < range.lower) range.lower = joined.lower[i];
    if (joined.upper[i] > range.upper) range.upper = joined.upper[i];
    if constexpr (std::floating_point<Number>) may_have_nan = may_have_nan || std::isnan(joined.sum[i]);
  }
  if constexpr (std::floating_point<Number>) {
    if (may_have_nan) range.nans = count_nans<Number>(place, done);
  }
  return range;
}

template <class Number>
ValueRange<Number> range_plain(const std::byte* place, std::uint64_t count, std::uint64_t& done) {
  return range_of_vectors<Number, 16>(place, count, done);
}

#if defined(__x86_64__)
template <class Number>
[[gnu::target("avx2")]] ValueRange<Number> range_avx2(const std::byte* place, std::uint64_t count,
                                                      std::uint64_t& done) {
  return range_of_vectors<Number, 32>(place, count, done);
}
#else
template <class Number>
ValueRange<Number> range_avx2(const std::byte* place, std::uint64_t count, std::uint64_t& done) {
  return range_plain<Number>(place, count, done);
}
#endif

}  // namespace

template <class Number>
ValueRange<Number> range_of(const std::byte* place, std::ptrdiff_t stride, std::uint64_t count, bool vectors) {
  ValueRange<Number> range;
  std::uint64_t done = 0;
  if constexpr (has_vectors<Number>) {
    if (stride == static_cast<std::ptrdiff_t>(sizeof(Number))) {
      range = vectors ? range_avx2<Number>(place, count, done) : range_plain<Number>(place, count, done);
    }
  }
  place += static_cast<std::ptrdiff_t>(done) * stride;
  for (; done < count; ++done, place += stride) take(range, load_at<Number>(place));
  return range;
}

template ValueRange<std::int8_t> range_of(const std::byte*, std::ptrdiff_t, std::uint64_t, bool);
template ValueRange<std::uint8_t> range_of(const std::byte*, std::ptrdiff_t, std::uint64_t, bool);
template ValueRange<std::int16_t> range_of(const std::byte*, std::ptrdiff_t, std::uint64_t, bool);
template ValueRange<std::uint16_t> range_of(const std::byte*, std::ptrdiff_t, std::uint64_t, bool);
template ValueRange<std::int32_t> range_of(const std::byte*, std::ptrdiff_t, std::uint64_t, bool);
template ValueRange<std::uint32_t> range_of(const std::byte*, std::ptrdiff_t, std::uint64_t, bool);
template ValueRange<std::int64_t> range_of(const std::byte*, std::ptrdiff_t, std::uint64_t, bool);
template ValueRange<std::uint64_t> range_of(const std::byte*, std::ptrdiff_t, std::uint64_t, bool);
template ValueRange<float> range_of(const std::byte*, std::ptrdiff_t, std::uint64_t, bool);
template ValueRange<double> range_of(const std::byte*, std::ptrdiff_t, std::uint64_t, bool);
template ValueRange<long double> range_of(const std::byte*, std::ptrdiff_t, std::uint64_t, bool);
template ValueRange<char> range_of(const std::byte*, std::ptrdiff_t, std::uint64_t, bool);

}  // namespace quire::kernels
