#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "quire/model/selection.hpp"
#include "quire/model/slice.hpp"
#include "quire/model/view.hpp"
#include "quire/plan/plan.hpp"
#include "quire/plan/plan_room.hpp"
#include "quire/plan/record.hpp"

namespace quire {

/// Elements that follow each other in the file.
struct ElementPiece {
  Slice elements;
  bool is_gathered = true;  ///< their bytes are made with those of their neighbours before the plan is run
};

/// Cuts the elements of an array, or rows of a table, into pieces for which a plan has room: the same whenever it is
/// asked.
class ElementPieces {
 public:
  /// An element stands in up to `places` places of the file (the columns of a row, the components of a field), which
  /// take `bytes` together.
  ElementPieces(const SelectionWalk& elements, std::uint64_t places, std::uint64_t bytes);

  /// Independent. The next ones in file order, as many as there is room for; that is taken. At least one of
  /// room that is not used. Throws usage errors where two parts of a selection share an element.
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
  MemorySelection memory{};      ///< which of their values
  /// Where memory is packed: which value comes next in the file; without it they come one after the other.
  std::shared_ptr<const std::vector<std::size_t>> order{};
};

/// Writes elements of one run whose values have places of their own (is_addressed), some at a time, in file order.
class ElementWriter {
 public:
  /// For as many `elements` in all. Throws usage and type errors as add_rows.
  ElementWriter(const Run& run, const ElementSource& source, std::uint64_t elements, bool lossy,
                std::span<const std::string> objects);
  ElementWriter(ElementWriter&&) noexcept;
  ElementWriter& operator=(ElementWriter&&) noexcept;
  ~ElementWriter();

  /// Independent. Extents of the next elements, with what comes next in memory. Ready bytes are written from there,
  /// those of pieces that are gathered are kept by the plan. Throws usage errors for elements behind the run, and what
  /// encoders throw.
  void add(WritePlan& plan, std::span<const ElementPiece> pieces);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace quire
