#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace quire::kernels {

struct Version;

/// Bins of one size on an axis: a value v is in bin floor((v - lower) / size).
struct BinAxis {
  double lower = 0;
  double size = 1;
  std::int32_t count = 0;
  double last = 0;  ///< values up to it that reach the end of the bins are in the last one; -infinity: none
};

/// Values that are given their places.
struct BinJob {
  const double* values;
  std::size_t count;
  BinAxis axis;
  bool is_inner;
  std::int32_t* places;
};

/// Independent. Writes the place of each value: 0 below the bins and for NaN, then 1 to count, and count + 1 above.
/// With `is_inner` a place is added to the one that is there times count + 2: cells of several axes, the last fastest.
/// Throws usage errors unless there is room for as many places.
void place_in_bins(std::span<const double> values, const BinAxis& axis, bool is_inner, std::span<std::int32_t> places,
                   const Version& version);
void place_in_bins(std::span<const double> values, const BinAxis& axis, bool is_inner, std::span<std::int32_t> places);

/// Independent. Adds to each of the counts how many of the places are its number, from 0 on. Throws usage errors for
/// places that are none of them.
void count_places(std::span<const std::int32_t> places, std::span<std::int64_t> counts);

}  // namespace quire::kernels
