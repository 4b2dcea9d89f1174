#include "format/plain/matrix.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "format/hdf5/library/datasets.hpp"
#include "format/hdf5/library/handle.hpp"
#include "format/hdf5/library/types.hpp"
#include "model/conversion.hpp"
#include "quire/spi/base/checked.hpp"

namespace quire::hdf5 {

void MatrixRows::read(hid_t dataset, const std::string& name, Type type, std::uint64_t columns, std::uint64_t column,
                      const Slice& rows, const View& out) {
  if (out.type != type && !converts_without_loss(type, out.type)) {
    throw Error(ErrorKind::type, "values of type " + std::string(quire::name(type)) + " cannot be read as " +
                                     std::string(quire::name(out.type)))
        .on(name)
        .advise("read them as " + std::string(quire::name(type)));
  }
  const std::uint64_t width = size_of(out.type);
  const std::uint64_t row_bytes = checked_multiply(columns, width);
  const std::uint64_t step = std::max<std::uint64_t>(1, budget_ / std::max<std::uint64_t>(1, row_bytes));
  for (std::uint64_t done = 0; done < rows.count; done += step) {
    const Slice part{rows.first + done, std::min(step, rows.count - done)};
    if (name_ != name || type_ != out.type || rows_ != part) keep(dataset, name, out.type, columns, part);
    for (std::uint64_t i = 0; i < part.count; ++i) {
      std::memcpy(out.data + static_cast<std::ptrdiff_t>(done + i) * out.stride,
                  bytes_.data() + (i * columns + column) * width, static_cast<std::size_t>(width));
    }
  }
}

void MatrixRows::keep(hid_t dataset, const std::string& name, Type type, std::uint64_t columns, const Slice& rows) {
  name_.clear();
  check_storage(dataset, name, budget_);
  const std::array<hsize_t, 2> start{rows.first, 0};
  const std::array<hsize_t, 2> count{rows.count, columns};
  bytes_.resize(static_cast<std::size_t>(checked_multiply(checked_multiply(rows.count, columns), size_of(type))));
  const Handle space = own(H5Dget_space(dataset), "read the shape", name);
  const Handle memory = own(H5Screate_simple(2, count.data(), nullptr), "create a shape");
  require(H5Sselect_hyperslab(space.id(), H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr),
          "select the rows", name);
  require(H5Dread(dataset, native_type(type), memory.id(), space.id(), H5P_DEFAULT, bytes_.data()), "read the dataset",
          name);
  name_ = name;
  type_ = type;
  rows_ = rows;
}

}  // namespace quire::hdf5
