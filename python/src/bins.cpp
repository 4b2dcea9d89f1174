#include "kernels/bins.hpp"

#include "bindings.hpp"
#include "buffer.hpp"
#include "typing.hpp"

namespace nb = nanobind;

namespace quire::python {
namespace {

void place(Unchecked<AnyArray> values, double lower, double size, std::int32_t count, double last, bool is_inner,
           Unchecked<AnyArray> places) {
  const Buffer from(values, Buffer::Use::look);
  const Buffer to(places, Buffer::Use::fill);
  const auto given = span_of<const double>(from, Type::float64);
  const auto room = span_of<std::int32_t>(to, Type::int32);
  const nb::gil_scoped_release release;
  kernels::place_in_bins(given, {lower, size, count, last}, is_inner, room);
}

void count(Unchecked<AnyArray> places, Unchecked<AnyArray> counts) {
  const Buffer from(places, Buffer::Use::look);
  const Buffer to(counts, Buffer::Use::fill);
  const auto given = span_of<const std::int32_t>(from, Type::int32);
  const auto sums = span_of<std::int64_t>(to, Type::int64);
  const nb::gil_scoped_release release;
  kernels::count_places(given, sums);
}

}  // namespace

void bind_bins(nb::module_& module) {
  module.def("place_in_bins", &place, nb::arg("values"), nb::arg("lower"), nb::arg("size"), nb::arg("count"),
             nb::arg("last"), nb::arg("is_inner"), nb::arg("places"));
  module.def("count_places", &count, nb::arg("places"), nb::arg("counts"));
}

}  // namespace quire::python
