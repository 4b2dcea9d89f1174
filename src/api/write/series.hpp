#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "quire/api/writer.hpp"

namespace quire {

/// The place of the file of a step, and how it is written.
struct SeriesPlace {
  std::string path;
  WriteOptions options;
};
/// Independent. The place of a step in a series, or the path itself if it is no pattern.
[[nodiscard]] SeriesPlace place_in_series(const std::string& path, const WriteOptions& options, std::int64_t number);

/// A series of files, each with one step, that is written as one: the file of the step that was begun last, and sums of
/// those before. The state of its writer has a planner and the description of every file, but no file of its own.
struct Series {
  std::shared_ptr<Writer::State> file{};  ///< null before the first step, and after an error
  TransportCounters counters{};           ///< of the files before
  Timing timing{};                        ///< of these

  [[nodiscard]] TransportCounters counters_so_far() const;
  [[nodiscard]] Timing timing_so_far() const;
};

/// Collective. Opens the writer of a series. Throws what fails on any rank.
[[nodiscard]] std::shared_ptr<Writer::State> open_series(std::shared_ptr<Writer::State> state);
/// Collective. Closes the file before, and creates the file of a step. Every rank throws the same error, an aborted one
/// if another rank has left the series.
[[nodiscard]] Writer next_in_series(Writer::State& state, std::int64_t number);
/// Collective. Closes the last file, or abandons it for the `reason`, when all ranks close the series.
void close_series(Writer::State& state, const std::optional<std::string>& reason);

}  // namespace quire
