#include "bindings.hpp"

NB_MODULE(_core, module) {
  using namespace quire::python;
  // Objects that a program still holds when it ends are no defect of the program.
  nanobind::set_leak_warnings(false);
  module.attr("__version__") = QUIRE_VERSION;
  bind_errors(module);
  bind_memory(module);
  bind_bins(module);
  bind_description(module);
  bind_comm(module);
  bind_selection(module);
  bind_formats(module);
  bind_fit(module);
  bind_checksum(module);
  bind_expression(module);
  bind_simulation(module);
  bind_reader(module);
  bind_writer(module);
  bind_streams(module);
  bind_arrow_export(module);
  bind_arrow_import(module);
  bind_delimited(module);
  bind_views(module);
  bind_units(module);
  bind_value_list(module);
}
