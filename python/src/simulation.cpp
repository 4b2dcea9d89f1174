#include "quire/api/simulation.hpp"

#include "bindings.hpp"
#include "options.hpp"
#include "text.hpp"

namespace nb = nanobind;

namespace quire::python {
namespace {

nb::list pairs(const std::vector<Extent>& extents) {
  nb::list all;
  for (const Extent& extent : extents) all.append(nb::make_tuple(extent.offset, extent.length));
  return all;
}

/// One table of columns given as (name, type).
StepDescription step_of(const nb::list& columns, std::uint64_t rows) {
  StepDescription step;
  step.tables.resize(1);
  step.tables.front().rows = rows;
  for (const nb::handle pair : columns) {
    const auto parts = nb::cast<nb::tuple>(pair);
    Column column;
    column.name = nb::cast<Text>(parts[0]).value;
    column.type = type_named(nb::cast<Text>(parts[1]).value);
    step.tables.front().columns.push_back(std::move(column));
  }
  return step;
}

nb::tuple plan_write(const Text& format, const nb::dict& options, const nb::list& columns, std::uint64_t rows,
                     int ranks, std::uint64_t string_bytes) {
  WriteOptions write;
  write.format = format.value;
  write.options = options_from(options);
  const StepDescription step = step_of(columns, rows);
  const auto part = [&](int rank) { return even_part(step, rank, ranks, string_bytes); };
  const PlannedStep planned = WriteSimulation({}, ranks, write).next(part);
  nb::list each;
  for (const std::vector<Extent>& extents : planned.ranks) each.append(pairs(extents));
  return nb::make_tuple(pairs(planned.guard), each, pairs(planned.publication), planned.end);
}

}  // namespace

void bind_simulation(nb::module_& module) {
  module.def("plan_write", &plan_write, nb::arg("format"), nb::arg("options"), nb::arg("columns"), nb::arg("rows"),
             nb::arg("ranks"), nb::arg("string_bytes"));
}

}  // namespace quire::python
