#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "api/write/step_state.hpp"
#include "quire/api/streams.hpp"

namespace quire {

/// One piece of a stream, referenced until the commit.
struct StreamPiece {
  enum class Kind : std::uint8_t { plain, together, record, room } kind = Kind::plain;
  std::span<const std::byte> bytes;
  std::uint64_t key = 0;   ///< of a record
  std::uint64_t room = 0;  ///< that the next piece needs
};

/// The state of a stream that is being written.
struct StreamWriter::State {
  Transport* transport = nullptr;  ///< as long as the step is open
  int writer = 0;                  ///< the rank that writes the stream
  StreamOptions options;
  std::vector<StreamPiece> pieces;
  std::uint64_t bytes = 0;     ///< of its own pieces, including heads of records
  std::uint64_t together = 0;  ///< of pieces that are written together with others
  bool is_keyed = false;
  bool merges = false;
  bool finished = false;
  std::optional<StreamFill> fill;  ///< after it is placed
  std::uint64_t noted = 0;         ///< chunks before this one are full, and noted
  /// The places of each piece according to rank 0; empty for those in the stream's own chunks.
  std::vector<std::vector<Extent>> merged;
  bool collects = false;  ///< its chunks hold pieces of others, too: all places are sent by rank 0
  std::optional<Error> failure;

  void add(const StreamPiece& piece);
  /// Adds the places of a piece to a plan; the plan keeps heads of records.
  void place(WritePlan& plan, const StreamPiece& piece);
  /// Adds all of them, with the places of merged ones from rank 0.
  void place_all(WritePlan& plan);
  /// Records the current use, if the format has a place for it.
  void note();
};

/// An error with its stream, unless it names an object.
[[nodiscard]] Error about_stream(Error error, std::int64_t rank);

/// Collective, after a file was created: passes the machine to the planner, if its plan depends on it.
void suit_machine(Writer::State& writer);
/// Collective. Like propose(), for files of any kind: for streams, a gather to rank 0, which finds all places, and a
/// scatter of its answers.
[[nodiscard]] Consensus propose_call(Writer::State& writer, const Proposal& mine, const ConsensusAnswer& answer = {});
/// Collective. Sends the requests of this rank's streams to rank 0, and receives their places; writes the title.
/// Failures throw on all ranks.
void place_streams(WriteStep::State& step);
/// Collective with a collective transport, otherwise independent. Writes the bytes of all pieces; failures are kept.
void write_streams(WriteStep::State& step);
/// Rank 0, when the step is reported or abandoned: removes the records of its use.
void drop_notes(const WriteStep::State& step);
/// Collective. Rank 0 passes the use of all streams to the planner, and then runs `publish` with the first failure of
/// any rank; every rank returns its bytes.
[[nodiscard]] std::vector<std::byte> collect_streams(
    WriteStep::State& step, const std::function<std::vector<std::byte>(const std::optional<Error>&)>& publish);

}  // namespace quire
