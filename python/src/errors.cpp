#include <new>
#include <string>
#include <typeinfo>

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

namespace {

ErrorKind kind_named(const std::string& wanted) {
  for (auto number = static_cast<int>(ErrorKind::usage); number < static_cast<int>(ErrorKind::internal); ++number) {
    const auto kind = static_cast<ErrorKind>(number);
    if (wanted == name(kind)) return kind;
  }
  return ErrorKind::internal;
}

/// Why a rank cannot take part in a call that all ranks make: the error that they all raise.
void bind_refusal(nb::module_& module) {
  nb::class_<Error>(module, "Refusal")
      .def(
          "__init__",
          [](Error* self, const Text& kind, const Text& message, const Text& file, const Text& object,
             const Text& advice) {
            new (self) Error(kind_named(kind.value), message.value);
            self->in_file(file.value).on(object.value).advise(advice.value);
          },
          nb::arg("kind"), nb::arg("message"), nb::arg("file"), nb::arg("object"), nb::arg("advice"));
}

void raise_in_python(const Error& error) {
  try {
    const nb::object exception = to_python(error);
    PyErr_SetObject(exception.type().ptr(), exception.ptr());
  } catch (nb::python_error& failure) {
    failure.restore();
  }
}

}  // namespace

void bind_errors(nb::module_& module) {
  bind_refusal(module);
  nb::register_exception_translator([](const std::exception_ptr& pointer, void*) {
    try {
      std::rethrow_exception(pointer);
    } catch (const Error& error) {
      raise_in_python(error);
    } catch (const std::bad_cast&) {
      raise_in_python(Error(ErrorKind::type, "a part of an argument has a type that this call does not take"));
    }
  });
}

}  // namespace quire::python
