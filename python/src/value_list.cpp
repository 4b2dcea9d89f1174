#include "kernels/value_list.hpp"

#include <cstring>
#include <utility>

#include "bindings.hpp"
#include "buffer.hpp"
#include "text.hpp"
#include "typing.hpp"

namespace nb = nanobind;

namespace quire::python {
namespace {

std::span<const std::byte> bytes_of(const Buffer& buffer) {
  return std::as_bytes(span_of<const std::uint8_t>(buffer, Type::uint8));
}

/// The bytes of the bins and those of the list.
TupleOf<Array<std::uint8_t>, Array<std::uint8_t>> list_of(const Text& type, Unchecked<AnyArray> values) {
  const Buffer buffer(values, Buffer::Use::look);
  const ConstView view = buffer.numbers(type_named(type.value));
  kernels::ValueList list;
  {
    const nb::gil_scoped_release release;
    list = kernels::list_values(view);
  }
  return nb::make_tuple(array_of<std::uint8_t>(std::move(list.bins)), array_of<std::uint8_t>(std::move(list.content)));
}

std::vector<kernels::ListBin> bins_of(const Buffer& buffer) {
  const auto bytes = bytes_of(buffer);
  std::vector<kernels::ListBin> bins(bytes.size() / sizeof(kernels::ListBin));
  if (!bins.empty()) std::memcpy(bins.data(), bytes.data(), bins.size() * sizeof(kernels::ListBin));
  return bins;
}

/// The certain rows and the candidates.
TupleOf<Array<std::uint32_t>, Array<std::uint32_t>> rows_of(Unchecked<AnyArray> bins, Unchecked<AnyArray> content,
                                                            std::uint64_t begin, kernels::Key lower, kernels::Key upper,
                                                            std::uint64_t rows) {
  const Buffer bin_buffer(bins, Buffer::Use::look);
  const Buffer content_buffer(content, Buffer::Use::look);
  const auto held = bins_of(bin_buffer);
  kernels::ListedRows found;
  {
    const nb::gil_scoped_release release;
    found = kernels::listed_rows(held, bytes_of(content_buffer), begin, {lower, upper}, rows);
  }
  return nb::make_tuple(array_of<std::uint32_t>(std::move(found.certain)),
                        array_of<std::uint32_t>(std::move(found.candidates)));
}

bool is_list_of(const Text& type, Unchecked<AnyArray> values, Unchecked<AnyArray> bins, Unchecked<AnyArray> content) {
  const Buffer buffer(values, Buffer::Use::look);
  const Buffer bin_buffer(bins, Buffer::Use::look);
  const Buffer content_buffer(content, Buffer::Use::look);
  const ConstView view = buffer.numbers(type_named(type.value));
  const auto held = bins_of(bin_buffer);
  const nb::gil_scoped_release release;
  return kernels::is_list_of(view, held, bytes_of(content_buffer));
}

using Rows = std::span<const std::uint32_t>;

/// The rows that `combine` makes of those of two ascending lists.
Array<std::uint32_t> combined(std::vector<std::uint32_t> (*combine)(Rows, Rows), nb::handle one, nb::handle other) {
  const Buffer left(one, Buffer::Use::look);
  const Buffer right(other, Buffer::Use::look);
  std::vector<std::uint32_t> rows;
  {
    const nb::gil_scoped_release release;
    rows = combine(span_of<const std::uint32_t>(left, Type::uint32), span_of<const std::uint32_t>(right, Type::uint32));
  }
  return array_of<std::uint32_t>(std::move(rows));
}

Array<std::uint32_t> common_rows(Unchecked<AnyArray> one, Unchecked<AnyArray> other) {
  return combined(&kernels::common_rows, one, other);
}

Array<std::uint32_t> united_rows(Unchecked<AnyArray> one, Unchecked<AnyArray> other) {
  return combined(&kernels::united_rows, one, other);
}

}  // namespace

void bind_value_list(nb::module_& module) {
  module.def("list_values", &list_of, nb::arg("type"), nb::arg("values"));
  module.def("listed_rows", &rows_of, nb::arg("bins"), nb::arg("content"), nb::arg("begin"), nb::arg("lower"),
             nb::arg("upper"), nb::arg("rows"));
  module.def("is_list_of", &is_list_of, nb::arg("type"), nb::arg("values"), nb::arg("bins"), nb::arg("content"));
  module.def("common_rows", &common_rows, nb::arg("one"), nb::arg("other"));
  module.def("united_rows", &united_rows, nb::arg("one"), nb::arg("other"));
}

}  // namespace quire::python
