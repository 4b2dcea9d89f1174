#include "kernels/avx2.hpp"

#include <immintrin.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include "kernels/processor.hpp"

// Every function with vectors has its own target attribute: if this file were compiled for AVX2, the linker could
// choose its copies of inline functions of the standard library for the whole program.

namespace quire::kernels {
namespace {

/// Sixteen-byte lanes: byte i of the result is byte pattern[i] of the source.
template <std::size_t size>
[[gnu::target("avx2"), gnu::always_inline]] inline __m256i reversed_cells(__m256i cells) {
  const __m256i pattern = size == 8 ? _mm256_setr_epi8(7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4,
                                                       3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8)
                                    : _mm256_setr_epi8(3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12, 3, 2, 1, 0,
                                                       7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12);
  return _mm256_shuffle_epi8(cells, pattern);
}

template <std::size_t size, bool reverse>
[[gnu::target("avx2"), gnu::always_inline]] inline __m256i load_cells(const std::byte* from) {
  const __m256i cells = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
  if constexpr (reverse) {
    return reversed_cells<size>(cells);
  } else {
    return cells;
  }
}

[[gnu::target("avx2"), gnu::always_inline]] inline void store_cells(std::byte* to, __m256i cells) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), cells);
}

/// Four cells of four lines, transposed.
struct Tile4 {
  __m256i lines[4];
};

template <bool reverse>
[[gnu::target("avx2"), gnu::always_inline]] inline Tile4 turned4(const std::byte* const* from) {
  const __m256i a = load_cells<8, reverse>(from[0]);
  const __m256i b = load_cells<8, reverse>(from[1]);
  const __m256i c = load_cells<8, reverse>(from[2]);
  const __m256i d = load_cells<8, reverse>(from[3]);
  const __m256i ab_even = _mm256_unpacklo_epi64(a, b);
  const __m256i ab_odd = _mm256_unpackhi_epi64(a, b);
  const __m256i cd_even = _mm256_unpacklo_epi64(c, d);
  const __m256i cd_odd = _mm256_unpackhi_epi64(c, d);
  return {{_mm256_permute2x128_si256(ab_even, cd_even, 0x20), _mm256_permute2x128_si256(ab_odd, cd_odd, 0x20),
           _mm256_permute2x128_si256(ab_even, cd_even, 0x31), _mm256_permute2x128_si256(ab_odd, cd_odd, 0x31)}};
}

template <bool reverse>
[[gnu::target("avx2"), gnu::always_inline]] inline void transpose4(const std::byte* const* from, std::byte* const* to) {
  const Tile4 tile = turned4<reverse>(from);
  for (int i = 0; i < 4; ++i) store_cells(to[i], tile.lines[i]);
}

template <bool reverse>
[[gnu::target("avx2"), gnu::always_inline]] inline void transpose8(const std::byte* const* from, std::byte* const* to) {
  // Neighbouring pairs of lines, then pairs of pairs, then the halves.
  __m256i pairs[8];
  for (int i = 0; i < 8; i += 2) {
    const __m256i a = load_cells<4, reverse>(from[i]);
    const __m256i b = load_cells<4, reverse>(from[i + 1]);
    pairs[i] = _mm256_unpacklo_epi32(a, b);
    pairs[i + 1] = _mm256_unpackhi_epi32(a, b);
  }
  __m256i quads[8];
  for (int i = 0; i < 8; i += 4) {
    quads[i] = _mm256_unpacklo_epi64(pairs[i], pairs[i + 2]);
    quads[i + 1] = _mm256_unpackhi_epi64(pairs[i], pairs[i + 2]);
    quads[i + 2] = _mm256_unpacklo_epi64(pairs[i + 1], pairs[i + 3]);
    quads[i + 3] = _mm256_unpackhi_epi64(pairs[i + 1], pairs[i + 3]);
  }
  for (int i = 0; i < 4; ++i) {
    store_cells(to[i], _mm256_permute2x128_si256(quads[i], quads[i + 4], 0x20));
    store_cells(to[i + 4], _mm256_permute2x128_si256(quads[i], quads[i + 4], 0x31));
  }
}

template <std::size_t size, bool reverse>
[[gnu::target("avx2"), gnu::always_inline]] inline void transpose(const std::byte* const* from, std::byte* const* to) {
  if constexpr (size == 8) {
    transpose4<reverse>(from, to);
  } else {
    transpose8<reverse>(from, to);
  }
}

template <std::size_t size, bool reverse>
[[gnu::always_inline]] inline void copy_cell(std::byte* to, const std::byte* from) {
  if constexpr (size == 8) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, from, size);
    if constexpr (reverse) bits = __builtin_bswap64(bits);
    std::memcpy(to, &bits, size);
  } else {
    std::uint32_t bits = 0;
    std::memcpy(&bits, from, size);
    if constexpr (reverse) bits = __builtin_bswap32(bits);
    std::memcpy(to, &bits, size);
  }
}

/// Processes columns with adjacent cells together: `tiles` tiles, so that two of them fill cache lines and each line of
/// the records is visited once.
template <std::size_t size, bool reverse, std::size_t tiles>
[[gnu::target("avx2")]] void pack_strip(const PackTiles& job, std::size_t column) {
  constexpr std::size_t width = 32 / size;
  const std::byte* from[width * tiles];
  for (std::size_t i = 0; i < width * tiles; ++i) from[i] = job.columns[column + i].data + job.first_row * size;
  std::byte* line = job.out + column * size;
  std::size_t row = 0;
  for (; row + width <= job.rows; row += width) {
    for (std::size_t tile = 0; tile < tiles; ++tile) {
      std::byte* to[width];
      for (std::size_t i = 0; i < width; ++i) to[i] = line + i * job.record_bytes + tile * 32;
      transpose<size, reverse>(from + tile * width, to);
    }
    for (std::size_t i = 0; i < width * tiles; ++i) from[i] += 32;
    line += width * job.record_bytes;
  }
  for (; row < job.rows; ++row, line += job.record_bytes) {
    for (std::size_t i = 0; i < width * tiles; ++i) {
      copy_cell<size, reverse>(line + i * size, from[i]);
      from[i] += size;
    }
  }
}

template <std::size_t size, bool reverse, std::size_t tiles>
[[gnu::target("avx2")]] void unpack_strip(const UnpackTiles& job, std::size_t column) {
  constexpr std::size_t width = 32 / size;
  std::byte* to[width * tiles];
  for (std::size_t i = 0; i < width * tiles; ++i) to[i] = job.columns[column + i].data + job.first_row * size;
  const std::byte* line = job.in + column * size;
  std::size_t row = 0;
  for (; row + width <= job.rows; row += width) {
    for (std::size_t tile = 0; tile < tiles; ++tile) {
      const std::byte* from[width];
      for (std::size_t i = 0; i < width; ++i) from[i] = line + i * job.record_bytes + tile * 32;
      transpose<size, reverse>(from, to + tile * width);
    }
    for (std::size_t i = 0; i < width * tiles; ++i) to[i] += 32;
    line += width * job.record_bytes;
  }
  for (; row < job.rows; ++row, line += job.record_bytes) {
    for (std::size_t i = 0; i < width * tiles; ++i) {
      copy_cell<size, reverse>(to[i], line + i * size);
      to[i] += size;
    }
  }
}

/// Eight rows of four columns of eight bytes: a whole cache line for each column, by non-temporal stores.
template <bool reverse>
[[gnu::target("avx2"), gnu::always_inline]] inline void stream_lines(const std::byte* line, std::size_t record_bytes,
                                                                     std::byte* const* to) {
  const std::byte* from[8];
  for (std::size_t i = 0; i < 8; ++i) from[i] = line + i * record_bytes;
  const Tile4 first = turned4<reverse>(from);
  const Tile4 second = turned4<reverse>(from + 4);
  for (int i = 0; i < 4; ++i) {
    _mm256_stream_si256(reinterpret_cast<__m256i*>(to[i]), first.lines[i]);
    _mm256_stream_si256(reinterpret_cast<__m256i*>(to[i] + 32), second.lines[i]);
  }
}

/// Four columns only: with eight, more lines are open than the processor has write-combining buffers (0.7 of the
/// speed).
template <bool reverse>
[[gnu::target("avx2")]] void stream_strip(const UnpackTiles& job, std::size_t column) {
  constexpr std::size_t columns = 4;
  constexpr std::size_t line_rows = 8;
  std::byte* to[columns];
  for (std::size_t i = 0; i < columns; ++i) to[i] = job.columns[column + i].data + job.first_row * 8;
  const std::byte* line = job.in + column * 8;
  const auto single_rows = [&](std::size_t rows) {
    for (; rows > 0; --rows, line += job.record_bytes) {
      for (std::size_t i = 0; i < columns; ++i) {
        copy_cell<8, reverse>(to[i], line + i * 8);
        to[i] += 8;
      }
    }
  };
  const std::size_t head =
      std::min<std::size_t>((64 - reinterpret_cast<std::uintptr_t>(to[0]) % 64) % 64 / 8, job.rows);
  single_rows(head);
  std::size_t rows = job.rows - head;
  for (; rows >= line_rows; rows -= line_rows, line += line_rows * job.record_bytes) {
    stream_lines<reverse>(line, job.record_bytes, to);
    for (std::byte*& column_end : to) column_end += 64;
  }
  single_rows(rows);
}

/// Cuts the columns into strips of two tiles, or one. If their number is not a multiple of the tile, the last strip
/// overlaps its neighbour and writes the same bytes again.
template <std::size_t size, class Job>
void for_each_strip(const Job& job, void (*two_tiles)(const Job&, std::size_t),
                    void (*one_tile)(const Job&, std::size_t)) {
  constexpr std::size_t width = 32 / size;
  std::size_t column = 0;
  for (; two_tiles != nullptr && column + 2 * width <= job.count; column += 2 * width) two_tiles(job, column);
  for (; column + width <= job.count; column += width) one_tile(job, column);
  if (column < job.count) one_tile(job, job.count - width);
}

template <std::size_t size, bool reverse>
void pack_tiles(const PackTiles& job) {
  for_each_strip<size, PackTiles>(job, pack_strip<size, reverse, 2>, pack_strip<size, reverse, 1>);
}

template <std::size_t size, bool reverse>
void unpack_tiles(const UnpackTiles& job) {
  for_each_strip<size, UnpackTiles>(job, unpack_strip<size, reverse, 2>, unpack_strip<size, reverse, 1>);
}

void stream(const UnpackTiles& job) {
  const auto strip = job.reverse ? stream_strip<true> : stream_strip<false>;
  for_each_strip<8, UnpackTiles>(job, nullptr, strip);
  // Non-temporal stores are not ordered with later ones.
  _mm_sfence();
}

template <std::size_t size>
void pack(const PackTiles& job) {
  return job.reverse ? pack_tiles<size, true>(job) : pack_tiles<size, false>(job);
}

template <std::size_t size>
void unpack(const UnpackTiles& job) {
  return job.reverse ? unpack_tiles<size, true>(job) : unpack_tiles<size, false>(job);
}

/// Aligned stores, unaligned loads, 128 bytes at once.
[[gnu::target("avx2")]] void copy(std::byte* to, const std::byte* from, std::size_t bytes) {
  if (bytes < 256) {
    std::memcpy(to, from, bytes);
    return;
  }
  const std::size_t head = (32 - reinterpret_cast<std::uintptr_t>(to) % 32) % 32;
  std::memcpy(to, from, head);
  to += head;
  from += head;
  bytes -= head;
  for (; bytes >= 128; bytes -= 128, to += 128, from += 128) {
    const __m256i a = load_cells<8, false>(from);
    const __m256i b = load_cells<8, false>(from + 32);
    const __m256i c = load_cells<8, false>(from + 64);
    const __m256i d = load_cells<8, false>(from + 96);
    store_cells(to, a);
    store_cells(to + 32, b);
    store_cells(to + 64, c);
    store_cells(to + 96, d);
  }
  std::memcpy(to, from, bytes);
}

/// Four values at once; comparisons are false for NaN.
[[gnu::target("avx2")]] std::size_t place(const BinJob& job) {
  const __m256d lower = _mm256_set1_pd(job.axis.lower);
  const __m256d size = _mm256_set1_pd(job.axis.size);
  const __m256d last = _mm256_set1_pd(job.axis.last);
  const __m256d below = _mm256_set1_pd(-1.0);
  const __m256d end = _mm256_set1_pd(job.axis.count);
  const __m256d in_last = _mm256_set1_pd(job.axis.count - 0.5);
  const __m128i one = _mm_set1_epi32(1);
  const __m128i width = _mm_set1_epi32(job.axis.count + 2);
  std::size_t done = 0;
  for (; done + 4 <= job.count; done += 4) {
    const __m256d values = _mm256_loadu_pd(job.values + done);
    const __m256d steps = _mm256_div_pd(_mm256_sub_pd(values, lower), size);
    const __m256d from_below = _mm256_blendv_pd(below, steps, _mm256_cmp_pd(steps, _mm256_setzero_pd(), _CMP_GE_OQ));
    const __m256d limits = _mm256_blendv_pd(end, in_last, _mm256_cmp_pd(values, last, _CMP_LE_OQ));
    __m128i places = _mm_add_epi32(_mm256_cvttpd_epi32(_mm256_min_pd(from_below, limits)), one);
    auto* const to = reinterpret_cast<__m128i*>(job.places + done);
    if (job.is_inner) places = _mm_add_epi32(places, _mm_mullo_epi32(_mm_loadu_si128(to), width));
    _mm_storeu_si128(to, places);
  }
  return done;
}

}  // namespace

const Version* avx2_version() noexcept {
  static const Version version{.name = "avx2",
                               .fewest8 = 4,
                               .fewest4 = 8,
                               .pack8 = pack<8>,
                               .pack4 = pack<4>,
                               .unpack8 = unpack<8>,
                               .unpack4 = unpack<4>,
                               .stream8 = stream,
                               .copy = copy,
                               .place = place};
  return has_avx2() ? &version : nullptr;
}

}  // namespace quire::kernels
