#include "format/hdf5/image/read_ahead.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <vector>

namespace quire::hdf5::read_ahead_test {
namespace {

/// Bytes that depend on their offset; counts the reads.
class Counted final : public ByteSource {
 public:
  explicit Counted(std::size_t size) : bytes_(size) {
    for (std::size_t i = 0; i < size; ++i) bytes_[i] = static_cast<std::byte>(i * 7 + i / 251);
  }
  [[nodiscard]] std::uint64_t size() override { return bytes_.size(); }
  [[nodiscard]] std::size_t read(std::uint64_t offset, std::span<std::byte> out) override {
    lengths.push_back(out.size());
    if (fails) throw std::runtime_error("no such luck");
    if (offset >= bytes_.size()) return 0;
    const std::size_t length = std::min<std::size_t>(out.size(), bytes_.size() - static_cast<std::size_t>(offset));
    std::copy_n(bytes_.begin() + static_cast<std::ptrdiff_t>(offset), length, out.begin());
    return length;
  }
  [[nodiscard]] const std::vector<std::byte>& bytes() const { return bytes_; }

  std::vector<std::size_t> lengths;
  bool fails = false;

 private:
  std::vector<std::byte> bytes_;
};

struct ReadAheadFile : ::testing::Test {
  std::shared_ptr<Counted> counted = std::make_shared<Counted>(100'000);
  ReadAhead file{counted};

  void expect_read(std::uint64_t offset, std::size_t length, std::size_t available) {
    std::vector<std::byte> out(length);
    ASSERT_EQ(file.read(offset, out), available) << offset << " " << length;
    const auto from = counted->bytes().begin() + static_cast<std::ptrdiff_t>(offset);
    EXPECT_TRUE(std::equal(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(available), from)) << offset;
  }
};

TEST_F(ReadAheadFile, CloseReadsAreMerged) {
  expect_read(50'000, 300, 300);
  expect_read(50'300, 16, 16);
  for (std::uint64_t at = 50'316; at < 60'000; at += 100) expect_read(at, 100, 100);
  EXPECT_EQ(counted->lengths, (std::vector<std::size_t>{300, ReadAhead::window_bytes}));
}

TEST_F(ReadAheadFile, ScatteredAndLongReadsAreUnchanged) {
  const std::vector<std::size_t> lengths{300, 200, 100, 30'000};
  for (std::size_t i = 0; i < lengths.size(); ++i)
    expect_read(20'000 * (4 - i), lengths[i], std::min<std::size_t>(lengths[i], 100'000 - 20'000 * (4 - i)));
  EXPECT_EQ(counted->lengths, lengths);
}

TEST_F(ReadAheadFile, TheEndOfTheFileIsTheEnd) {
  expect_read(99'000, 100, 100);
  expect_read(99'900, 200, 100);
  expect_read(99'990, 10, 10);
  std::vector<std::byte> out(8);
  EXPECT_EQ(file.read(100'000, out), 0U);
  EXPECT_EQ(file.read(200'000, out), 0U);
}

TEST_F(ReadAheadFile, ManyPlacesInAnyOrder) {
  std::uint64_t at = 1;
  for (int i = 0; i < 3000; ++i) {
    at = at * 6364136223846793005ULL + 1442695040888963407ULL;
    const std::uint64_t place = i % 3 == 0 ? (at >> 33) % 99'000 : std::min<std::uint64_t>(at % 3000 + 40'000, 98'000);
    const std::size_t length = (at >> 20) % 900;
    expect_read(place, length, length);
  }
}

TEST_F(ReadAheadFile, AFailedReadIsNotCached) {
  expect_read(10'000, 8, 8);
  counted->fails = true;
  std::vector<std::byte> out(8);
  EXPECT_THROW(static_cast<void>(file.read(10'008, out)), std::runtime_error);
  EXPECT_THROW(static_cast<void>(file.read(10'016, out)), std::runtime_error);
  counted->fails = false;
  expect_read(10'016, 8, 8);
}

}  // namespace
}  // namespace quire::hdf5::read_ahead_test
