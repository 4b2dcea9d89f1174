// Chunks of fields: their owners; only chunks with elements of other ranks wait in memory.

#include "api/write/field_chunks.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

namespace quire::test::field_chunks_test {
namespace {

constexpr std::uint64_t extent = 10;
constexpr std::uint64_t chunk = 4;
constexpr std::uint64_t held = 6;  // the second chunk is across this edge

/// Encodes a chunk as its values. The file has some of the elements already.
class PlainPacker final : public FieldChunkCodec {
 public:
  [[nodiscard]] std::vector<std::uint64_t> chunk_shape(const StepDescription&, std::size_t) const override {
    return {chunk};
  }
  [[nodiscard]] std::vector<std::uint64_t> held_extents(const StepDescription&, std::size_t) const override {
    return {held};
  }
  [[nodiscard]] Chunk held_chunk(const StepDescription&, std::size_t, std::size_t, std::uint64_t) const override {
    return {};
  }
  [[nodiscard]] std::vector<std::byte> unpack_chunk(const StepDescription&, std::size_t, const Chunk&,
                                                    std::span<const std::byte> bytes) const override {
    return {bytes.begin(), bytes.end()};
  }
  [[nodiscard]] PackedGroup pack_chunk(const StepDescription&, std::size_t,
                                       std::span<const std::byte> values) const override {
    return {.length = values.size(), .bytes = {values.begin(), values.end()}};
  }
};

StepDescription growing_field() {
  Field field;
  field.name = "f";
  field.type = Type::int32;
  field.extents = {extent};
  StepDescription step;
  step.fields.push_back(field);
  return step;
}

FieldPart declared(const Box& box) { return {Selection(box), {ConstView(Type::int32, nullptr, 0, 0)}, {}, box}; }

std::vector<std::byte> old_values(std::size_t, std::uint64_t) { return std::vector<std::byte>(chunk * 4); }

std::uint64_t sharers(const std::vector<ChunkTouch>& touches) {
  ChunkDirectory directory;
  for (std::size_t rank = 0; rank < touches.size(); ++rank) directory.add(rank, {touches[rank]});
  return directory.owners({touches[0]})[0].sharers;
}

TEST(ChunkDirectory, CountsRanksWithElements) {
  const ChunkTouch weak{5, false, true};
  const ChunkTouch first{5, true, false};
  const ChunkTouch other{5, false, false};
  EXPECT_EQ(sharers({weak}), 1U) << "it looks after the chunk alone";
  EXPECT_EQ(sharers({weak, first}), 1U);
  EXPECT_EQ(sharers({first, weak}), 1U);
  EXPECT_EQ(sharers({weak, first, other}), 2U);
  EXPECT_EQ(sharers({other, weak, first}), 2U);
}

TEST(ChunkDirectory, AssignsAChunkToARankWithElements) {
  ChunkDirectory directory;
  directory.add(0, {{5, false, true}});
  directory.add(1, {{5, false, false}});
  directory.add(2, {{5, false, false}});
  EXPECT_EQ(directory.owners({{5, false, false}})[0].rank, 1U);
}

TEST(FieldChunks, OfAGrowingFieldDoNotWaitForARankWithoutElements) {
  const PlainPacker planner;
  const StepDescription step = growing_field();
  const Box brought{{held}, {extent - held}};
  const std::vector<FieldPart> parts{declared({{0}, {0}}), declared(brought)};
  std::vector<FieldChunks> ranks;
  ChunkDirectory directory;
  for (std::size_t rank = 0; rank < parts.size(); ++rank) {
    directory.add(rank, ranks.emplace_back(planner, step, 0, parts[rank], rank, false).touches());
  }
  for (FieldChunks& rank : ranks) rank.set_owners(directory.owners(rank.touches()));

  std::vector<std::int32_t> values(extent - held);
  std::iota(values.begin(), values.end(), 1);
  ranks[1].add(brought, std::vector<ConstView>{ConstView(values)}, old_values);
  const auto measured = ranks[1].take();
  ASSERT_EQ(measured[0].size(), 2U) << "a chunk waits for elements that no rank has";
  for (const PackedChunk& one : measured[0]) {
    EXPECT_EQ(one.length, chunk * 4);
    EXPECT_TRUE(one.bytes.empty()) << "its bytes stay in memory to the end of the step";
  }
  for (FieldChunks& rank : ranks) {
    rank.gather(old_values);
    EXPECT_TRUE(rank.take_pieces().empty());
    rank.finish();
    EXPECT_TRUE(rank.take()[0].empty());
  }
}

}  // namespace
}  // namespace quire::test::field_chunks_test
