#include "kernels/convert.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>

#include "model/conversion.hpp"
#include "quire/base/error.hpp"
#include "quire/spi/base/load.hpp"
#include "quire/spi/model/dispatch.hpp"

namespace quire::kernels {
namespace {

static_assert(std::numeric_limits<long double>::digits == 64 && sizeof(long double) == 16,
              "float80 is the long double of the x87; other machines need a conversion of their own");

/// Values per block: small enough for the first-level cache, large enough to hide the dispatch.
constexpr std::size_t block_values = 256;
constexpr std::size_t widest = 16;
using BlockBytes = std::array<std::byte, block_values * widest>;

template <class Number>
void store_number(std::byte* to, Number number) {
  if constexpr (std::is_same_v<Number, long double>) {
    std::memcpy(to, &number, 10);
    std::memset(to + 10, 0, 6);
  } else {
    std::memcpy(to, &number, sizeof number);
  }
}

/// True for pairs that can be checked by bits alone, in vector code: a cast to the other type and back gives the same
/// bits exactly for values that fit, except NaN.
template <class From, class To>
inline constexpr bool checked_by_bits = sizeof(To) < sizeof(From) &&
                                        ((std::is_same_v<From, double> && std::is_same_v<To, float>) ||
                                         (std::is_integral_v<From> && std::is_integral_v<To> &&
                                          (std::is_unsigned_v<To> || std::is_signed_v<From>)));

/// True if all values of a block certainly fit; false if one may not.
template <class From, class To>
bool surely_fits(const std::byte* in, std::size_t count) {
  if constexpr (checked_by_bits<From, To>) {
    std::uint64_t differences = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const auto number = load_at<From>(in + i * sizeof(From));
      if constexpr (std::is_integral_v<From>) {
        differences |= static_cast<std::uint64_t>(number ^ static_cast<From>(static_cast<To>(number)));
      } else {
        const auto back = static_cast<From>(static_cast<To>(number));
        differences |= std::bit_cast<std::uint64_t>(number) ^ std::bit_cast<std::uint64_t>(back);
      }
    }
    return differences == 0;
  } else {
    bool all_fit = true;
    for (std::size_t i = 0; i < count; ++i) all_fit &= fits<To>(load_at<From>(in + i * sizeof(From)));
    return all_fit;
  }
}

/// Converts a block without gaps.
template <class From, class To>
void convert_block(const std::byte* in, std::byte* out, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    store_number<To>(out + i * sizeof(To), forced<To>(load_at<From>(in + i * sizeof(From))));
  }
}

template <class From, class To>
std::size_t first_misfit(const std::byte* in, std::size_t count) {
  std::size_t i = 0;
  while (i < count && fits<To>(load_at<From>(in + i * sizeof(From)))) ++i;
  return i;
}

/// Copies values of one size between memory with gaps and without; of float80 all 16 bytes are copied.
template <std::size_t size>
void move_values(const std::byte* from, std::ptrdiff_t from_stride, std::byte* to, std::ptrdiff_t to_stride,
                 std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    const auto row = static_cast<std::ptrdiff_t>(i);
    std::memcpy(to + row * to_stride, from + row * from_stride, size);
  }
}

/// The memory at one side of a conversion.
template <class Memory>
struct Side {
  Memory* data;
  std::ptrdiff_t stride;
  [[nodiscard]] Memory* row(std::size_t i) const { return data + static_cast<std::ptrdiff_t>(i) * stride; }
};

template <class From, class To, bool checked>
std::optional<std::size_t> convert_pair(Side<const std::byte> in, Side<std::byte> out, std::size_t count) {
  constexpr std::ptrdiff_t in_size = sizeof(From);
  constexpr std::ptrdiff_t out_size = sizeof(To);
  BlockBytes gathered;
  BlockBytes converted;
  for (std::size_t first = 0; first < count; first += block_values) {
    const std::size_t values = std::min(block_values, count - first);
    const std::byte* block_in = in.row(first);
    if (in.stride != in_size) {
      move_values<sizeof(From)>(block_in, in.stride, gathered.data(), in_size, values);
      block_in = gathered.data();
    }
    std::byte* block_out = out.stride == out_size ? out.row(first) : converted.data();
    if (checked && !surely_fits<From, To>(block_in, values)) {
      const std::size_t misfit = first_misfit<From, To>(block_in, values);
      if (misfit != values) return first + misfit;
    }
    convert_block<From, To>(block_in, block_out, values);
    if (out.stride != out_size) {
      move_values<sizeof(To)>(converted.data(), out_size, out.row(first), out.stride, values);
    }
  }
  return std::nullopt;
}

bool is_byte(Type type) noexcept { return type == Type::int8 || type == Type::uint8 || type == Type::character; }

}  // namespace

bool same_bytes(Type from, Type to) noexcept {
  if (from == to) return from != Type::string;
  return is_byte(from) && is_byte(to) && (from == Type::character || to == Type::character);
}

bool convertible(Type from, Type to) noexcept {
  if (from == Type::string || to == Type::string) return false;
  if (from == Type::character || to == Type::character) return same_bytes(from, to);
  return true;
}

std::optional<std::size_t> convert(Type from, const std::byte* in, std::ptrdiff_t in_stride, Type to, std::byte* out,
                                   std::ptrdiff_t out_stride, std::size_t count, Loss loss) {
  if (!convertible(from, to)) {
    throw Error(ErrorKind::type, std::string(name(from)) + " values cannot be converted to " + std::string(name(to)));
  }
  const Side<const std::byte> source{in, in_stride};
  const Side<std::byte> target{out, out_stride};
  return visit_type(from, [&](auto from_type) {
    return visit_type(to, [&](auto to_type) {
      using From = typename decltype(from_type)::type;
      using To = typename decltype(to_type)::type;
      if (loss == Loss::allowed) return convert_pair<From, To, false>(source, target, count);
      return convert_pair<From, To, true>(source, target, count);
    });
  });
}

}  // namespace quire::kernels
