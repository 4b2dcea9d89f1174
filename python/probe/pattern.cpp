#include "pattern.hpp"

#include <algorithm>
#include <cstring>

namespace quire::probe {
namespace {

constexpr std::uint64_t content_seed = 0x517E0C5EED5EED01;
constexpr std::uint64_t background_seed = 0xBAC06200DD5EED02;

/// The finalizer of splitmix64: every bit of the word depends on every bit of the position.
std::uint64_t mixed(std::uint64_t word) {
  word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9;
  word = (word ^ (word >> 27)) * 0x94D049BB133111EB;
  return word ^ (word >> 31);
}

void fill(std::uint64_t seed, std::uint64_t offset, std::span<std::byte> out) {
  const auto word_at = [&](std::uint64_t at) { return mixed((at >> 3) * 0x9E3779B97F4A7C15 + seed); };
  std::size_t done = 0;
  const auto part = [&] {
    const std::uint64_t word = word_at(offset + done);
    const std::size_t skip = (offset + done) & 7;
    const std::size_t count = std::min<std::size_t>(8 - skip, out.size() - done);
    std::memcpy(out.data() + done, reinterpret_cast<const std::byte*>(&word) + skip, count);
    done += count;
  };
  if ((offset & 7) != 0) part();
  for (; done + 8 <= out.size(); done += 8) {
    const std::uint64_t word = word_at(offset + done);
    std::memcpy(out.data() + done, &word, 8);
  }
  if (done < out.size()) part();
}

/// Pieces of changing, mostly odd length, dealt to the ranks in turn: many in one page, many ranks in one lock.
std::vector<Extent> interleaved(int rank, int ranks, const Sizes& sizes) {
  std::vector<Extent> mine;
  std::uint64_t offset = 11;
  const std::uint64_t all = sizes.pieces * static_cast<std::uint64_t>(ranks);
  for (std::uint64_t piece = 0; piece < all; ++piece) {
    const std::uint64_t length = 1 + piece * 37 % 199;
    if (piece % static_cast<std::uint64_t>(ranks) == static_cast<std::uint64_t>(rank)) mine.push_back({offset, length});
    offset += length;
  }
  return mine;
}

/// The rows of a matrix whose columns the ranks share in blocks.
std::vector<Extent> strided(int rank, int ranks, const Sizes& sizes) {
  constexpr std::uint64_t block = 16384;
  std::vector<Extent> mine;
  for (std::uint64_t row = 0; row < sizes.pieces; ++row) {
    const std::uint64_t first = row * static_cast<std::uint64_t>(ranks) + static_cast<std::uint64_t>(rank);
    mine.push_back({first * block, block});
  }
  return mine;
}

/// A third of the bytes, in small pieces of all ranks side by side; the rest must stay as it was.
std::vector<Extent> holes(int rank, int ranks, const Sizes& sizes) {
  std::vector<Extent> mine;
  for (std::uint64_t piece = 0; piece < sizes.pieces; ++piece) {
    const std::uint64_t place = piece * static_cast<std::uint64_t>(ranks) + static_cast<std::uint64_t>(rank);
    mine.push_back({50 + place * 300, 100});
  }
  return mine;
}

/// Ranks that differ in kind: the even ones have a few long pieces, the odd ones many short and irregular ones between
/// them, with gaps that must stay. What one rank asks for must not change what another gets.
std::vector<Extent> mixed_kinds(int rank, int ranks, const Sizes& sizes) {
  constexpr std::uint64_t block = 65536;
  constexpr std::uint64_t half = block / 2;
  std::vector<Extent> mine;
  const std::uint64_t blocks = std::max<std::uint64_t>(4, sizes.pieces / 8);
  const auto pair = static_cast<std::uint64_t>(rank / 2);
  const auto pairs = static_cast<std::uint64_t>((ranks + 1) / 2);
  for (std::uint64_t turn = 0; turn < blocks; ++turn) {
    const std::uint64_t begin = (turn * pairs + pair) * block;
    if (rank % 2 == 0) {
      mine.push_back({begin + 17, half - 17});
      continue;
    }
    std::uint64_t offset = begin + half + turn % 5;
    for (std::uint64_t piece = 0; piece < 24; ++piece) {
      const std::uint64_t length = 1 + (piece * 61 + turn * 13) % 400;
      mine.push_back({offset, length});
      offset += length + 1 + (piece * 97 + turn) % 900;
    }
  }
  return mine;
}

/// Every other rank has nothing, the others more and more.
std::vector<Extent> uneven(int rank, int ranks, const Sizes& sizes) {
  std::uint64_t offset = 5;
  const auto length_of = [&](int one) {
    return (ranks - 1 - one) % 2 == 0 ? (static_cast<std::uint64_t>(one) + 1) * (sizes.large / 16 + 7) : 0;
  };
  for (int before = 0; before < rank; ++before) offset += length_of(before);
  return length_of(rank) == 0 ? std::vector<Extent>{} : std::vector<Extent>{{offset, length_of(rank)}};
}

std::vector<Extent> contiguous(int rank, int, const Sizes& sizes) {
  return {{static_cast<std::uint64_t>(rank) * sizes.large, sizes.large}};
}

std::vector<Extent> unaligned(int rank, int, const Sizes& sizes) {
  const std::uint64_t length = sizes.large + 13;
  return {{371 + static_cast<std::uint64_t>(rank) * length, length}};
}

/// Small pieces on both sides of where 31 and 32 bits end.
std::vector<Extent> far(int rank, int, const Sizes&) {
  std::vector<Extent> mine;
  for (const int bits : {31, 32}) {
    mine.push_back({(std::uint64_t{1} << bits) - 2001 + static_cast<std::uint64_t>(rank) * 5000, 4099});
  }
  return mine;
}

/// One request of the last rank that is larger than 31 bits can count, where there is room for it.
std::vector<Extent> big(int rank, int ranks, const Sizes& sizes) {
  if (rank + 1 < ranks) return {{static_cast<std::uint64_t>(rank) * 100, 100}};
  return {{static_cast<std::uint64_t>(ranks) * 100 + 5, sizes.big}};
}

}  // namespace

const std::vector<Pattern>& all_patterns() {
  static const std::vector<Pattern> patterns{
      {.name = "interleaved", .pieces = interleaved},
      {.name = "holes", .has_background = true, .pieces = holes},
      {.name = "strided", .pieces = strided},
      {.name = "mixed", .has_background = true, .pieces = mixed_kinds},
      {.name = "uneven", .pieces = uneven},
      {.name = "far", .is_sparse = true, .pieces = far},
      {.name = "contiguous", .pieces = contiguous},
      {.name = "unaligned", .pieces = unaligned},
      {.name = "big", .is_sparse = true, .pieces = big},
  };
  return patterns;
}

void fill_content(std::uint64_t offset, std::span<std::byte> out) { fill(content_seed, offset, out); }

void fill_background(std::uint64_t offset, std::span<std::byte> out) { fill(background_seed, offset, out); }

void Damage::compare(std::uint64_t offset, std::span<const std::byte> should, std::span<const std::byte> is) {
  if (std::memcmp(should.data(), is.data(), should.size()) == 0) return;
  for (std::size_t i = 0; i < should.size(); ++i) {
    if (should[i] == is[i]) continue;
    if (wrong == 0) {
      first_offset = offset + i;
      expected = std::to_integer<unsigned>(should[i]);
      found = std::to_integer<unsigned>(is[i]);
    }
    ++wrong;
  }
}

}  // namespace quire::probe
