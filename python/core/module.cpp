// The compiled part of the Python package. Binding only: no logic lives here.

#include <nanobind/nanobind.h>

NB_MODULE(_core, module) {
  module.doc() = "Compiled core of quire; use the package quire, not this module.";
  module.attr("__version__") = QUIRE_VERSION;
}
