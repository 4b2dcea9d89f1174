#include "comm/polite_wait.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <optional>

namespace quire::polite_wait_test {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

TEST(PoliteWait, RanksWithACoreEachGiveWayForLonger) {
  EXPECT_GT(patience_of(2, 2).yielding, microseconds(0));
  EXPECT_GT(patience_of(1, 64).yielding, microseconds(0));
}

TEST(PoliteWait, SleepsWithMoreRanksThanCoresOrUnknownRanks) {
  EXPECT_EQ(patience_of(3, 2).yielding, microseconds(0));
  EXPECT_EQ(patience_of(std::nullopt, 64).yielding, microseconds(0));
}

TEST(PoliteWait, EndsWithTheFirstTestThatSucceeds) {
  for (const int needed : {1, 100, 101, 125}) {
    int tests = 0;
    EXPECT_TRUE(wait_politely(Patience{}, std::nullopt, [&] { return ++tests == needed; }));
    EXPECT_EQ(tests, needed);
  }
}

TEST(PoliteWait, TestsBeforeItGivesUpAtTheDeadline) {
  int tests = 0;
  const auto never = [&] {
    ++tests;
    return false;
  };
  EXPECT_FALSE(wait_politely(Patience{}, milliseconds(0), never));
  EXPECT_GE(tests, 1);
  EXPECT_FALSE(wait_politely(patience_of(1, 1), milliseconds(1), never));
}

}  // namespace
}  // namespace quire::polite_wait_test
