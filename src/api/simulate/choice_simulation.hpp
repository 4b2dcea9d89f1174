#pragma once

#include <cstdint>
#include <vector>

#include "api/write/whole_tables.hpp"
#include "quire/spi/format/planner.hpp"

namespace quire {

/// The chosen rows of tables of all ranks of a simulated program. Such a table has as many rows as the greatest chosen
/// one requires.
class ChoiceSimulation {
 public:
  explicit ChoiceSimulation(WritePlanner& planner) : planner_(planner) {}

  /// The description of a part to be accepted: as in a program, no rank has rows of its own in such tables.
  [[nodiscard]] static StepDescription without_chosen(const StepPart& part);
  /// Throws unsupported errors for chosen rows of an accepted part that have no fixed places.
  void check(const StepPart& part) const;
  /// Ranks in order, accepted parts. Throws conflict errors, as a program would, unless all choose rows of the same
  /// tables.
  void add(int rank, const StepPart& part);
  /// After all ranks have measured: adds the whole tables to `total`, and to the part of rank 0.
  void finish(StepPart& root, Measure& total) const;
  /// Adds the sizes of the whole tables to a part after it is measured.
  void assign(StepPart& part) const { add_whole_tables(part, tables_); }
  [[nodiscard]] bool are_there() const noexcept { return !tables_.empty(); }

 private:
  WritePlanner& planner_;
  std::vector<std::uint8_t> of_root_;  ///< for each table whether rank 0 has chosen rows
  std::vector<WholeTable> tables_;
};

}  // namespace quire
