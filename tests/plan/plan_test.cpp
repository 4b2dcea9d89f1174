#include "quire/spi/plan/plan.hpp"

#include <gtest/gtest.h>

#include <array>

#include "quire/base/error.hpp"

namespace quire::plan_test {
namespace {

class NoBytes final : public Encoder {
 public:
  std::size_t encode(std::uint64_t, std::span<std::byte>) override { return 0; }
};

TEST(Coalesce, JoinsNeighboursInFileAndMemory) {
  std::array<std::byte, 32> memory{};
  const std::span<const std::byte> all(memory);
  WritePlan plan;
  plan.add(108, all.subspan(8, 8));
  plan.add(100, all.first(8));
  plan.add(116, all.subspan(24, 8));  // neighbour in the file, not in memory
  plan.add(200, all.first(0));
  coalesce(plan);
  EXPECT_EQ(extents_of(plan), (std::vector<Extent>{{100, 16}, {116, 8}}));
  EXPECT_EQ(plan.bytes(), 24U);
}

TEST(Coalesce, LeavesEncodedExtentsApart) {
  std::array<std::byte, 8> memory{};
  WritePlan plan;
  plan.add(8, 8, std::make_shared<NoBytes>());
  plan.add(0, std::span<const std::byte>(memory));
  plan.add(16, std::span<const std::byte>(memory));
  coalesce(plan);
  EXPECT_EQ(plan.extents.size(), 3U);
  EXPECT_EQ(plan.extents[1].offset, 8U);
}

TEST(Coalesce, RefusesToWriteBytesTwice) {
  std::array<std::byte, 16> memory{};
  WritePlan plan;
  plan.add(0, std::span<const std::byte>(memory));
  plan.add(15, std::span<const std::byte>(memory).first(1));
  EXPECT_THROW(coalesce(plan), Error);
}

TEST(Coalesce, ReadsMayRepeatBytes) {
  std::array<std::byte, 16> memory{};
  ReadPlan plan;
  plan.add(4, std::span<std::byte>(memory).first(8));
  plan.add(4, std::span<std::byte>(memory).last(8));
  coalesce(plan);
  EXPECT_EQ(plan.bytes(), 16U);
}

TEST(WritePlan, KeepsItsOwnBytesAlive) {
  WritePlan plan;
  plan.add(0, std::vector<std::byte>{std::byte{7}});
  const WritePlan copy = plan;
  plan = {};
  EXPECT_EQ(*std::get<const std::byte*>(copy.extents.at(0).source), std::byte{7});
}

}  // namespace
}  // namespace quire::plan_test
