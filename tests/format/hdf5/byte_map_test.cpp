#include "format/hdf5/image/byte_map.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace quire::hdf5::byte_map_test {
namespace {

std::vector<std::byte> bytes(std::initializer_list<int> values) {
  std::vector<std::byte> result;
  for (const int value : values) result.push_back(static_cast<std::byte>(value));
  return result;
}

TEST(ByteMap, BehavesAsAnArrayWithHoles) {
  constexpr std::size_t size = 200;
  std::mt19937 random(42);
  ByteMap map;
  std::vector<std::byte> content(size);
  std::vector<bool> known(size, false);
  for (int round = 0; round < 3000; ++round) {
    const std::size_t offset = random() % size;
    const std::size_t length = random() % (size - offset) / 4;
    if (random() % 4 == 0) {
      map.erase(offset, length);
      for (std::size_t i = 0; i < length; ++i) {
        known[offset + i] = false;
        content[offset + i] = std::byte{0};
      }
    } else {
      std::vector<std::byte> piece(length);
      for (std::byte& value : piece) value = static_cast<std::byte>(1 + random() % 255);
      map.write(offset, piece);
      for (std::size_t i = 0; i < length; ++i) {
        known[offset + i] = true;
        content[offset + i] = piece[i];
      }
    }
    std::vector<std::byte> read(size);
    map.copy(0, read);
    ASSERT_EQ(read, content) << round;
    const std::size_t from = random() % size;
    std::size_t run = 0;
    while (from + run < size && known[from + run]) ++run;
    ASSERT_EQ(map.known_from(from), run);
    std::size_t total = 0;
    for (const PublishWrite& write : map.joined(0, size)) total += write.bytes.size();
    ASSERT_EQ(total, static_cast<std::size_t>(std::count(known.begin(), known.end(), true)));
    const auto part = known.begin() + static_cast<std::ptrdiff_t>(offset);
    EXPECT_EQ(map.has_any(offset, length), std::find(part, part + static_cast<std::ptrdiff_t>(length), true) !=
                                               part + static_cast<std::ptrdiff_t>(length));
  }
}

TEST(ByteMap, JoinsNeighboursWithinBounds) {
  ByteMap map;
  map.write(10, bytes({1, 2}));
  map.write(12, bytes({3}));
  map.write(20, bytes({4, 5}));
  const auto all = map.joined(11, 21);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].offset, 11U);
  EXPECT_EQ(all[0].bytes, bytes({2, 3}));
  EXPECT_EQ(all[1].offset, 20U);
  EXPECT_EQ(all[1].bytes, bytes({4}));
  EXPECT_EQ(map.end(), 22U);
}

}  // namespace
}  // namespace quire::hdf5::byte_map_test
