// Places of pages. Pages that repeat are one entry.

#include "format/sdds/page_index.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace quire::sdds::page_index_test {
namespace {

void expect_places(const PageIndex& index, const std::vector<PagePlace>& pages) {
  ASSERT_EQ(index.size(), pages.size());
  for (std::size_t i = 0; i < pages.size(); ++i) {
    SCOPED_TRACE(i);
    EXPECT_EQ(index[i].offset, pages[i].offset);
    EXPECT_EQ(index[i].end, pages[i].end);
    EXPECT_EQ(index[i].number, pages[i].number);
  }
}

TEST(PageIndex, MillionsOfEqualPagesAreOneEntry) {
  PageIndex index;
  constexpr std::uint64_t pages = 5'000'000;
  for (std::uint64_t i = 0; i < pages; ++i)
    index.push_back({100 + 4 * i, 104 + 4 * i, static_cast<std::int64_t>(7 * i)});
  EXPECT_EQ(index.size(), pages);
  EXPECT_LE(index.bytes(), 200U);
  EXPECT_EQ(index[4'000'000].offset, 16'000'100U);
  EXPECT_EQ(index.back().end, 100 + 4 * pages);
  EXPECT_EQ(index.back().number, 7 * 4'999'999);
}

TEST(PageIndex, KeepsEveryPageOfAnyLengthAndNumber) {
  PageIndex index;
  std::vector<PagePlace> pages;
  std::uint64_t offset = 50;
  for (std::uint64_t i = 0; i < 200; ++i) {
    const std::uint64_t gap = i % 11 == 0 ? 3 : 0;
    const std::uint64_t length = 4 + (i % 7 == 0 ? i : 0);
    pages.push_back({offset + gap, offset + gap + length, static_cast<std::int64_t>(i < 90 ? i : i * i)});
    index.push_back(pages.back());
    offset += gap + length;
  }
  expect_places(index, pages);
  for (const std::size_t kept : {150U, 91U, 90U, 3U, 1U, 0U}) {
    pages.resize(kept);
    index.truncate(kept);
    expect_places(index, pages);
  }
  index.push_back({9, 13, -2});
  expect_places(index, {{9, 13, -2}});
}

}  // namespace
}  // namespace quire::sdds::page_index_test
