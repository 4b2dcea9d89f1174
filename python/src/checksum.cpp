#include "kernels/checksum.hpp"

#include <vector>

#include "bindings.hpp"
#include "typing.hpp"

namespace nb = nanobind;

namespace quire::python {
namespace {

using Bytes = nb::ndarray<const std::uint8_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Offsets = nb::ndarray<const std::uint64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

/// Bytes, width, and offsets or None.
using ColumnTuple = TupleOf<AnyArray, std::size_t, std::optional<AnyArray>>;

/// The arrays are never converted: they must live as long as the caller's list.
CanonicalColumn column_from(std::uint64_t rows, nb::handle given) {
  const auto parts = nb::cast<nb::tuple>(given);
  const auto bytes = nb::cast<Bytes>(parts[0], false);
  CanonicalColumn column{
      reinterpret_cast<const std::byte*>(bytes.data()), bytes.shape(1), nb::cast<std::size_t>(parts[1]), {}};
  if (parts[2].is_none()) {
    if (bytes.shape(0) != rows || column.width > column.stride) {
      throw Error(ErrorKind::usage, "a column of numbers needs one line of bytes for each row");
    }
    return column;
  }
  const auto offsets = nb::cast<Offsets>(parts[2], false);
  column.offsets = {offsets.data(), offsets.shape(0)};
  if (column.offsets.empty() || column.offsets.back() > bytes.size()) {
    throw Error(ErrorKind::usage, "the offsets of a column of texts lie beyond its bytes");
  }
  return column;
}

}  // namespace

void bind_checksum(nb::module_& module) {
  module.def(
      "sum_of_row_hashes",
      [](std::uint64_t rows, const ListOf<ColumnTuple>& given) {
        std::vector<CanonicalColumn> columns;
        for (const nb::handle column : given) columns.push_back(column_from(rows, column));
        nb::gil_scoped_release release;
        return sum_of_row_hashes(rows, columns);
      },
      nb::arg("rows"), nb::arg("columns"));
}

}  // namespace quire::python
