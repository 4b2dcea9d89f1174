#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/in_file.hpp"
#include "api/read/compressed.hpp"
#include "api/read/steps_ahead.hpp"
#include "model/step_names.hpp"
#include "plan/chunk_cache.hpp"
#include "quire/api/reader.hpp"
#include "quire/format/format.hpp"
#include "quire/spi/format/describer.hpp"

namespace quire {

/// The state of a file that is being read.
struct Reader::State {
  std::string path;
  Comm comm;
  ReadOptions options{};
  std::string first_file{};             ///< the opened file: the path, or a file in that directory
  std::optional<Error> entry_damage{};  ///< rank 0: of the file that should have been opened for a directory
  const Format* format = nullptr;
  std::unique_ptr<Transport> transport{};
  std::optional<InflationSurvey> inflation{};  ///< if the file is compressed
  std::unique_ptr<Describer> describer{};      ///< on rank 0; on others only once they read an opaque object
  FileDescription file{};
  std::shared_ptr<ChunkCache> cache{};  ///< of chunks that this rank has decoded, if the options allow one
  StepsAhead ahead{};                   ///< the same on all ranks
  std::uint64_t serials = 0;
  std::uint64_t adopted = 0;  ///< serial of the layout that this rank's own describer adopted last
  Timing timing{};
  bool closed = false;

  /// Independent. Called after the file is described: gives the transport its further members, if there are any.
  void find_members();
  /// Independent. The file that is opened for the path. A tolerant reader opens another file of a directory if the one
  /// that it should open is damaged.
  [[nodiscard]] std::string find_first_file();
  /// Independent. This rank's own describer, created when first needed.
  [[nodiscard]] Describer& own_describer();
  /// Independent. The same for opaque objects of a step: it uses this layout, whichever rank has described it.
  /// Different layouts have different serials.
  [[nodiscard]] OpaqueReader& opaque_reader(std::uint64_t index, const StepLayout& layout, std::uint64_t serial);
  /// Independent. A plan that reads nothing yet, and no chunk of the cache.
  [[nodiscard]] ReadPlan new_plan() const { return {.extents = {}, .cache = cache}; }
  /// Independent. A describer without an adopted layout.
  [[nodiscard]] std::unique_ptr<Describer> new_describer();
  [[nodiscard]] std::uint64_t next_serial() noexcept { return ++serials; }
  /// Whether the lists of a step described by rank 0 exceed the budget for the other ranks.
  [[nodiscard]] bool withholds(const StepLayout& layout) const;
  /// Collective. The layouts that rank 0 describes by `describe`; with `may_withhold` the others get marks for long
  /// lists.
  [[nodiscard]] std::vector<StepLayout> layouts(const std::function<std::vector<StepLayout>(Describer&)>& describe,
                                                bool may_withhold);
  [[nodiscard]] Error placed(Error error) const {
    if (error.file().empty()) error.in_file(path);
    return error;
  }
};

/// One described step; keeps the file open.
struct ReadStep::State {
  std::shared_ptr<Reader::State> reader;
  std::uint64_t index = 0;
  StepLayout layout;
  std::uint64_t serial = 0;
  bool is_partial = false;  ///< only rank 0 has some of the lists, the others have marks
  /// On a rank without the whole layout: its own description, after rows were requested.
  mutable std::optional<StepLayout> described{};
  mutable StepNames names{};

  /// Independent. Positions in the description. Throws missing errors that name the nearest.
  [[nodiscard]] std::size_t find_table(const std::string& table) const {
    return names.find_table(layout.description, table);
  }
  [[nodiscard]] std::size_t find_column(std::size_t table, const std::string& column) const {
    return names.find_column(layout.description, table, column);
  }
  [[nodiscard]] std::size_t find_field(const std::string& field) const {
    return names.find_field(layout.description, field);
  }

  /// Independent. The layout with all its lists.
  [[nodiscard]] const StepLayout& whole() const;
  /// Independent. Reads opaque objects of this layout.
  [[nodiscard]] OpaqueReader& opaque_reader() const { return reader->opaque_reader(index, whole(), serial); }
};

/// Collective if the transport is, otherwise without effect. Every other collective call begins with it, so that ranks
/// in close() at the same time are detected as in a read. Then throws an aborted error.
inline void synchronize_readers(Reader::State& state) {
  if (state.comm.size() > 1 && state.transport->is_collective()) state.transport->run(ReadPlan{});
}

inline void require_open(const Reader::State& state) {
  if (state.closed) throw state.placed(Error(ErrorKind::usage, "the file is closed"));
}

}  // namespace quire
