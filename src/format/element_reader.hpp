#pragma once

#include <memory>
#include <span>

#include "format/records.hpp"
#include "plan/plan_room.hpp"
#include "quire/model/selection.hpp"
#include "quire/spi/plan/plan.hpp"
#include "quire/spi/plan/record.hpp"
#include "quire/spi/plan/sieve.hpp"

namespace quire {

/// Reads elements of an array, or rows of a table, in plans of bounded size.
class ElementReader {
 public:
  /// Arguments and errors as for add_selection(). `place` must outlive the reader.
  ElementReader(const Place& place, const SelectionWalk& elements, std::span<const ColumnTarget> columns,
                const MemorySelection& memory, bool lossy, const SieveLimits& limits = {});
  ElementReader(ElementReader&&) noexcept;
  ElementReader& operator=(ElementReader&&) noexcept;
  ~ElementReader();

  /// Independent. Adds extents of the next elements, run by run and as many as there is room for; false after the last
  /// one. Runs whose values are not addressed one by one (is_addressed) are added as wholes.
  bool add(ReadPlan& plan, PlanRoom room = {});

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace quire
