#include "bindings.hpp"
#include "text.hpp"

namespace nb = nanobind;

namespace quire::python {

nb::object to_python(const Error& error) {
  nb::object offset = nb::none();
  if (error.offset()) offset = nb::int_(*error.offset());
  nb::object rank = nb::none();
  if (error.rank()) rank = nb::int_(*error.rank());
  return nb::module_::import_("quire.errors")
      .attr("from_core")(name(error.kind()), decode(error.what()), decode(error.message()), decode(error.file()),
                         decode(error.object()), offset, rank, decode(error.advice()));
}

void bind_errors(nb::module_&) {
  nb::register_exception_translator([](const std::exception_ptr& pointer, void*) {
    try {
      std::rethrow_exception(pointer);
    } catch (const Error& error) {
      try {
        const nb::object exception = to_python(error);
        PyErr_SetObject(exception.type().ptr(), exception.ptr());
      } catch (nb::python_error& failure) {
        failure.restore();
      }
    }
  });
}

}  // namespace quire::python
