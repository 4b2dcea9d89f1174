#include "selection.hpp"

#include <nanobind/stl/pair.h>

#include "bindings.hpp"
#include "quire/comm/partition.hpp"
#include "value.hpp"

namespace nb = nanobind;

namespace quire::python {
namespace {

using Axes = Tuple<std::uint64_t>;
using BoxTuple = TupleOf<Axes, Axes>;

BoxTuple pair_of(const Box& box) { return nb::make_tuple(to_tuple(box.start), to_tuple(box.count)); }

ListOf<BoxTuple> disjoint(const std::vector<std::pair<Numbers, Numbers>>& boxes) {
  std::vector<Box> given;
  for (const auto& [start, count] : boxes) given.push_back({start, count});
  nb::list result;
  for (const Box& box : disjoint_boxes(std::move(given))) result.append(pair_of(box));
  return result;
}

BoxTuple disjoint_of_rank(Comm& comm, Numbers start, Numbers count, const std::optional<Error>& refusal) {
  const Box mine{std::move(start), std::move(count)};
  Box left;
  {
    const nb::gil_scoped_release release;
    agree(comm, refusal);
    left = disjoint_box(comm, mine);
  }
  return pair_of(left);
}

void check_disjoint(Comm& comm, Numbers start, Numbers count, const std::optional<Error>& refusal) {
  const Box mine{std::move(start), std::move(count)};
  const nb::gil_scoped_release release;
  agree(comm, refusal);
  require_disjoint(comm, mine);
}

TupleOf<Axes, Axes, Axes, Axes, Axes> part_of_grid(int rank, const Numbers& grid, const Numbers& block,
                                                   const Numbers& halo, bool compatible) {
  const GridPart part =
      grid_part(rank, grid, block, halo, compatible ? GridPlacement::compatible : GridPlacement::natural);
  const Hyperslab& inner = part.memory.selection.parts().front();
  return nb::make_tuple(to_tuple(part.extents), to_tuple(part.box.start), to_tuple(part.box.count),
                        to_tuple(part.memory.extents), to_tuple(inner.start));
}

}  // namespace

Selection selection_from(Unchecked<Slabs> slabs) {
  std::vector<Hyperslab> parts;
  for (const nb::handle slab : slabs) {
    parts.push_back({nb::cast<Numbers>(slab[0]), nb::cast<Numbers>(slab[1]), nb::cast<Numbers>(slab[2]),
                     nb::cast<Numbers>(slab[3])});
  }
  return Selection(std::move(parts));
}

MemorySelection memory_from(Unchecked<Places> memory) {
  return {.extents = nb::cast<Numbers>(memory[0]), .selection = selection_from(nb::object(memory[1]))};
}

void bind_selection(nb::module_& module) {
  module.def("disjoint_boxes", &disjoint, nb::arg("boxes"));
  module.def("disjoint_box", &disjoint_of_rank, nb::arg("comm"), nb::arg("start"), nb::arg("count"),
             nb::arg("refusal").none());
  module.def("require_disjoint", &check_disjoint, nb::arg("comm"), nb::arg("start"), nb::arg("count"),
             nb::arg("refusal").none());
  module.def("grid_part", &part_of_grid, nb::arg("rank"), nb::arg("grid"), nb::arg("block"), nb::arg("halo"),
             nb::arg("compatible"));
}

}  // namespace quire::python
