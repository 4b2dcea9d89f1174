#include "probe/pattern.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

namespace quire::probe {
namespace {

constexpr Sizes small{.large = 100'000, .big = 8 << 20, .pieces = 17};

/// Sorting the pieces of all ranks shows any overlap, as a file in memory would.
TEST(ProbePatterns, PiecesAreInOrderAndShareNoByteOnAnyNumberOfRanks) {
  for (const Pattern& pattern : all_patterns()) {
    for (int ranks = 1; ranks <= 9; ++ranks) {
      std::vector<Extent> all;
      for (int rank = 0; rank < ranks; ++rank) {
        const std::vector<Extent> mine = pattern.pieces(rank, ranks, small);
        EXPECT_TRUE(std::ranges::is_sorted(mine, {}, &Extent::offset)) << pattern.name << " " << rank;
        all.insert(all.end(), mine.begin(), mine.end());
      }
      ASSERT_FALSE(all.empty()) << pattern.name;
      std::ranges::sort(all, {}, &Extent::offset);
      for (std::size_t i = 0; i < all.size(); ++i) {
        EXPECT_GT(all[i].length, 0U) << pattern.name;
        if (i == 0) continue;
        EXPECT_LE(all[i - 1].offset + all[i - 1].length, all[i].offset) << pattern.name << " on " << ranks;
      }
    }
  }
}

TEST(ProbePatterns, EmptyRanksAndGapsAreAsTheNamesState) {
  const auto named = [](std::string_view name) { return *std::ranges::find(all_patterns(), name, &Pattern::name); };
  EXPECT_TRUE(named("uneven").pieces(0, 2, small).empty());
  EXPECT_FALSE(named("uneven").pieces(1, 2, small).empty());
  for (const std::string_view name : {"holes", "mixed"}) {
    EXPECT_TRUE(named(name).has_background);
    const std::vector<Extent> mine = named(name).pieces(1, 2, small);
    EXPECT_LT(mine[0].offset + mine[0].length, mine[1].offset) << name;
  }
  const std::vector<Extent> far = named("far").pieces(0, 1, small);
  constexpr std::uint64_t four_gibibytes = std::uint64_t{4} << 30;
  EXPECT_LT(far.back().offset, four_gibibytes);
  EXPECT_GT(far.back().offset + far.back().length, four_gibibytes);
  EXPECT_EQ(named("big").pieces(2, 3, small).front().length, small.big);
}

TEST(ProbePatterns, BytesDependOnTheirPositionAlone) {
  std::array<std::byte, 100> whole{};
  fill_content(1003, whole);
  for (std::size_t begin = 0; begin < whole.size(); ++begin) {
    for (const std::size_t length : {1U, 7U, 8U, 23U}) {
      if (begin + length > whole.size()) continue;
      std::vector<std::byte> part(length);
      fill_content(1003 + begin, part);
      EXPECT_TRUE(std::ranges::equal(part, std::span(whole).subspan(begin, length))) << begin << " " << length;
    }
  }
  std::array<std::byte, 100> other{};
  fill_background(1003, other);
  EXPECT_NE(whole, other);
  // Bytes at the wrong position are almost never right by chance: for example those of a shift by a page.
  fill_content(1003 + 4096, other);
  std::size_t same = 0;
  for (std::size_t i = 0; i < whole.size(); ++i) same += whole[i] == other[i] ? 1 : 0;
  EXPECT_LT(same, 5U);
}

TEST(ProbePatterns, DamageCountsWrongBytesAndKeepsTheFirst) {
  std::array<std::byte, 16> should{};
  std::array<std::byte, 16> is{};
  fill_content(0, should);
  is = should;
  Damage damage;
  damage.compare(500, should, is);
  EXPECT_EQ(damage.wrong, 0U);
  is[3] ^= std::byte{1};
  is[9] ^= std::byte{1};
  damage.compare(500, should, is);
  damage.compare(900, should, is);
  EXPECT_EQ(damage.wrong, 4U);
  EXPECT_EQ(damage.first_offset, 503U);
  EXPECT_EQ(damage.expected, std::to_integer<unsigned>(should[3]));
  EXPECT_EQ(damage.found, std::to_integer<unsigned>(is[3]));
}

}  // namespace
}  // namespace quire::probe
