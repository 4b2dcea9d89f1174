#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "driver/memory.hpp"
#include "quire/comm/comm.hpp"
#include "quire/model/selection.hpp"
#include "quire/model/type.hpp"
#include "quire/model/value.hpp"

namespace quire::bench {

/// What is written or read: the same table in every step. A value identifies its column and row.
struct Workload {
  std::vector<Type> columns;
  std::uint64_t rows = 0;  ///< of a step, over all ranks
  std::uint64_t steps = 1;
  std::uint64_t modes = 0;  ///< of hexahedra in each direction, whose coefficients the rows are; 0: just rows

  [[nodiscard]] std::uint64_t row_bytes() const;
  /// Rows that no two ranks share: of an element, or one.
  [[nodiscard]] std::uint64_t unit() const { return modes == 0 ? 1 : modes * modes * modes; }
  /// Of all rows those of a rank, in whole units.
  [[nodiscard]] Slice rows_of(int rank, int ranks) const;
  [[nodiscard]] std::uint64_t payload() const { return row_bytes() * rows * steps; }
  [[nodiscard]] static std::string column_name(std::size_t column) { return "c" + std::to_string(column); }
};

/// Column types from text such as "7xfloat64+1xint32". Throws usage errors.
[[nodiscard]] std::vector<Type> parse_columns(const std::string& text);

/// The values of rows [first, first + out.size() / size) of a column, as every writer must write them.
void make_values(Type type, std::size_t column, std::uint64_t first, std::span<std::byte> out);

/// One rank's part of the workload in memory: what it writes, or where it reads to.
class Block {
 public:
  /// Source memory holds the values and starts each column at another place modulo 4096, as programs do, but at a
  /// multiple of 64. Target memory leaves room to move each column by up to one page.
  enum class Use { source, target };
  static constexpr std::size_t apart = 320;
  Block(const Workload& workload, const Slice& mine, Use use);

  [[nodiscard]] const Slice& rows() const noexcept { return mine_; }
  [[nodiscard]] std::size_t columns() const noexcept { return types_.size(); }
  [[nodiscard]] std::byte* column(std::size_t column) const { return arena_.data() + starts_[column]; }
  [[nodiscard]] std::uint64_t bytes_of(std::size_t column) const { return mine_.count * size_of(types_[column]); }
  [[nodiscard]] ConstView values(std::size_t column) const;
  [[nodiscard]] View memory(std::size_t column, std::size_t shift = 0) const;
  /// Of the elements whose coefficients the rows are, and how many modes these have.
  [[nodiscard]] std::span<const std::uint32_t> ids() const noexcept { return ids_; }
  [[nodiscard]] std::uint64_t modes() const noexcept { return modes_; }
  /// The first bytes, as many as a step of this rank has: ready-made bytes for raw transfers.
  [[nodiscard]] std::span<std::byte> step_bytes() const;

  /// Makes what was read before unrecognisable.
  void forget() const;
  /// Throws an error where a column, moved by `shift`, does not hold its values.
  void check(std::size_t column, std::size_t shift) const;

 private:
  std::vector<Type> types_;
  Slice mine_;
  std::uint64_t modes_;
  std::vector<std::uint32_t> ids_;
  std::vector<std::size_t> starts_;
  Arena arena_;
};

/// Collective. Reads a file of any format through the library, each rank rows that another one wrote, and throws an
/// error at the first byte that is not as it should be.
void verify_file(const std::string& path, const Workload& workload, const Comm& comm);

}  // namespace quire::bench
