#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "quire/model/type.hpp"
#include "quire/spi/base/endian.hpp"

namespace quire::kernels {

/// How a value in memory is converted to the bytes of its cell, and back.
enum class CellCode : std::uint8_t {
  copy,
  reverse,
  float80_little,  ///< 10 bytes and 6 of padding, which is always zero
  float80_big,     ///< specs/sdds.md section 4.3: the first 12 bytes reversed, the last 4 zero
};

/// The code of cells of a fixed-size type in a file of this byte order, on a little-endian machine.
[[nodiscard]] CellCode code_for(Type type, ByteOrder order) noexcept;

/// The position and encoding of a cell in its record.
struct CellShape {
  std::size_t offset = 0;
  std::size_t size = 8;  ///< 1, 2, 4, 8 or 16 bytes; copied cells (texts) have any size
  CellCode code = CellCode::copy;
};

/// Memory of the values of one cell: that of row i at `data + i * stride`, at any alignment.
struct Source {
  const std::byte* data = nullptr;
  std::ptrdiff_t stride = 0;
};
struct Target {
  std::byte* data = nullptr;
  std::ptrdiff_t stride = 0;
};

struct Version;

/// Records of fixed size and the order in which their cells are processed: which neighbouring cells form a tile, and
/// how many rows form a block. Cells may cover only a part of the record, in any order.
class RecordShape {
 public:
  /// Independent. Throws internal errors for cells of other sizes or outside the record.
  RecordShape(std::size_t record_bytes, std::vector<CellShape> cells);

  [[nodiscard]] std::size_t record_bytes() const noexcept { return record_bytes_; }
  [[nodiscard]] std::span<const CellShape> cells() const noexcept { return cells_; }

  /// Neighbouring cells of equal size and code: cells [first, first + count).
  struct Group {
    std::size_t first = 0;
    std::size_t count = 0;
  };
  [[nodiscard]] std::span<const Group> groups() const noexcept { return groups_; }
  /// The number of rows that all groups process before any group continues with the next rows.
  [[nodiscard]] std::size_t block_rows(const Version& version) const noexcept;

 private:
  std::size_t record_bytes_;
  std::vector<CellShape> cells_;
  std::vector<Group> groups_;
};

/// Independent. Writes the cells of `rows` records to `out`; bytes of a record outside the cells are left unchanged.
/// `sources` has one entry for each cell. `out` has any alignment and does not overlap the sources.
void pack(const RecordShape& shape, std::span<const Source> sources, std::size_t rows, std::byte* out,
          const Version& version);
void pack(const RecordShape& shape, std::span<const Source> sources, std::size_t rows, std::byte* out);

/// How values are stored in memory.
enum class Stores : std::uint8_t {
  cached,    ///< the memory fits the cache, or is used again at once
  streamed,  ///< it is larger than the cache: non-temporal stores of whole cache lines where the columns allow
};

/// Independent. The inverse: reads the cells of `rows` records at `in` into memory.
void unpack(const RecordShape& shape, std::span<const Target> targets, std::size_t rows, const std::byte* in,
            const Version& version, Stores stores = Stores::cached);
void unpack(const RecordShape& shape, std::span<const Target> targets, std::size_t rows, const std::byte* in,
            Stores stores = Stores::cached);

/// Independent. Writes one value per row at `out + positions[row] + offset`: cells of records of variable size.
/// `size` and `code` as in CellShape.
void pack_at(const CellShape& cell, const Source& source, std::span<const std::uint64_t> positions, std::byte* out);
/// Independent. The inverse.
void unpack_at(const CellShape& cell, const Target& target, std::span<const std::uint64_t> positions,
               const std::byte* in);

}  // namespace quire::kernels
