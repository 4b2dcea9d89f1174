#include "quire/kernels/copy.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "quire/kernels/version.hpp"
#include "support/random_bytes.hpp"

namespace quire::kernels {
namespace {

TEST(Copy, EveryVersionCopiesEveryByteAndNothingElse) {
  test::Random random(7);
  const std::vector<std::byte> source = random.bytes(5000);
  for (const Version* version : versions()) {
    for (int trial = 0; trial < 2000; ++trial) {
      const std::size_t from = random.below(70);
      const std::size_t to = random.below(70);
      const std::size_t count = random.below(trial % 2 == 0 ? 300 : 4800);
      std::vector<std::byte> target(5000, std::byte{0xee});
      version->copy(target.data() + to, source.data() + from, count);
      std::vector<std::byte> expected(5000, std::byte{0xee});
      std::copy_n(source.begin() + static_cast<std::ptrdiff_t>(from), count,
                  expected.begin() + static_cast<std::ptrdiff_t>(to));
      ASSERT_EQ(target, expected) << version->name << " from " << from << " to " << to << " count " << count;
    }
  }
}

TEST(Copy, DistancesOfOneToThirtyOneAreSlow) {
  EXPECT_FALSE(copies_slowly(4096, 0));
  EXPECT_FALSE(copies_slowly(32, 0));
  EXPECT_FALSE(copies_slowly(0, 1));  // a distance of 4095
  EXPECT_TRUE(copies_slowly(1, 0));
  EXPECT_TRUE(copies_slowly(31, 4096));
  EXPECT_TRUE(copies_slowly(8202, 4096));
}

}  // namespace
}  // namespace quire::kernels
