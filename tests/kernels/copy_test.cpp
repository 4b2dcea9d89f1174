#include "kernels/copy.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "kernels/version.hpp"
#include "support/random_bytes.hpp"

namespace quire::kernels::copy_test {
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

TEST(Copy, TheChosenVersionCopies) {
  test::Random random(8);
  const std::vector<std::byte> source = random.bytes(4097);
  std::vector<std::byte> target(4097);
  copy_bytes(target.data(), source.data(), source.size());
  EXPECT_EQ(target, source);
}

}  // namespace
}  // namespace quire::kernels::copy_test
