#include "api/write/announcement.hpp"

#include <algorithm>
#include <array>
#include <span>

namespace quire {
namespace {

// Every rank must send the same number of words even when the ranks disagree about the structure of the step.
constexpr std::size_t fixed_slots = 64;

constexpr std::size_t hash_parts = 3;
constexpr unsigned part_bits = 22;

enum Word : std::size_t { failed, closing, changed, elements, hash_words, first_slot = hash_words + 2 * hash_parts };

// Sums of values and of squares show whether all values are equal (variance 0). The products are compared modulo 2^64,
// the same on every rank; all 64 bits of the hash are compared so, in parts that keep the squares small.
constexpr std::uint64_t part_of(std::uint64_t hash, std::size_t part) {
  return hash >> (part_bits * part) & ((std::uint64_t{1} << part_bits) - 1);
}

bool all_equal(std::uint64_t ranks, std::uint64_t sum, std::uint64_t squares) { return ranks * squares == sum * sum; }

}  // namespace

Consensus announce(Comm& comm, const Announcement& mine) {
  std::array<std::uint64_t, first_slot + fixed_slots> words{};
  words[failed] = mine.failed ? 1 : 0;
  words[closing] = mine.closing ? 1 : 0;
  words[changed] = mine.changed ? 1 : 0;
  words[elements] = mine.elements ? 1 : 0;
  for (std::size_t p = 0; p < hash_parts; ++p) {
    const std::uint64_t part = part_of(mine.structure, p);
    words[hash_words + 2 * p] = part;
    words[hash_words + 2 * p + 1] = part * part;
  }
  const std::size_t at_once = std::min(fixed_slots, mine.measure.size());
  std::copy_n(mine.measure.begin(), at_once, words.begin() + first_slot);
  comm.sum(words);

  const auto ranks = static_cast<std::uint64_t>(comm.size());
  Consensus all;
  all.failed = words[failed];
  all.closing = words[closing];
  all.changed = words[changed] != 0;
  all.elements = words[elements] == ranks;
  for (std::size_t p = 0; p < hash_parts; ++p) {
    const bool equal = all_equal(ranks, words[hash_words + 2 * p], words[hash_words + 2 * p + 1]);
    all.same_structure = all.same_structure && equal;
  }
  if (all.failed != 0 || all.closing != 0 || !all.same_structure) return all;

  all.total = mine.measure;
  std::copy_n(words.begin() + first_slot, at_once, all.total.begin());
  if (all.total.size() > fixed_slots) comm.sum(std::span(all.total).subspan(fixed_slots));
  return all;
}

}  // namespace quire
