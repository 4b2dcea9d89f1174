#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "plan/plan_room.hpp"
#include "quire/model/selection.hpp"
#include "quire/model/value.hpp"
#include "quire/spi/plan/plan.hpp"
#include "quire/spi/plan/record.hpp"

namespace quire {

/// Elements that are consecutive in the file.
struct ElementPiece {
  Slice elements;
  bool is_gathered = true;  ///< their bytes are encoded together with those of their neighbours before the plan is run
};

/// Cuts the elements of an array, or rows of a table, into pieces for which a plan has room. The result is
/// deterministic.
class ElementPieces {
 public:
  /// An element is stored in up to `places` places of the file (the columns of a row, the components of a field), with
  /// `bytes` bytes in all.
  ElementPieces(const SelectionWalk& elements, std::uint64_t places, std::uint64_t bytes);

  /// Independent. The next pieces in file order, as many as there is room for, which is used up. At least one if the
  /// room is unused. Throws usage errors if two parts of a selection share an element.
  [[nodiscard]] std::vector<ElementPiece> next(PlanRoom& room);
  [[nodiscard]] bool is_done() const noexcept { return rest_.count == 0; }

 private:
  [[nodiscard]] ElementPiece cut(PlanRoom& room);
  void skip(std::uint64_t elements);

  SelectionWalk walk_;
  Line rest_;
  std::uint64_t places_;
  std::uint64_t bytes_;
};

/// The caller's values for elements of one run.
struct ElementSource {
  std::vector<ConstView> views;  ///< one for each cell of the run
  MemorySelection memory{};      ///< the selected values of the views
  /// If memory is packed: the index of each next value in file order; without it the values are in file order.
  std::shared_ptr<const std::vector<std::size_t>> order{};
};

/// Writes elements of one run whose values are addressed one by one (is_addressed), in parts and in file order.
class ElementWriter {
 public:
  /// `elements` is the total number. Throws usage and type errors as add_rows.
  ElementWriter(const Run& run, const ElementSource& source, std::uint64_t elements, bool lossy,
                std::span<const std::string> objects);
  ElementWriter(ElementWriter&&) noexcept;
  ElementWriter& operator=(ElementWriter&&) noexcept;
  ~ElementWriter();

  /// Independent. Adds extents of the next elements, with the next values in memory. Ready bytes are written from
  /// there; the plan owns those of gathered pieces. Throws usage errors for elements beyond the run, and the errors of
  /// encoders.
  void add(WritePlan& plan, std::span<const ElementPiece> pieces);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace quire
