#include "buffer.hpp"

#include <string>
#include <string_view>

#include "quire/base/error.hpp"

namespace nb = nanobind;

namespace quire::python {

void Buffer::Release::operator()(Py_buffer* view) const noexcept {
  PyBuffer_Release(view);
  delete view;
}

Buffer::Buffer(nb::handle array, Use use) {
  auto view = std::make_unique<Py_buffer>();
  const int flags = PyBUF_STRIDES | PyBUF_FORMAT | (use == Use::fill ? PyBUF_WRITABLE : 0);
  if (PyObject_GetBuffer(array.ptr(), view.get(), flags) != 0) throw nb::python_error();
  view_.reset(view.release());
  if (view_->ndim != 1) throw Error(ErrorKind::internal, "an array that is not one-dimensional reached the core");
}

bool Buffer::holds_objects() const noexcept {
  return view_->format != nullptr && std::string_view(view_->format) == "O";
}

void Buffer::expect(Type type) const {
  if (holds_objects() || static_cast<std::size_t>(view_->itemsize) != size_of(type)) {
    throw Error(ErrorKind::internal, "an array that does not hold " + std::string(name(type)) + " reached the core");
  }
}

ConstView Buffer::numbers(Type type) const {
  expect(type);
  return {type, data(), count(), stride()};
}

View Buffer::target(Type type) const {
  expect(type);
  return {type, data(), count(), stride()};
}

}  // namespace quire::python
