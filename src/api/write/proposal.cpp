#include "api/write/proposal.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace quire {
namespace {

// Every rank must send the same number of words even when the ranks disagree about the structure of the step.
constexpr std::size_t fixed_comparisons = 13;

constexpr std::size_t hash_parts = 3;
constexpr unsigned part_bits = 22;

enum Word : std::size_t {
  failed,
  elements,
  unclosed,
  first_call,
  hash_words = first_call + calls,
  first_slot = hash_words + 2 * hash_parts
};

/// The call of a rank, in words for one rank and for several.
struct Doing {
  std::string_view one;
  std::string_view many;
};
constexpr std::array<Doing, calls> doings{{{"commits a step", "commit a step"},
                                           {"opens a step", "open a step"},
                                           {"agrees on the rows of a step", "agree on the rows of a step"},
                                           {"attaches or drops a file", "attach or drop a file"},
                                           {"closes the file", "close the file"},
                                           {"creates the file", "create the file"}}};

// Sums of values and of squares show whether all values are equal (variance 0). The products are compared modulo 2^64,
// the same on every rank; all 64 bits of the hash are compared so, in parts that keep the squares small.
constexpr std::uint64_t part_of(std::uint64_t hash, std::size_t part) {
  return hash >> (part_bits * part) & ((std::uint64_t{1} << part_bits) - 1);
}

bool all_equal(std::uint64_t ranks, std::uint64_t sum, std::uint64_t squares) { return ranks * squares == sum * sum; }

using Words = std::array<std::uint64_t, first_slot + slots_at_once>;

/// The consensus from the sums over all ranks, without the measures.
Consensus consensus_of(const Words& sums, std::uint64_t ranks) {
  Consensus all;
  all.failed = sums[failed];
  all.unclosed = sums[unclosed];
  std::copy_n(sums.begin() + first_call, calls, all.calling.begin());
  all.elements = sums[elements] == ranks;
  for (std::size_t p = 0; p < hash_parts; ++p) {
    const bool equal = all_equal(ranks, sums[hash_words + 2 * p], sums[hash_words + 2 * p + 1]);
    all.same_structure = all.same_structure && equal;
  }
  return all;
}

}  // namespace

bool Consensus::fails_steps() const noexcept {
  return count(Call::commit) + count(Call::open) + count(Call::rows) != 0;
}

bool Consensus::goes_on(Call mine, std::optional<Error>& error) const {
  if (failed != 0 || count(Call::close) != 0) return false;
  std::string others;
  for (std::size_t call = 0; call < calls; ++call) {
    if (call == static_cast<std::size_t>(mine) || calling[call] == 0) continue;
    others += (others.empty() ? "" : " or ") + std::string(doings[call].many);
  }
  if (others.empty()) return true;
  if (!error) {
    const std::string own(doings[static_cast<std::size_t>(mine)].one);
    error = Error(ErrorKind::conflict, "this rank " + own + " while others " + others)
                .advise("all ranks make the same calls in the same order");
  }
  return false;
}

Consensus propose(Comm& comm, const Proposal& mine, const ConsensusAnswer& answer) {
  Words words{};
  words[failed] = mine.failed ? 1 : 0;
  words[unclosed] = mine.unclosed ? 1 : 0;
  words[first_call + static_cast<std::size_t>(mine.call)] = 1;
  words[elements] = mine.elements ? 1 : 0;
  for (std::size_t p = 0; p < hash_parts; ++p) {
    const std::uint64_t part = part_of(mine.structure, p);
    words[hash_words + 2 * p] = part;
    words[hash_words + 2 * p + 1] = part * part;
  }
  const std::size_t at_once = std::min(slots_at_once, mine.measure.size());
  std::copy_n(mine.measure.begin(), at_once, words.begin() + first_slot);
  Words lower{};
  std::array<std::uint64_t, fixed_comparisons> greatest{};
  const std::size_t compared_at_once = std::min(fixed_comparisons, mine.compared.size());
  std::copy_n(mine.compared.begin(), compared_at_once, greatest.begin());
  const auto ranks = static_cast<std::uint64_t>(comm.size());
  std::vector<std::byte> bytes = comm.sum_and_answer(
      words, lower, greatest, [&] { return answer ? answer(consensus_of(words, ranks)) : std::vector<std::byte>(); });
  Consensus all = consensus_of(words, ranks);
  all.answer = std::move(bytes);
  std::optional<Error> ignored;
  if (!all.goes_on(mine.call, ignored) || !all.same_structure) return all;

  all.total = mine.measure;
  std::copy_n(words.begin() + first_slot, at_once, all.total.begin());
  all.before.resize(all.total.size());
  std::copy_n(lower.begin() + first_slot, at_once, all.before.begin());
  if (all.total.size() > slots_at_once) {
    comm.sum_and_prefix(std::span(all.total).subspan(slots_at_once), std::span(all.before).subspan(slots_at_once));
  }
  all.greatest = mine.compared;
  std::copy_n(greatest.begin(), compared_at_once, all.greatest.begin());
  if (all.greatest.size() > fixed_comparisons) comm.maximum(std::span(all.greatest).subspan(fixed_comparisons));
  return all;
}

}  // namespace quire
