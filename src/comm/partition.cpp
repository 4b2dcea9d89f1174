#include "quire/comm/partition.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "quire/base/error.hpp"

namespace quire {
namespace {

void require_rank(int rank, int size) {
  if (size < 1 || rank < 0 || rank >= size) {
    throw Error(ErrorKind::usage,
                "there is no rank " + std::to_string(rank) + " among " + std::to_string(size) + " ranks");
  }
}

/// The sum of the weights, in extended precision so that weights near the largest double do not overflow.
long double total_of(std::span<const double> weights) {
  long double total = 0;
  for (const double weight : weights) {
    if (!std::isfinite(weight) || weight < 0) {
      throw Error(ErrorKind::usage, "a weight is negative or not a finite number: " + std::to_string(weight));
    }
    total += weight;
  }
  if (total == 0) throw Error(ErrorKind::usage, "all weights are zero");
  return total;
}

}  // namespace

Slice even_slice(std::uint64_t rows, int rank, int size) {
  require_rank(rank, size);
  const auto parts = static_cast<std::uint64_t>(size);
  const auto part = static_cast<std::uint64_t>(rank);
  const std::uint64_t quotient = rows / parts;
  const std::uint64_t remainder = rows % parts;
  return {part * quotient + std::min(part, remainder), quotient + (part < remainder ? 1 : 0)};
}

Slice slice_without_root(std::uint64_t rows, int rank, int size) {
  require_rank(rank, size);
  if (size == 1) return {0, rows};
  if (rank == 0) return {0, 0};
  return even_slice(rows, rank - 1, size - 1);
}

Slice weighted_slice(std::uint64_t rows, int rank, std::span<const double> weights) {
  require_rank(rank, static_cast<int>(weights.size()));
  const long double total = total_of(weights);
  const auto last_positive = std::ranges::find_if(weights.rbegin(), weights.rend(), [](double w) { return w > 0; });
  const auto takes_rest = weights.rend() - last_positive - 1;

  // The row where the first `parts` ranks end. Every rank computes the same sums in the same order.
  const auto end_of = [&](int parts) -> std::uint64_t {
    if (parts > takes_rest) return rows;
    long double share = 0;
    for (const double weight : weights.first(static_cast<std::size_t>(parts))) share += weight;
    const long double end = std::floor(static_cast<long double>(rows) * (share / total));
    return end >= static_cast<long double>(rows) ? rows : static_cast<std::uint64_t>(end);
  };
  const std::uint64_t first = end_of(rank);
  return {first, end_of(rank + 1) - first};
}

}  // namespace quire
