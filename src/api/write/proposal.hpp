#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "quire/comm/comm.hpp"
#include "quire/format/format.hpp"

namespace quire {

/// What all ranks do at a time with a file that they write.
enum class Call : std::uint8_t { commit, open, rows, attach, close, make };
inline constexpr std::size_t calls = 6;

/// In a commit, and once a file is made, all meet again before it is over: whoever has said what all know goes on with
/// its own work.
[[nodiscard]] constexpr Parting parting_of(Call call) noexcept {
  return call == Call::commit || call == Call::make ? Parting::sent : Parting::received;
}

/// What a rank tells all others before the bytes of a step move.
struct Proposal {
  bool failed = false;  ///< this rank cannot write its part
  Call call = Call::commit;
  bool elements = false;        ///< this rank has put elements, whose kinds the ranks can still agree on
  bool unclosed = false;        ///< this rank could not close the file on its side
  std::uint64_t structure = 0;  ///< hash of what the call is about, which must be the same everywhere
  Measure measure{};
  std::vector<std::uint64_t> compared{};  ///< of which all ranks learn the greatest, each one by itself
};

/// What all ranks know afterwards.
struct Consensus {
  std::uint64_t failed = 0;                    ///< how many ranks failed,
  std::array<std::uint64_t, calls> calling{};  ///< and are in each of the calls
  bool same_structure = true;
  bool elements = false;                  ///< all ranks have put elements
  std::uint64_t unclosed = 0;             ///< how many ranks could not close the file
  Measure total;                          ///< of all measures,
  Measure before;                         ///< and of those of the lower ranks
  std::vector<std::byte> said;            ///< by rank 0, which knew what all do
  std::vector<std::uint64_t> greatest{};  ///< of the words that were compared

  [[nodiscard]] std::uint64_t count(Call call) const noexcept { return calling[static_cast<std::size_t>(call)]; }
  /// Whether ranks are in a step that fails with the call of another one.
  [[nodiscard]] bool fails_steps() const noexcept;
  /// Whether all ranks can go on with the call that this one has made. If not, but none of them has said why, `error`
  /// says that they do different things.
  [[nodiscard]] bool goes_on(Call mine, std::optional<Error>& error) const;
};

/// What rank 0 says when it knows what all ranks do, the measures aside. It neither throws nor meets others.
using ConsensusAnswer = std::function<std::vector<std::byte>(const Consensus&)>;

/// Collective. One sum of fixed size over all and over the lower ranks, after which rank 0 may say something; a second
/// one only if a step has more than 64 slots or more than 13 words to compare.
[[nodiscard]] Consensus propose(Comm& comm, const Proposal& mine, const ConsensusAnswer& answer = {});

}  // namespace quire
