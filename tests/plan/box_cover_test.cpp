#include "plan/box_cover.hpp"

#include <gtest/gtest.h>

#include "quire/base/error.hpp"
#include "support/error_of.hpp"

namespace quire::test::box_cover_test {
namespace {

const Box whole_box{{2, 10, 0}, {6, 20, 5}};

void expect_refused(BoxCover& cover, const Box& part, const std::string& words) {
  const std::uint64_t before = cover.elements();
  const auto error = error_of([&] { cover.add(part); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->kind(), ErrorKind::usage);
  EXPECT_NE(error->message().find(words), std::string::npos) << error->what();
  EXPECT_EQ(cover.elements(), before);
}

TEST(BoxCover, IsCompleteOnceAllPartsHaveComeInAnyOrder) {
  BoxCover cover(whole_box);
  cover.add({{5, 10, 0}, {3, 20, 5}});
  cover.add({{2, 20, 0}, {3, 10, 5}});
  EXPECT_FALSE(cover.is_complete());
  cover.add({{2, 10, 0}, {3, 10, 5}});
  EXPECT_TRUE(cover.is_complete());
  EXPECT_EQ(cover.elements(), 600U);
  cover.clear();
  EXPECT_FALSE(cover.is_complete());
  cover.add(whole_box);
  EXPECT_TRUE(cover.is_complete());
}

TEST(BoxCover, RefusesPartsOutside) {
  BoxCover cover(whole_box);
  expect_refused(cover, {{1, 10, 0}, {2, 1, 1}}, "[1:3, 10:11, 0:1] is not inside");
  expect_refused(cover, {{7, 10, 0}, {2, 1, 1}}, "not inside");
  expect_refused(cover, {{2, 30, 0}, {1, 1, 1}}, "not inside");
  expect_refused(cover, {{2, 10, ~std::uint64_t{0}}, {1, 1, 2}}, "not inside");
  expect_refused(cover, {{2, 10}, {1, 1}}, "2 axes");
  EXPECT_EQ(cover.parts(), 0U);
}

TEST(BoxCover, RefusesElementsThatHaveCome) {
  BoxCover cover(whole_box);
  cover.add({{2, 10, 0}, {2, 20, 5}});
  cover.add({{4, 10, 0}, {1, 20, 5}});
  expect_refused(cover, {{4, 29, 4}, {2, 1, 1}}, "[2:5, 10:30, 0:5]");
  // A part without elements shares none.
  cover.add({{3, 12, 1}, {0, 3, 3}});
  cover.add({{5, 29, 4}, {1, 1, 1}});
}

TEST(BoxCover, RemembersARegularOrderInFewBoxes) {
  BoxCover cover(whole_box);
  std::size_t most = 0;
  for (std::uint64_t z = 0; z < 6; ++z) {
    for (std::uint64_t y = 0; y < 20; y += 2) {
      for (std::uint64_t x = 0; x < 5; ++x) {
        cover.add({{2 + z, 10 + y, x}, {1, 2, 1}});
        most = std::max(most, cover.parts());
      }
    }
  }
  EXPECT_TRUE(cover.is_complete());
  EXPECT_EQ(cover.parts(), 1U);
  EXPECT_LE(most, 3U);
}

TEST(BoxCover, RemembersAFallingOrderInFewBoxes) {
  BoxCover cover(whole_box);
  std::size_t most = 0;
  for (std::uint64_t z = 6; z-- > 0;) {
    for (std::uint64_t y = 20; y-- > 0;) {
      for (std::uint64_t x = 5; x-- > 0;) {
        cover.add({{2 + z, 10 + y, x}, {1, 1, 1}});
        most = std::max(most, cover.parts());
      }
    }
  }
  EXPECT_TRUE(cover.is_complete());
  EXPECT_EQ(cover.parts(), 1U);
  EXPECT_LE(most, 3U);
}

TEST(BoxCover, JoinsWhatComesBetweenItsNeighbours) {
  BoxCover cover(whole_box);
  for (const std::uint64_t z : {0, 4, 2}) cover.add({{2 + z, 10, 0}, {1, 20, 5}});
  EXPECT_EQ(cover.parts(), 3U);
  for (const std::uint64_t z : {1, 3}) cover.add({{2 + z, 10, 0}, {1, 20, 5}});
  EXPECT_EQ(cover.parts(), 1U);
  expect_refused(cover, {{2, 10, 0}, {1, 1, 1}}, "already written, in [2:7, 10:30, 0:5]");
}

TEST(BoxCover, OfASingleElementTakesOne) {
  BoxCover cover({{}, {}});
  EXPECT_FALSE(cover.is_complete());
  cover.add({{}, {}});
  EXPECT_TRUE(cover.is_complete());
  expect_refused(cover, {{}, {}}, "already written");
}

}  // namespace
}  // namespace quire::test::box_cover_test
