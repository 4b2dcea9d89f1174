#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "quire/comm/comm.hpp"
#include "quire/spi/format/planner.hpp"

namespace quire {

/// The collective calls of a file that is being written.
enum class Call : std::uint8_t { commit, open, rows, attach, close, make };
inline constexpr std::size_t calls = 6;

/// Words of a measure that need no further collective.
inline constexpr std::size_t slots_at_once = 64;

/// The words that a rank sends to all others before the bytes of a step are written.
struct Proposal {
  bool failed = false;  ///< this rank cannot write its part
  Call call = Call::commit;
  bool elements = false;        ///< this rank has put elements, whose kinds the ranks can still agree on
  bool unclosed = false;        ///< this rank could not close the file on its side
  std::uint64_t structure = 0;  ///< hash of the subject of the call, which must be the same everywhere
  Measure measure{};
  std::vector<std::uint64_t> compared{};  ///< all ranks receive the maximum of each
};

/// The result on all ranks.
struct Consensus {
  std::uint64_t failed = 0;                    ///< how many ranks failed,
  std::array<std::uint64_t, calls> calling{};  ///< and are in each of the calls
  bool same_structure = true;
  bool elements = false;                  ///< all ranks have put elements
  std::uint64_t unclosed = 0;             ///< how many ranks could not close the file
  Measure total;                          ///< of all measures,
  Measure before;                         ///< and of those of the lower ranks
  std::vector<std::byte> answer;          ///< of rank 0
  std::vector<std::uint64_t> greatest{};  ///< of the words that were compared

  [[nodiscard]] std::uint64_t count(Call call) const noexcept { return calling[static_cast<std::size_t>(call)]; }
  /// Whether ranks are in a step that fails with the call of another one.
  [[nodiscard]] bool fails_steps() const noexcept;
  /// Whether all ranks can continue with the call of this one. If not, and none of them has failed, `error` states that
  /// they make different calls.
  [[nodiscard]] bool goes_on(Call mine, std::optional<Error>& error) const;
};

/// The answer of rank 0 when it knows the calls of all ranks, without the measures. It neither throws nor communicates.
using ConsensusAnswer = std::function<std::vector<std::byte>(const Consensus&)>;

/// Collective. One sum of fixed size over all and over the lower ranks, followed by an answer of rank 0; a second sum
/// only if a step has more than slots_at_once slots or more than 13 words to compare.
[[nodiscard]] Consensus propose(Comm& comm, const Proposal& mine, const ConsensusAnswer& answer = {});

}  // namespace quire
