#include "api/announcement.hpp"

#include <algorithm>
#include <array>
#include <span>

namespace quire {
namespace {

// Every rank must send the same number of words even when the ranks disagree about the structure of the step.
constexpr std::size_t fixed_slots = 64;

enum Word : std::size_t { failed, closing, changed, low_sum, low_squares, high_sum, high_squares, first_slot };

// Sums of values and of squares show whether all values are equal (variance 0). The products are compared modulo 2^64,
// the same on every rank; two halves of 20 bits make a false agreement about as rare as 1 in 2^40.
constexpr std::uint64_t low_part(std::uint64_t hash) { return hash & 0xFFFFF; }
constexpr std::uint64_t high_part(std::uint64_t hash) { return (hash >> 20) & 0xFFFFF; }

bool all_equal(std::uint64_t ranks, std::uint64_t sum, std::uint64_t squares) { return ranks * squares == sum * sum; }

}  // namespace

Consensus announce(Comm& comm, const Announcement& mine) {
  std::array<std::uint64_t, first_slot + fixed_slots> words{};
  words[failed] = mine.failed ? 1 : 0;
  words[closing] = mine.closing ? 1 : 0;
  words[changed] = mine.changed ? 1 : 0;
  words[low_sum] = low_part(mine.structure);
  words[low_squares] = low_part(mine.structure) * low_part(mine.structure);
  words[high_sum] = high_part(mine.structure);
  words[high_squares] = high_part(mine.structure) * high_part(mine.structure);
  const std::size_t at_once = std::min(fixed_slots, mine.measure.size());
  std::copy_n(mine.measure.begin(), at_once, words.begin() + first_slot);
  comm.sum(words);

  const auto ranks = static_cast<std::uint64_t>(comm.size());
  Consensus all;
  all.failed = words[failed];
  all.closing = words[closing];
  all.changed = words[changed] != 0;
  all.same_structure =
      all_equal(ranks, words[low_sum], words[low_squares]) && all_equal(ranks, words[high_sum], words[high_squares]);
  if (all.failed != 0 || all.closing != 0 || !all.same_structure) return all;

  all.total = mine.measure;
  std::copy_n(words.begin() + first_slot, at_once, all.total.begin());
  if (all.total.size() > fixed_slots) comm.sum(std::span(all.total).subspan(fixed_slots));
  return all;
}

}  // namespace quire
