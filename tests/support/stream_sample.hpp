#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "quire/quire.hpp"
#include "quire/spi/api/simulation.hpp"

namespace quire::test {

/// Generated streams whose bytes are functions of task and offset, so that any rank can write any of them and check any
/// other: empty ones, ones of one byte, ones of many pieces.
class StreamSample {
 public:
  explicit StreamSample(std::int64_t tasks, bool keyed) : tasks_(tasks), keyed_(keyed) {}

  [[nodiscard]] std::int64_t tasks() const noexcept { return tasks_; }
  /// Whether this rank writes a task: they are assigned round robin.
  [[nodiscard]] static bool is_mine(std::int64_t task, const Comm& comm) { return task % comm.size() == comm.rank(); }

  /// Writes all pieces of this rank's tasks, interleaved. The sample keeps their memory.
  void fill(WriteStep& step, const Comm& comm);
  /// The streams that fill() puts on the ranks of a program, for a simulation.
  [[nodiscard]] std::vector<SimulatedStream> streams(int rank, int ranks) const;
  /// Empty if the stream holds what fill() wrote; otherwise the difference in words.
  [[nodiscard]] std::string difference(const StreamReader& stream) const;
  /// All bytes of a task without the heads of records.
  [[nodiscard]] std::vector<std::byte> bytes(std::int64_t task) const;

 private:
  [[nodiscard]] static std::uint64_t piece_bytes(std::int64_t task, std::uint64_t piece);

  std::int64_t tasks_;
  bool keyed_;
  std::deque<std::vector<std::byte>> kept_;
};

}  // namespace quire::test
