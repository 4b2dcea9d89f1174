#include "kernels/bins.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "kernels/version.hpp"
#include "quire/base/error.hpp"

namespace quire::kernels {
namespace {

/// Several tables for as many counts: equal places one after another would wait for each other.
constexpr std::size_t tables = 4;
constexpr std::size_t most_in_tables = 2048;
/// Places that are counted before a count of a table is added to its sum.
constexpr std::size_t most_places = std::size_t{1} << 30;

/// Comparisons are false for NaN.
std::int32_t place_of(double value, const BinAxis& axis) {
  const auto end = static_cast<double>(axis.count);
  const double step = (value - axis.lower) / axis.size;
  const double from_below = step >= 0 ? step : -1.0;
  const double limit = value <= axis.last ? end - 0.5 : end;
  return static_cast<std::int32_t>(from_below < limit ? from_below : limit) + 1;
}

void require_inside(std::span<const std::int32_t> places, std::size_t counts) {
  std::int32_t least = 0;
  std::int32_t greatest = 0;
  for (const std::int32_t place : places) {
    least = std::min(least, place);
    greatest = std::max(greatest, place);
  }
  if (least < 0 || (!places.empty() && static_cast<std::size_t>(greatest) >= counts)) {
    throw Error(ErrorKind::usage, "places from " + std::to_string(least) + " to " + std::to_string(greatest) +
                                      " are not all those of " + std::to_string(counts) + " counts");
  }
}

void count_in_tables(std::span<const std::int32_t> places, std::span<std::int64_t> counts) {
  std::array<std::array<std::uint32_t, most_in_tables>, tables> found{};
  std::size_t i = 0;
  for (; i + tables <= places.size(); i += tables) {
    for (std::size_t table = 0; table < tables; ++table) ++found[table][static_cast<std::size_t>(places[i + table])];
  }
  for (; i < places.size(); ++i) ++found[0][static_cast<std::size_t>(places[i])];
  for (const auto& table : found) {
    for (std::size_t place = 0; place < counts.size(); ++place) counts[place] += table[place];
  }
}

}  // namespace

void place_in_bins(std::span<const double> values, const BinAxis& axis, bool is_inner, std::span<std::int32_t> places,
                   const Version& version) {
  if (places.size() != values.size()) throw Error(ErrorKind::usage, "each value needs room for its place");
  const BinJob job{values.data(), values.size(), axis, is_inner, places.data()};
  std::size_t done = version.place == nullptr ? 0 : version.place(job);
  for (; done < values.size(); ++done) {
    const std::int32_t before = is_inner ? places[done] * (axis.count + 2) : 0;
    places[done] = before + place_of(values[done], axis);
  }
}

void place_in_bins(std::span<const double> values, const BinAxis& axis, bool is_inner, std::span<std::int32_t> places) {
  place_in_bins(values, axis, is_inner, places, best_version());
}

void count_places(std::span<const std::int32_t> places, std::span<std::int64_t> counts) {
  require_inside(places, counts.size());
  if (counts.size() > most_in_tables) {
    for (const std::int32_t place : places) ++counts[static_cast<std::size_t>(place)];
    return;
  }
  for (; !places.empty(); places = places.subspan(std::min(places.size(), most_places))) {
    count_in_tables(places.first(std::min(places.size(), most_places)), counts);
  }
}

}  // namespace quire::kernels
