#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "format/element_writer.hpp"
#include "quire/spi/format/planner.hpp"
#include "quire/spi/plan/plan.hpp"

namespace quire {

/// Adds some rows of one table of a placed part; errors name its columns. `positions` has an entry for each of the
/// table's runs: the end of the previous block.
void add_table(WritePlan& plan, const Table& table, const std::vector<Run>& runs, const Slice& rows,
               std::span<const ConstView> columns, std::vector<std::uint64_t>& positions, bool lossy);

/// Adds the groups of rows whose bytes are in memory, each at its place after those before it.
void add_groups(WritePlan& plan, const StepPart& part, const Placement& placement);

/// Adds the rows that have been weighed and have no runs.
void add_weighed_rows(WritePlan& plan, const StepPart& part, const Placement& placement, bool lossy);

/// The file order of the values of chosen rows, for each table; null if it is that of memory.
using RowOrders = std::vector<std::shared_ptr<const std::vector<std::size_t>>>;

/// The writes of a rank for a placed part, in plans of bounded size, each in file order. The first plan has everything
/// that needs little memory, whatever its length; scattered elements continue in the others.
class StepPlans {
 public:
  /// Empty.
  StepPlans() = default;
  /// `is_streamed`: columns are written later. `room`: limit for scattered elements in each plan.
  StepPlans(const StepPart& part, const Placement& placement, const RowOrders& orders, bool is_streamed, bool lossy,
            const PlanRoom& room = {});
  /// Of chosen rows of one table alone.
  StepPlans(const Table& table, const std::vector<Run>& runs, const SelectionWalk& rows,
            std::span<const ConstView> columns, bool lossy);
  /// Of a part of one field alone, whose elements have fixed places.
  StepPlans(const Field& field, const std::vector<Run>& runs, const SelectionWalk& elements,
            std::span<const ConstView> components, bool lossy);

  /// Throws the errors of encoders.
  [[nodiscard]] WritePlan next();
  [[nodiscard]] bool is_done() const noexcept { return is_begun_ && next_ == pieces_.size(); }

 private:
  void add_chosen_rows(const Table& table, const std::vector<Run>& runs, const SelectionWalk& rows,
                       const ElementSource& values, bool lossy);
  void add_field(const StepPart& part, const Placement& placement, std::size_t field, bool lossy);
  void add_elements(const Field& field, const std::vector<Run>& runs, const SelectionWalk& elements,
                    const ElementSource& values, bool lossy);

  WritePlan first_;
  PlanRoom room_;
  std::vector<ElementPieces> pieces_;                ///< of each table and field that has any,
  std::vector<std::vector<ElementWriter>> writers_;  ///< and their writers
  std::size_t next_ = 0;
  bool is_begun_ = true;  ///< the first plan has been taken
};

/// The maximum number of plans, known when a part is accepted.
[[nodiscard]] std::uint64_t count_plans(const StepPart& part);

/// All of a part whose columns are in memory, by file order: a plan that is not run.
[[nodiscard]] WritePlan whole_plan(const StepPart& part, const Placement& placement, bool lossy);

}  // namespace quire
