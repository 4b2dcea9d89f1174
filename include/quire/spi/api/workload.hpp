#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "quire/spi/format/step_part.hpp"
#include "quire/spi/plan/survey.hpp"

namespace quire {

/// How the elements of fields are spread over ranks.
struct FieldGrid {
  /// Ranks along each axis, slowest first; their product is the number of ranks. Empty: all along the slowest axis.
  std::vector<std::uint64_t> ranks;
  /// A rank has every n-th element along each axis instead of neighbouring ones.
  bool interleaved = false;
};

/// Elements of one rank along each axis: `count` of them, each `stride` after the previous one.
struct AxisPart {
  std::uint64_t start = 0;
  std::uint64_t stride = 1;
  std::uint64_t count = 0;
};

/// The bytes that every rank writes as a stream of its own.
struct StreamWorkload {
  std::uint64_t bytes = 0;
  std::uint64_t pieces = 1;                  ///< in which they are written
  std::optional<std::uint64_t> chunk_bytes;  ///< requested; no value: as the stream needs
};

/// Independent. A grid of `ranks` ranks with similar numbers along the axes; the slowest axis gets most.
[[nodiscard]] std::vector<std::uint64_t> balanced_grid(std::uint64_t ranks, std::size_t axes);

/// A synthetic step that is spread evenly over any number of ranks: rows of tables (global in the description) in
/// slices, fields in boxes, elements with their coefficients in slices, streams one per rank. Its views have no memory,
/// except for the ids of elements.
class Workload {
 public:
  struct Rules {
    FieldGrid grid;
    std::uint64_t string_bytes = 8;  ///< of each string
    std::uint64_t row_bytes = 0;     ///< of a row, where rows are text; 0: as numbers of usual width take
    StreamWorkload streams;          ///< if `step` has streams: one for each rank
  };
  /// Rows of tables with an expansion follow from those of their elements. Throws usage errors for grids that do not
  /// fit, and for expansions without an order.
  Workload(StepDescription step, int ranks, Rules rules);

  void set_number(std::int64_t number) { step_.number = number; }
  [[nodiscard]] const StepDescription& step() const noexcept { return step_; }
  [[nodiscard]] const Rules& rules() const noexcept { return rules_; }
  [[nodiscard]] int ranks() const noexcept { return ranks_; }
  /// Bytes of values in memory: of columns, fields, coefficients and streams.
  [[nodiscard]] std::uint64_t payload() const;

  /// The rows of a table that a rank has.
  [[nodiscard]] Slice rows(std::size_t table, int rank) const;
  /// The part of a rank. It lives until the next one is created. `with_values`: coefficients have memory too, with
  /// random values.
  [[nodiscard]] StepPart part(int rank, bool with_values = false) const;
  /// Where a rank's elements of a field are along each axis.
  [[nodiscard]] std::vector<AxisPart> axes(int rank, std::size_t field) const;
  [[nodiscard]] Selection selection(int rank, std::size_t field) const;
  /// Appends numbers that are the same for ranks whose parts differ only in the positions of their fields and ids:
  /// rows, elements along each axis, lengths of the texts of ids.
  void append_kind(int rank, std::vector<std::uint64_t>& kind) const;

  /// The pieces of a rank's stream.
  [[nodiscard]] std::vector<std::uint64_t> pieces() const;

 private:
  [[nodiscard]] std::uint64_t factor(std::size_t table) const { return factors_[table]; }
  void add_table(StepPart& part, std::size_t table, int rank, bool with_values) const;
  [[nodiscard]] ConstView view_of(std::size_t table, const Column& column, const Slice& rows, bool with_values) const;

  StepDescription step_;
  int ranks_;
  Rules rules_;
  std::vector<std::vector<std::uint64_t>> grids_;  ///< of each field
  std::vector<std::uint64_t> units_;               ///< of each table: what is split, its rows or its elements
  std::vector<std::uint64_t> factors_;             ///< rows for each of these
  std::vector<bool> holds_ids_;                    ///< whether a table is one of elements
  mutable std::deque<std::vector<std::uint32_t>> ids_;
  mutable std::vector<double> values_;
};

}  // namespace quire
