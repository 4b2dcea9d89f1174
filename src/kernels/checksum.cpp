#include "kernels/checksum.hpp"

#include <xxhash.h>

#include <algorithm>
#include <array>
#include <vector>

#include "quire/base/error.hpp"
#include "quire/spi/base/endian.hpp"

namespace quire {

namespace {

bool is_text(const CanonicalColumn& column) { return !column.offsets.empty(); }

void require_rising_offsets(std::uint64_t rows, const CanonicalColumn& column) {
  if (column.offsets.size() != rows + 1 || !std::is_sorted(column.offsets.begin(), column.offsets.end())) {
    throw Error(ErrorKind::usage, "a column of texts needs one more offset than rows, each at least the one before");
  }
}

void append_cell(std::vector<std::byte>& row, const CanonicalColumn& column, std::uint64_t index) {
  if (!is_text(column)) {
    const std::byte* first = column.bytes + index * column.stride;
    row.insert(row.end(), first, first + column.width);
    return;
  }
  const std::uint64_t from = column.offsets[index];
  const std::uint64_t length = column.offsets[index + 1] - from;
  std::array<std::byte, sizeof length> count;
  store(count.data(), length, ByteOrder::little);
  row.insert(row.end(), count.begin(), count.end());
  if (length > 0) row.insert(row.end(), column.bytes + from, column.bytes + from + length);
}

/// A single column of numbers is hashed in place.
std::uint64_t sum_of_number_hashes(std::uint64_t rows, const CanonicalColumn& column) {
  std::uint64_t sum = 0;
  for (std::uint64_t i = 0; i < rows; ++i) sum += XXH3_64bits(column.bytes + i * column.stride, column.width);
  return sum;
}

}  // namespace

std::uint64_t sum_of_row_hashes(std::uint64_t rows, std::span<const CanonicalColumn> columns) {
  if (columns.empty()) return 0;
  for (const CanonicalColumn& column : columns) {
    if (is_text(column)) require_rising_offsets(rows, column);
  }
  if (columns.size() == 1 && !is_text(columns.front())) return sum_of_number_hashes(rows, columns.front());
  std::uint64_t sum = 0;
  std::vector<std::byte> row;
  for (std::uint64_t i = 0; i < rows; ++i) {
    row.clear();
    for (const CanonicalColumn& column : columns) append_cell(row, column, i);
    sum += XXH3_64bits(row.data(), row.size());
  }
  return sum;
}

}  // namespace quire
