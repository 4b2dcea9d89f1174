#include "bindings.hpp"
#include "quire/format/format.hpp"
#include "text.hpp"

namespace nb = nanobind;

namespace quire::python {
namespace {

/// The attributes of a file as they would be held by a step: formats tell only of steps what becomes of attributes.
nb::list fit_file_attributes(const Text& format, const FileDescription& file) {
  FileDescription bare = file;
  bare.attributes.clear();
  StepDescription step;
  step.attributes = file.attributes;
  nb::list adapted;
  for (Attribute& attribute : format_named(format.value).fit(bare, step).adapted.attributes) {
    adapted.append(nb::cast(std::move(attribute)));
  }
  return adapted;
}

}  // namespace

void bind_fit(nb::module_& module) {
  module.def("fit_file_attributes", &fit_file_attributes, nb::arg("format"), nb::arg("file"));
}

}  // namespace quire::python
