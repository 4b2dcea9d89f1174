#include "kernels/interleave.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "kernels/version.hpp"
#include "quire/base/error.hpp"

namespace quire::kernels {
namespace {

/// The bytes of a cell in registers.
struct Wide {
  std::uint64_t low;
  std::uint64_t high;
};
template <std::size_t size>
struct BitsOf;
template <>
struct BitsOf<1> {
  using type = std::uint8_t;
};
template <>
struct BitsOf<2> {
  using type = std::uint16_t;
};
template <>
struct BitsOf<4> {
  using type = std::uint32_t;
};
template <>
struct BitsOf<8> {
  using type = std::uint64_t;
};
template <>
struct BitsOf<16> {
  using type = Wide;
};

std::uint16_t reversed(std::uint16_t bits) { return __builtin_bswap16(bits); }
std::uint32_t reversed(std::uint32_t bits) { return __builtin_bswap32(bits); }
std::uint64_t reversed(std::uint64_t bits) { return __builtin_bswap64(bits); }
Wide reversed(Wide bits) { return {reversed(bits.high), reversed(bits.low)}; }

/// One kind of cell: its size and the conversion between memory and file.
template <std::size_t cell_size, CellCode code>
struct CellKind {
  static constexpr std::size_t size = cell_size;
  using Bits = typename BitsOf<cell_size>::type;

  static Bits to_file(Bits bits) {
    if constexpr (code == CellCode::reverse) {
      return reversed(bits);
    } else if constexpr (code == CellCode::float80_little) {
      return {bits.low, bits.high & 0xffff};
    } else if constexpr (code == CellCode::float80_big) {
      // The mantissa is `low`, sign and exponent the first two bytes of `high`.
      return {reversed((bits.high & 0xffff) << 32 | bits.low >> 32), reversed(bits.low << 32)};
    } else {
      return bits;
    }
  }

  static Bits to_memory(Bits bits) {
    if constexpr (code == CellCode::float80_big) {
      const std::uint64_t head = reversed(bits.low);
      return {head << 32 | reversed(bits.high) >> 32, head >> 32 & 0xffff};
    } else {
      return to_file(bits);
    }
  }
};

template <class Bits>
Bits load_bits(const std::byte* from) {
  Bits bits{};
  std::memcpy(&bits, from, sizeof bits);
  return bits;
}

template <class Bits>
void store_bits(std::byte* to, Bits bits) {
  std::memcpy(to, &bits, sizeof bits);
}

/// Calls `function` with the CellKind of a cell.
template <class Function>
void visit_cell(const CellShape& cell, Function&& function) {
  switch (cell.code) {
    case CellCode::float80_little:
      return function(CellKind<16, CellCode::float80_little>{});
    case CellCode::float80_big:
      return function(CellKind<16, CellCode::float80_big>{});
    case CellCode::copy:
    case CellCode::reverse:
      break;
  }
  const bool reverse = cell.code == CellCode::reverse;
  switch (cell.size) {
    case 1:
      return function(CellKind<1, CellCode::copy>{});
    case 2:
      return reverse ? function(CellKind<2, CellCode::reverse>{}) : function(CellKind<2, CellCode::copy>{});
    case 4:
      return reverse ? function(CellKind<4, CellCode::reverse>{}) : function(CellKind<4, CellCode::copy>{});
    case 8:
      return reverse ? function(CellKind<8, CellCode::reverse>{}) : function(CellKind<8, CellCode::copy>{});
    default:
      return reverse ? function(CellKind<16, CellCode::reverse>{}) : function(CellKind<16, CellCode::copy>{});
  }
}

/// Both directions of the loop over one column; `from_stride` and `to_stride` are constants where they are natural.
template <class Transform, class Bits>
void copy_column(Transform transform, const std::byte* from, std::ptrdiff_t from_stride, std::byte* to,
                 std::ptrdiff_t to_stride, std::size_t rows) {
  for (std::size_t row = 0; row < rows; ++row) {
    const auto i = static_cast<std::ptrdiff_t>(row);
    store_bits<Bits>(to + i * to_stride, transform(load_bits<Bits>(from + i * from_stride)));
  }
}

bool is_number_size(std::size_t size) { return size == 1 || size == 2 || size == 4 || size == 8 || size == 16; }

/// Both directions for cells of any other size.
void copy_texts(const std::byte* from, std::ptrdiff_t from_stride, std::byte* to, std::ptrdiff_t to_stride,
                std::size_t rows, std::size_t size) {
  for (std::size_t row = 0; row < rows; ++row) {
    const auto i = static_cast<std::ptrdiff_t>(row);
    std::memcpy(to + i * to_stride, from + i * from_stride, size);
  }
}

void pack_column(const CellShape& cell, const Source& source, std::size_t rows, std::byte* out,
                 std::size_t record_bytes) {
  if (!is_number_size(cell.size)) {
    return copy_texts(source.data, source.stride, out, static_cast<std::ptrdiff_t>(record_bytes), rows, cell.size);
  }
  visit_cell(cell, [&](auto kind) {
    using Kind = decltype(kind);
    constexpr auto natural = static_cast<std::ptrdiff_t>(Kind::size);
    const auto record = static_cast<std::ptrdiff_t>(record_bytes);
    const auto transform = [](typename Kind::Bits bits) { return Kind::to_file(bits); };
    if (source.stride == natural) {
      copy_column<decltype(transform), typename Kind::Bits>(transform, source.data, natural, out, record, rows);
    } else {
      copy_column<decltype(transform), typename Kind::Bits>(transform, source.data, source.stride, out, record, rows);
    }
  });
}

void unpack_column(const CellShape& cell, const Target& target, std::size_t rows, const std::byte* in,
                   std::size_t record_bytes) {
  if (!is_number_size(cell.size)) {
    return copy_texts(in, static_cast<std::ptrdiff_t>(record_bytes), target.data, target.stride, rows, cell.size);
  }
  visit_cell(cell, [&](auto kind) {
    using Kind = decltype(kind);
    constexpr auto natural = static_cast<std::ptrdiff_t>(Kind::size);
    const auto record = static_cast<std::ptrdiff_t>(record_bytes);
    const auto transform = [](typename Kind::Bits bits) { return Kind::to_memory(bits); };
    if (target.stride == natural) {
      copy_column<decltype(transform), typename Kind::Bits>(transform, in, record, target.data, natural, rows);
    } else {
      copy_column<decltype(transform), typename Kind::Bits>(transform, in, record, target.data, target.stride, rows);
    }
  });
}

/// The memory of a later row.
template <class Memory>
Memory advanced(const Memory& memory, std::size_t rows) {
  return {memory.data + static_cast<std::ptrdiff_t>(rows) * memory.stride, memory.stride};
}

/// True if the values of all columns are contiguous.
template <class Memory>
bool without_gaps(std::span<const Memory> columns, std::size_t size) {
  return std::ranges::all_of(columns,
                             [=](const Memory& column) { return column.stride == static_cast<std::ptrdiff_t>(size); });
}

bool makes_tiles(const RecordShape& shape, const RecordShape::Group& group, const Version& version) {
  const CellShape& cell = shape.cells()[group.first];
  if (cell.size == 8) return version.pack8 != nullptr && group.count >= version.fewest8;
  if (cell.size == 4) return version.pack4 != nullptr && group.count >= version.fewest4;
  return false;
}

void pack_group(const RecordShape& shape, const RecordShape::Group& group, std::span<const Source> sources,
                std::size_t first, std::size_t rows, std::byte* out, const Version& version) {
  const auto columns = sources.subspan(group.first, group.count);
  const CellShape& cell = shape.cells()[group.first];
  if (makes_tiles(shape, group, version) && without_gaps(columns, cell.size)) {
    const PackTiles tiles{columns.data(),
                          columns.size(),
                          first,
                          rows,
                          out + cell.offset,
                          shape.record_bytes(),
                          cell.code == CellCode::reverse};
    return cell.size == 8 ? version.pack8(tiles) : version.pack4(tiles);
  }
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const CellShape& own = shape.cells()[group.first + i];
    pack_column(own, advanced(columns[i], first), rows, out + own.offset, shape.record_bytes());
  }
}

void unpack_group(const RecordShape& shape, const RecordShape::Group& group, std::span<const Target> targets,
                  std::size_t first, std::size_t rows, const std::byte* in, const Version& version) {
  const auto columns = targets.subspan(group.first, group.count);
  const CellShape& cell = shape.cells()[group.first];
  if (makes_tiles(shape, group, version) && without_gaps(columns, cell.size)) {
    const UnpackTiles tiles{columns.data(),
                            columns.size(),
                            first,
                            rows,
                            in + cell.offset,
                            shape.record_bytes(),
                            cell.code == CellCode::reverse};
    return cell.size == 8 ? version.unpack8(tiles) : version.unpack4(tiles);
  }
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const CellShape& own = shape.cells()[group.first + i];
    unpack_column(own, advanced(columns[i], first), rows, in + own.offset, shape.record_bytes());
  }
}

constexpr std::uintptr_t cache_line = 64;

std::uintptr_t place_in_line(const Target& target) {
  return reinterpret_cast<std::uintptr_t>(target.data) % cache_line;
}

/// True if whole lines of all columns of the group can be written at once.
bool streams(const RecordShape& shape, const RecordShape::Group& group, std::span<const Target> targets,
             const Version& version) {
  const auto columns = targets.subspan(group.first, group.count);
  const std::uintptr_t place = place_in_line(columns.front());
  return version.stream8 != nullptr && shape.cells()[group.first].size == 8 && makes_tiles(shape, group, version) &&
         without_gaps(columns, 8) && place % 8 == 0 &&
         std::ranges::all_of(columns, [=](const Target& column) { return place_in_line(column) == place; });
}

/// Blocks that end at cache lines of the streamed columns; the other columns also benefit from short blocks.
void unpack_streamed(const RecordShape& shape, std::span<const Target> targets, std::size_t rows, const std::byte* in,
                     const Version& version, std::span<const RecordShape::Group> streamed) {
  constexpr std::size_t block = 128;
  Version streaming = version;
  streaming.unpack8 = version.stream8;
  const Target& column = targets[streamed.front().first];
  std::size_t count = (cache_line - place_in_line(column)) % cache_line / 8 + block;
  for (std::size_t first = 0; first < rows; first += count, count = block) {
    count = std::min(count, rows - first);
    const std::byte* const block_in = in + first * shape.record_bytes();
    for (const auto& group : shape.groups()) {
      const bool streams = std::ranges::any_of(streamed, [&](const auto& one) { return one.first == group.first; });
      unpack_group(shape, group, targets, first, count, block_in, streams ? streaming : version);
    }
  }
}

bool is_cell(const CellShape& cell) {
  switch (cell.code) {
    case CellCode::copy:
      return cell.size > 0;
    case CellCode::reverse:
      return is_number_size(cell.size);
    default:
      return cell.size == 16;
  }
}

}  // namespace

CellCode code_for(Type type, ByteOrder order) noexcept {
  if (type == Type::float80) return order == ByteOrder::big ? CellCode::float80_big : CellCode::float80_little;
  return order == native_order || size_of(type) == 1 ? CellCode::copy : CellCode::reverse;
}

RecordShape::RecordShape(std::size_t record_bytes, std::vector<CellShape> cells)
    : record_bytes_(record_bytes), cells_(std::move(cells)) {
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    const CellShape& cell = cells_[i];
    if (!is_cell(cell) || cell.offset > record_bytes_ || cell.size > record_bytes_ - cell.offset) {
      throw Error(ErrorKind::internal, "a cell is outside its record");
    }
    const bool joins = i > 0 && cells_[i - 1].size == cell.size && cells_[i - 1].code == cell.code &&
                       cells_[i - 1].offset + cell.size == cell.offset;
    if (joins) {
      ++groups_.back().count;
    } else {
      groups_.push_back({i, 1});
    }
  }
}

std::size_t RecordShape::block_rows(const Version& version) const noexcept {
  // Measured (specs/performance.md section 5 item 4): single columns, and tiles that pass twice over short records, are
  // faster if the records stay in the first-level cache; tiles of many columns are faster with long streams.
  const bool all_tiles =
      std::ranges::all_of(groups_, [&](const Group& group) { return makes_tiles(*this, group, version); });
  if (!all_tiles) return 32;
  return cells_.size() <= 8 ? 64 : std::numeric_limits<std::size_t>::max();
}

void pack(const RecordShape& shape, std::span<const Source> sources, std::size_t rows, std::byte* out,
          const Version& version) {
  const std::size_t block = shape.block_rows(version);
  for (std::size_t first = 0; first < rows;) {
    const std::size_t count = std::min(block, rows - first);
    std::byte* const block_out = out + first * shape.record_bytes();
    for (const auto& group : shape.groups()) pack_group(shape, group, sources, first, count, block_out, version);
    first += count;
  }
}

void pack(const RecordShape& shape, std::span<const Source> sources, std::size_t rows, std::byte* out) {
  pack(shape, sources, rows, out, best_version());
}

void unpack(const RecordShape& shape, std::span<const Target> targets, std::size_t rows, const std::byte* in,
            const Version& version, Stores stores) {
  if (stores == Stores::streamed) {
    std::vector<RecordShape::Group> streamed;
    for (const auto& group : shape.groups()) {
      if (streams(shape, group, targets, version)) streamed.push_back(group);
    }
    if (!streamed.empty()) return unpack_streamed(shape, targets, rows, in, version, streamed);
  }
  const std::size_t block = shape.block_rows(version);
  for (std::size_t first = 0; first < rows;) {
    const std::size_t count = std::min(block, rows - first);
    const std::byte* const block_in = in + first * shape.record_bytes();
    for (const auto& group : shape.groups()) unpack_group(shape, group, targets, first, count, block_in, version);
    first += count;
  }
}

void unpack(const RecordShape& shape, std::span<const Target> targets, std::size_t rows, const std::byte* in,
            Stores stores) {
  unpack(shape, targets, rows, in, best_version(), stores);
}

void pack_at(const CellShape& cell, const Source& source, std::span<const std::uint64_t> positions, std::byte* out) {
  visit_cell(cell, [&](auto kind) {
    using Kind = decltype(kind);
    const std::byte* from = source.data;
    for (const std::uint64_t position : positions) {
      store_bits(out + position + cell.offset, Kind::to_file(load_bits<typename Kind::Bits>(from)));
      from += source.stride;
    }
  });
}

void unpack_at(const CellShape& cell, const Target& target, std::span<const std::uint64_t> positions,
               const std::byte* in) {
  visit_cell(cell, [&](auto kind) {
    using Kind = decltype(kind);
    std::byte* to = target.data;
    for (const std::uint64_t position : positions) {
      store_bits(to, Kind::to_memory(load_bits<typename Kind::Bits>(in + position + cell.offset)));
      to += target.stride;
    }
  });
}

}  // namespace quire::kernels
