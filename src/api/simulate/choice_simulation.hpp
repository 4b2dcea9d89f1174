#pragma once

#include <cstdint>
#include <vector>

#include "api/write/whole_tables.hpp"
#include "quire/format/format.hpp"

namespace quire {

/// What the ranks of a simulated program choose of tables, all together. Such a table has as many rows as the greatest
/// one that is chosen tells.
class ChoiceSimulation {
 public:
  explicit ChoiceSimulation(const WritePlanner& planner) : planner_(planner) {}

  /// The description of a part to be accepted: as in a program, no rank has rows of its own of such tables.
  [[nodiscard]] static StepDescription without_chosen(const StepPart& part);
  /// Throws unsupported errors for chosen rows of an accepted part that have no places of their own.
  void check(const StepPart& part) const;
  /// Ranks in order, accepted parts. Throws conflict errors, as a program would, unless all choose rows of the same
  /// tables.
  void add(int rank, const StepPart& part);
  /// When all have measured: adds the whole tables to that, and tells them to the part of rank 0.
  void finish(StepPart& root, Measure& total);
  /// Tells a part, once it is measured, how large the tables are that it is placed in.
  void tell(StepPart& part) const { add_whole_tables(part, tables_); }
  [[nodiscard]] bool are_there() const noexcept { return !tables_.empty(); }

 private:
  const WritePlanner& planner_;
  std::vector<std::uint8_t> of_root_;  ///< for each table whether rank 0 has chosen rows
  std::vector<WholeTable> tables_;
  std::vector<std::uint64_t> chosen_;  ///< rows of each of these, of all ranks
};

}  // namespace quire
