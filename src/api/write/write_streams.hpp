#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "api/write/writer_state.hpp"
#include "quire/api/streams.hpp"

namespace quire {

/// One piece of a stream, looked at until the commit.
struct StreamPiece {
  enum class Kind : std::uint8_t { plain, together, record, room } kind = Kind::plain;
  std::span<const std::byte> bytes;
  std::uint64_t key = 0;   ///< of a record
  std::uint64_t room = 0;  ///< that the next piece needs
};

/// Everything of a stream that is being written.
struct StreamWriter::State {
  Transport* transport = nullptr;  ///< as long as the step is open
  int writer = 0;                  ///< the rank that brings the stream
  StreamOptions options;
  std::vector<StreamPiece> pieces;
  std::uint64_t bytes = 0;     ///< of its own pieces, heads of records included
  std::uint64_t together = 0;  ///< of pieces that are written together with others
  bool is_keyed = false;
  bool merges = false;
  bool finished = false;
  std::optional<StreamFill> fill;  ///< once it is placed
  std::uint64_t noted = 0;         ///< chunks before this one are full, and noted
  /// Where rank 0 has put each piece; empty for those that go to the stream's own chunks.
  std::vector<std::vector<Extent>> merged;
  bool collects = false;  ///< its chunks take pieces of others, too: all places come from rank 0
  std::optional<Error> failure;

  void add(const StreamPiece& piece);
  /// Adds to a plan where a piece goes; heads of records are kept by the plan.
  void place(WritePlan& plan, const StreamPiece& piece);
  /// All of them, with what rank 0 has said of merged ones.
  void place_all(WritePlan& plan);
  /// Writes down what is used by now, where the format has a place for it.
  void note();
};

/// An error with the stream that it is about, unless it names something.
[[nodiscard]] Error about_stream(Error error, std::int64_t rank);

/// Collective, after a file was made: tells the planner what writes, if that matters to it.
void suit_machine(Writer::State& writer);
/// Collective. As propose(), for files of any kind: the ranks that write streams meet at rank 0, where the places are
/// found at once.
[[nodiscard]] Consensus meet(Writer::State& writer, const Proposal& mine, const ConsensusAnswer& answer = {});
/// Collective. Tells rank 0 what this rank's streams ask for, and learns their places; writes the title. Failures throw
/// on all ranks.
void place_streams(WriteStep::State& step);
/// Collective where the transport is, else independent. Moves the bytes of all pieces; failures are kept.
void write_streams(WriteStep::State& step);
/// Rank 0, when the step is told or given up: what was noted is of no use any longer.
void drop_notes(const WriteStep::State& step);
/// Collective. Rank 0 hands the planner what all streams have used, and then runs `publish` with the first failure of
/// any rank; every rank returns its bytes.
[[nodiscard]] std::vector<std::byte> collect_streams(
    WriteStep::State& step, const std::function<std::vector<std::byte>(const std::optional<Error>&)>& publish);

}  // namespace quire
