#include "peers/parallel_hdf5.hpp"

#include <hdf5.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "peers/hdf5_calls.hpp"
#include "quire/base/error.hpp"

namespace quire::bench::peers {
namespace {

hid_t native(Type type) {
  switch (type) {
    case Type::float64:
      return H5T_NATIVE_DOUBLE;
    case Type::float32:
      return H5T_NATIVE_FLOAT;
    case Type::int32:
      return H5T_NATIVE_INT32;
    case Type::int64:
      return H5T_NATIVE_INT64;
    default:
      throw Error(ErrorKind::unsupported, "parallel HDF5 is measured with float64, float32, int32 and int64 only");
  }
}

Handle all_rows(const Workload& workload) {
  const hsize_t extent = workload.rows;
  return {H5Screate_simple(1, &extent, nullptr), H5Sclose, "make a data space"};
}

Handle my_rows(const Slice& mine) {
  const hsize_t extent = mine.count;
  return {H5Screate_simple(1, &extent, nullptr), H5Sclose, "make a data space"};
}

void select(hid_t space, const Slice& mine) {
  const hsize_t start = mine.first;
  const hsize_t count = mine.count;
  if (count == 0) {
    checked(H5Sselect_none(space), "select nothing");
  } else {
    checked(H5Sselect_hyperslab(space, H5S_SELECT_SET, &start, nullptr, &count, nullptr), "select rows");
  }
}

class ParallelHdf5 final : public Method {
 public:
  ParallelHdf5(const MethodSpec& spec, const Setting& setting)
      : setting_(setting),
        collective_(spec.get("transfer", "independent") == "collective"),
        alignment_(std::stoull(spec.get("alignment", "4096"))) {
    if (spec.get("layout", "columns") == "matrix") make_matrix();
  }

  void write(const std::string& path) override {
    const Handle access = file_access();
    const Handle transfer = transfer_list(collective_);
    const Handle creation = unfilled_creation();
    Handle file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access), H5Fclose, "create the file");
    for (std::uint64_t s = 0; s < setting_.workload.steps; ++s) {
      Handle group(H5Gcreate2(file, step_name(s).c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose,
                   "create a group");
      if (matrix_) {
        write_matrix(group, creation, transfer);
      } else {
        for (std::size_t c = 0; c < setting_.workload.columns.size(); ++c) write_column(group, c, creation, transfer);
      }
      group.close("close a group");
    }
    file.close("close the file");
  }

  void read(const std::string& path) override {
    const Handle access = file_access();
    const Handle transfer = transfer_list(collective_);
    Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access), H5Fclose, "open the file");
    for (std::uint64_t s = 0; s < setting_.workload.steps; ++s) {
      const Handle group(H5Gopen2(file, step_name(s).c_str(), H5P_DEFAULT), H5Gclose, "open a group");
      for (std::size_t c = 0; c < setting_.workload.columns.size(); ++c) read_column(group, c, transfer);
    }
    file.close("close the file");
  }

  void verify_written(const std::string& path) override {
    if (!matrix_) return verify_file(path, setting_.workload, setting_.comm);
    const Handle access = file_access();
    const Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access), H5Fclose, "open the file");
    for (std::uint64_t s = 0; s < setting_.workload.steps; ++s) verify_matrix(file, step_name(s) + "/matrix");
  }
  void prepare_reading(const std::string& /*path*/) override {}
  void verify_read() override {
    for (std::size_t c = 0; c < setting_.workload.columns.size(); ++c) setting_.target->check(c, 0);
  }

 private:
  [[nodiscard]] static std::string step_name(std::uint64_t step) { return "Step#" + std::to_string(step); }

  [[nodiscard]] Handle file_access() const { return parallel_access(setting_.comm, alignment_); }

  /// This rank's rows as a program has them that works on a matrix, made outside the clock.
  void make_matrix() {
    const Block& source = *setting_.source;
    const std::vector<Type>& types = setting_.workload.columns;
    if (std::ranges::any_of(types, [&](Type type) { return type != types.front(); })) {
      throw Error(ErrorKind::usage, "a matrix has columns of one type");
    }
    const std::size_t width = size_of(types.front());
    matrix_ = std::make_unique<Arena>(static_cast<std::size_t>(source.rows().count) * types.size() * width);
    for (std::size_t c = 0; c < types.size(); ++c) {
      for (std::size_t row = 0; row < source.rows().count; ++row) {
        std::memcpy(matrix_->data() + (row * types.size() + c) * width, source.column(c) + row * width, width);
      }
    }
  }

  void select_matrix(hid_t space) const {
    const Slice& mine = setting_.source->rows();
    const std::array<hsize_t, 2> start{mine.first, 0};
    const std::array<hsize_t, 2> count{mine.count, setting_.workload.columns.size()};
    if (mine.count == 0) {
      checked(H5Sselect_none(space), "select nothing");
    } else {
      checked(H5Sselect_hyperslab(space, H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr), "select rows");
    }
  }

  [[nodiscard]] Handle memory_of_matrix() const {
    const hsize_t elements = setting_.source->rows().count * setting_.workload.columns.size();
    return {H5Screate_simple(1, &elements, nullptr), H5Sclose, "make a data space"};
  }

  void write_matrix(hid_t group, hid_t creation, hid_t transfer) const {
    const std::array<hsize_t, 2> extents{setting_.workload.rows, setting_.workload.columns.size()};
    const Handle space(H5Screate_simple(2, extents.data(), nullptr), H5Sclose, "make a data space");
    const hid_t type = native(setting_.workload.columns.front());
    Handle set(H5Dcreate2(group, "matrix", type, space, H5P_DEFAULT, creation, H5P_DEFAULT), H5Dclose,
               "create a data set");
    select_matrix(space);
    const Handle memory = memory_of_matrix();
    checked(H5Dwrite(set, type, memory, space, transfer, matrix_->data()), "write a data set");
    set.close("close a data set");
  }

  void verify_matrix(hid_t file, const std::string& name) const {
    const Handle set(H5Dopen2(file, name.c_str(), H5P_DEFAULT), H5Dclose, "open a data set");
    const Handle space(H5Dget_space(set), H5Sclose, "look at a data set");
    select_matrix(space);
    const std::uint64_t bytes = setting_.source->rows().count * setting_.workload.row_bytes();
    std::vector<std::byte> found(static_cast<std::size_t>(bytes));
    const Handle memory = memory_of_matrix();
    checked(H5Dread(set, native(setting_.workload.columns.front()), memory, space, H5P_DEFAULT, found.data()),
            "read a data set");
    if (!std::ranges::equal(found, matrix_->bytes().first(found.size()))) {
      throw Error(ErrorKind::bad_file, "the file holds other values than were written");
    }
  }

  void write_column(hid_t group, std::size_t column, hid_t creation, hid_t transfer) const {
    const Handle space = all_rows(setting_.workload);
    const Handle memory = my_rows(setting_.source->rows());
    const hid_t type = native(setting_.workload.columns[column]);
    Handle set(
        H5Dcreate2(group, Workload::column_name(column).c_str(), type, space, H5P_DEFAULT, creation, H5P_DEFAULT),
        H5Dclose, "create a data set");
    select(space, setting_.source->rows());
    checked(H5Dwrite(set, type, memory, space, transfer, setting_.source->column(column)), "write a data set");
    set.close("close a data set");
  }

  void read_column(hid_t group, std::size_t column, hid_t transfer) const {
    const Handle set(H5Dopen2(group, Workload::column_name(column).c_str(), H5P_DEFAULT), H5Dclose, "open a data set");
    const Handle space(H5Dget_space(set), H5Sclose, "look at a data set");
    const Handle memory = my_rows(setting_.target->rows());
    select(space, setting_.target->rows());
    const hid_t type = native(setting_.workload.columns[column]);
    checked(H5Dread(set, type, memory, space, transfer, setting_.target->column(column)), "read a data set");
  }

  Setting setting_;
  bool collective_;
  std::uint64_t alignment_;
  std::unique_ptr<Arena> matrix_;
};

}  // namespace

std::unique_ptr<Method> make_parallel_hdf5(const MethodSpec& spec, const Setting& setting) {
  return std::make_unique<ParallelHdf5>(spec, setting);
}

}  // namespace quire::bench::peers
