#pragma once

#include <hdf5.h>

#include <cstdint>
#include <string>
#include <vector>

#include "quire/model/selection.hpp"
#include "quire/model/type.hpp"
#include "quire/model/value.hpp"

namespace quire::hdf5 {

/// Reads rows of matrices whose bytes cannot be addressed, through the library. The last rows are kept in memory,
/// because a table is read column by column: each chunk is decoded once, not once for each column.
class MatrixRows {
 public:
  explicit MatrixRows(std::uint64_t memory_budget) : budget_(memory_budget) {}

  /// Reads one column of the rows of a dataset with `columns` columns of a type, as elements of the view's type. Throws
  /// type errors if the conversion could change a value.
  void read(hid_t dataset, const std::string& name, Type type, std::uint64_t columns, std::uint64_t column,
            const Slice& rows, const View& out);

 private:
  void keep(hid_t dataset, const std::string& name, Type type, std::uint64_t columns, const Slice& rows);

  std::uint64_t budget_;
  std::string name_;
  Type type_ = Type::float64;
  Slice rows_;
  std::vector<std::byte> bytes_;
};

}  // namespace quire::hdf5
