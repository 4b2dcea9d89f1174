#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <random>
#include <vector>

#include "transport/alignment.hpp"
#include "transport/cut.hpp"
#include "transport/pattern.hpp"
#include "transport/read_pieces.hpp"
#include "transport/staging.hpp"
#include "transport/write_pieces.hpp"

namespace quire::pieces_test {
namespace {

TransportLimits small_limits() {
  TransportLimits limits;
  limits.piece = 4 * page_bytes;
  limits.staging = 2 * page_bytes;
  limits.direct_from = page_bytes;
  limits.gap = 64;
  return limits;
}

TEST(CutTest, CountsThePiecesThatItMakes) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 20000; ++i) {
    const Cut cut{random() % 20000, 1 + random() % 100000, page_bytes * (1 + random() % 4), random() % 2 == 0};
    std::uint64_t done = 0;
    std::uint64_t count = 0;
    while (done < cut.length) {
      const std::uint64_t piece = cut.piece(done);
      ASSERT_GT(piece, 0U);
      ASSERT_LE(piece, cut.absorb ? cut.limit + cut.limit / 8 : cut.limit);
      done += piece;
      ++count;
      if (done < cut.length) {
        ASSERT_EQ((cut.offset + done) % page_bytes, 0U);
      }
    }
    ASSERT_EQ(done, cut.length);
    ASSERT_EQ(count, cut.count()) << cut.offset << ' ' << cut.length << ' ' << cut.limit << ' ' << cut.absorb;
  }
}

TEST(CutTest, LetsASmallRestJoinTheLastPieceOnlyWhereAsked) {
  EXPECT_EQ((Cut{0, 8 * page_bytes + 100, 8 * page_bytes, true}.count()), 1U);
  EXPECT_EQ((Cut{0, 8 * page_bytes + 100, 8 * page_bytes, false}.count()), 2U);
  EXPECT_EQ((Cut{0, 9 * page_bytes, 8 * page_bytes, true}.count()), 2U);
  EXPECT_EQ((Cut{5, 0, page_bytes, true}.count()), 0U);
}

/// Writes all pieces to a file in memory and checks the properties of each.
std::vector<std::byte> collect(const WritePlan& plan, const TransportLimits& limits, Gather gather,
                               std::uint64_t* from_places = nullptr) {
  TransportCounters counters;
  Staging staging;
  WritePieces pieces(plan, limits, gather, counters);
  const auto buffer = staging.provide(pieces.buffer_bytes());
  std::vector<std::byte> file;
  std::uint64_t count = 0;
  while (const auto piece = pieces.next(buffer)) {
    ++count;
    const bool staged = piece->bytes.data() >= buffer.data() && piece->bytes.data() < buffer.data() + buffer.size();
    EXPECT_TRUE(staged || gather != Gather::all);
    if (staged) {
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(piece->bytes.data()) % page_bytes, piece->offset % page_bytes);
      EXPECT_LE(piece->bytes.size(), limits.staging);
    }
    EXPECT_TRUE(piece->places.empty() || (gather == Gather::places && piece->bytes.empty()));
    if (from_places != nullptr && !piece->places.empty()) ++*from_places;
    auto places = piece->places;
    if (places.empty()) places.push_back(piece->bytes);
    auto offset = static_cast<std::ptrdiff_t>(piece->offset);
    for (const auto part : places) {
      const std::size_t end = static_cast<std::size_t>(offset) + part.size();
      if (file.size() < end) file.resize(end);
      std::ranges::copy(part, file.begin() + offset);
      offset += static_cast<std::ptrdiff_t>(part.size());
    }
  }
  EXPECT_EQ(count, pieces.count());
  return file;
}

/// Writes all batches to a file in memory and checks the properties of each.
std::vector<std::byte> collect_batches(const WritePlan& plan, const TransportLimits& limits, Gather gather) {
  TransportCounters counters;
  Staging staging;
  WritePieces pieces(plan, limits, gather, counters);
  const auto buffer = staging.provide(pieces.batch_bytes());
  EXPECT_LE(pieces.batch_bytes(), limits.staging);
  std::vector<std::byte> file;
  std::uint64_t count = 0;
  std::size_t most = 0;
  for (auto batch = pieces.next_batch(buffer); !batch.empty(); batch = pieces.next_batch(buffer)) {
    ++count;
    most = std::max(most, batch.size());
    for (const WritePiece& piece : batch) {
      const std::size_t end = static_cast<std::size_t>(piece.offset) + piece.bytes.size();
      if (file.size() < end) file.resize(end);
      std::ranges::copy(piece.bytes, file.begin() + static_cast<std::ptrdiff_t>(piece.offset));
    }
  }
  EXPECT_EQ(count, pieces.batches().count);
  EXPECT_EQ(most, pieces.batches().most_pieces);
  EXPECT_LE(count, pieces.count());
  return file;
}

TEST(WritePiecesTest, LaysSmallPiecesIntoOneBatch) {
  const auto memory = test::pattern(0, 3 * WritePieces::batch_pieces);
  WritePlan plan;
  for (std::size_t i = 0; i < memory.size(); i += 3) plan.add(i, std::span(memory).subspan(i, 1));
  TransportCounters counters;
  WritePieces pieces(plan, TransportLimits{}, Gather::all, counters);
  EXPECT_EQ(pieces.count(), WritePieces::batch_pieces);
  EXPECT_EQ(pieces.batches().count, 1U);
  EXPECT_EQ(pieces.batches().most_pieces, WritePieces::batch_pieces);
  plan.add(memory.size() + 10, std::span(memory).first(1));
  EXPECT_EQ(WritePieces(plan, TransportLimits{}, Gather::all, counters).batches().count, 2U);
}

/// Makes bytes of a pattern.
class PatternEncoder final : public Encoder {
 public:
  explicit PatternEncoder(std::span<const std::byte> bytes) : bytes_(bytes) {}
  [[nodiscard]] std::size_t encode(std::uint64_t position, std::span<std::byte> out) override {
    const auto rest = bytes_.subspan(static_cast<std::size_t>(position));
    const std::size_t made = std::min(rest.size(), out.size());
    std::copy_n(rest.begin(), made, out.begin());
    return made;
  }

 private:
  std::span<const std::byte> bytes_;
};

TEST(WritePiecesTest, ReportsHowFarWatchedSourcesAreCopied) {
  const auto memory = test::pattern(0, 4 << 20);
  for (const Gather gather : {Gather::places, Gather::shared, Gather::all}) {
    for (const std::size_t length : {std::size_t{1000}, 3 * page_bytes, memory.size()}) {
      WritePlan ready;
      WritePlan watched;
      std::size_t reported = 0;
      std::size_t most = 0;
      for (std::size_t i = 0; i < memory.size(); i += 2 * length) {
        const auto bytes = std::span(memory).subspan(i, std::min(length, memory.size() - i));
        ready.add(i, bytes);
        WatchedSource::Source source = bytes.data();
        if (i % 3 == 1) source = std::make_shared<PatternEncoder>(bytes);
        const auto watch = [&, before = std::uint64_t{0}](std::uint64_t end) mutable {
          EXPECT_GT(end, before);
          reported += end - before;
          most = std::max<std::size_t>(most, end - before);
          before = end;
        };
        watched.add(i, bytes.size(), std::make_shared<WatchedSource>(source, bytes.size(), watch));
      }
      EXPECT_EQ(collect(watched, TransportLimits{}, gather), collect(ready, TransportLimits{}, gather));
      EXPECT_EQ(reported, ready.bytes());
      EXPECT_LE(most, 1U << 20);
    }
  }
}

TEST(WatchedSourceTest, IsAnEncoderForOtherTransports) {
  const auto memory = test::pattern(0, 100);
  for (const WatchedSource::Source& source :
       {WatchedSource::Source(memory.data()), WatchedSource::Source(std::make_shared<PatternEncoder>(memory))}) {
    std::uint64_t reported = 0;
    WatchedSource watched(source, memory.size(), [&](std::uint64_t end) { reported = end; });
    std::vector<std::byte> out(60);
    EXPECT_EQ(watched.encode(0, out), 60U);
    EXPECT_EQ(watched.encode(60, std::span(out).first(50)), 40U);
    EXPECT_TRUE(std::ranges::equal(std::span(out).first(40), std::span(memory).subspan(60)));
    EXPECT_EQ(reported, memory.size());
  }
}

TEST(WritePiecesTest, MakesTheSameBytesFromEveryMixtureOfExtents) {
  std::mt19937_64 random(11);
  TransportLimits larger = small_limits();
  larger.piece = larger.staging = 32 * page_bytes;
  larger.direct_from = 16 * page_bytes;
  std::uint64_t from_places = 0;
  for (int round = 0; round < 200; ++round) {
    std::vector<std::byte> expected;
    std::vector<std::vector<std::byte>> memory;  // not reallocated: moved, never copied
    WritePlan plan;
    std::uint64_t offset = 0;
    for (int i = 0; i < 8; ++i) {
      if (random() % 3 == 0) offset += random() % 10000;
      const std::size_t length = 1 + random() % (random() % 2 == 0 ? 300 : 30000);
      const std::size_t shift = random() % 70;
      expected.resize(static_cast<std::size_t>(offset) + length);
      std::ranges::copy(test::pattern(offset, length), expected.begin() + static_cast<std::ptrdiff_t>(offset));
      if (random() % 2 == 0) {
        auto& bytes = memory.emplace_back(shift);
        const auto made = test::pattern(offset, length);
        bytes.insert(bytes.end(), made.begin(), made.end());
        plan.add(offset, std::span<const std::byte>(bytes).subspan(shift));
      } else {
        plan.add(offset, length, std::make_shared<test::PatternEncoder>(offset, 1 + random() % 100));
      }
      offset += length;
    }
    std::ranges::shuffle(plan.extents, random);
    const auto again = [&] {  // encoders can be used only once
      WritePlan copy = plan;
      for (auto& extent : copy.extents) {
        if (extent.source.index() == 1) extent.source = std::make_shared<test::PatternEncoder>(extent.offset, 60);
      }
      return copy;
    };
    ASSERT_TRUE(collect(again(), small_limits(), Gather::shared) == expected) << round;
    ASSERT_TRUE(collect(again(), larger, Gather::places, &from_places) == expected) << round;
    for (const Gather gather : {Gather::small, Gather::all}) {
      ASSERT_TRUE(collect(again(), small_limits(), gather) == expected) << round;
      ASSERT_TRUE(collect_batches(again(), small_limits(), gather) == expected) << round;
    }
  }
  EXPECT_GT(from_places, 0U);
}

// If each of many ranks has a little of every column, it writes that directly from memory; if one rank writes for all,
// a batch has as many pieces as fit.
TEST(WritePiecesTest, CopiesLoneSmallBytesOnlyForOthers) {
  const auto memory = test::pattern(0, 100 * page_bytes);
  WritePlan plan;
  for (std::uint64_t i = 0; i < 50; ++i) {
    const std::byte* source = memory.data() + 2 * i * page_bytes;
    const std::uint64_t offset = 3 * i * page_bytes + reinterpret_cast<std::uintptr_t>(source) % page_bytes;
    plan.extents.push_back({offset, 800, source});
  }
  TransportCounters counters;
  EXPECT_EQ(WritePieces(plan, TransportLimits{}, Gather::shared, counters).buffer_bytes(), 0U);
  EXPECT_EQ(WritePieces(plan, TransportLimits{}, Gather::small, counters).batches().count, 1U);
  // Neighbours still share a call.
  plan.extents.push_back({plan.extents.front().offset + 800, 800, memory.data() + page_bytes});
  WritePieces pieces(plan, TransportLimits{}, Gather::shared, counters);
  EXPECT_GE(pieces.buffer_bytes(), 1600U);
  EXPECT_EQ(pieces.count(), 50U);
}

// The variables of a rank are consecutive in the file but not in memory.
TEST(WritePiecesTest, WritesNeighboursOfSomePagesDirectly) {
  const auto memory = test::pattern(0, 300 * page_bytes);
  const auto start = reinterpret_cast<std::uintptr_t>(memory.data()) % page_bytes;
  const auto planned = [&](std::size_t count, std::size_t length, std::size_t distance) {
    WritePlan plan;
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t place = i * (length + page_bytes) / page_bytes * page_bytes + i * length % page_bytes;
      plan.add(start + i * length + distance, std::span<const std::byte>(memory).subspan(place, length));
    }
    return plan;
  };
  TransportCounters counters;
  const auto buffer_for = [&](const WritePlan& plan, Gather gather) {
    return WritePieces(plan, TransportLimits{}, gather, counters).buffer_bytes();
  };
  const WritePlan five = planned(5, 31000, 0);
  EXPECT_EQ(buffer_for(five, Gather::places), 0U);
  EXPECT_GE(buffer_for(five, Gather::shared), 155000U);
  WritePieces pieces(five, TransportLimits{}, Gather::places, counters);
  EXPECT_EQ(pieces.count(), 1U);
  const auto piece = pieces.next({});
  ASSERT_TRUE(piece);
  EXPECT_EQ(piece->places.size(), 5U);
  EXPECT_FALSE(pieces.next({}));
  std::vector<std::byte> expected(start);
  for (const WriteExtent& extent : five.extents) {
    const auto* bytes = std::get<const std::byte*>(extent.source);
    expected.insert(expected.end(), bytes, bytes + extent.length);
  }
  EXPECT_TRUE(collect(five, TransportLimits{}, Gather::places) == expected);
  // Limited to the number of places and the size of one call.
  EXPECT_EQ(buffer_for(planned(64, 8192, 0), Gather::places), 0U);
  EXPECT_GT(buffer_for(planned(65, 8192, 0), Gather::places), 0U);
  TransportLimits short_calls;
  short_calls.piece = 16 * page_bytes;
  EXPECT_GT(WritePieces(five, short_calls, Gather::places, counters).buffer_bytes(), 0U);
  // Small extents are cheaper to copy; those that would stall, and as many as a buffer holds, are copied too.
  EXPECT_GT(buffer_for(planned(5, 800, 0), Gather::places), 0U);
  EXPECT_GT(buffer_for(planned(5, 31000, 8), Gather::places), 0U);
  EXPECT_GT(buffer_for(planned(8, 140000, 0), Gather::places), 0U);
}

TEST(WritePiecesTest, SendsLargeReadyBytesStraightUnlessTheCopyWouldStall) {
  const auto memory = test::pattern(0, 5 * page_bytes);
  const auto address = reinterpret_cast<std::uintptr_t>(memory.data());
  for (const std::size_t distance : {0, 1, 8, 31, 32, 100, 4095}) {
    // d = (offset - address) modulo a page
    const std::uint64_t offset = (address + distance) % page_bytes;
    WritePlan plan;
    plan.add(offset, std::span<const std::byte>(memory).first(3 * page_bytes));
    TransportCounters counters;
    WritePieces pieces(plan, small_limits(), Gather::small, counters);
    const bool straight = pieces.buffer_bytes() == 0;
    EXPECT_EQ(straight, distance == 0 || distance >= 32) << distance;
  }
}

TEST(WritePiecesTest, RefusesPlansThatOverlap) {
  const auto memory = test::pattern(0, 100);
  WritePlan plan;
  plan.add(0, std::span<const std::byte>(memory));
  plan.add(50, std::span<const std::byte>(memory));
  TransportCounters counters;
  const auto error = test::error_of([&] { WritePieces(plan, small_limits(), Gather::small, counters); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->kind(), ErrorKind::internal);
}

class SilentEncoder final : public Encoder {
 public:
  explicit SilentEncoder(std::size_t answer) : answer_(answer) {}
  [[nodiscard]] std::size_t encode(std::uint64_t, std::span<std::byte>) override { return answer_; }

 private:
  std::size_t answer_;
};

TEST(WritePiecesTest, RefusesEncodersThatMakeNothingOrTooMuch) {
  for (const std::size_t answer : {std::size_t{0}, std::size_t{11}}) {
    WritePlan plan;
    plan.add(1000, 10, std::make_shared<SilentEncoder>(answer));
    const auto error = test::error_of([&] { collect(plan, small_limits(), Gather::small); });
    ASSERT_TRUE(error);
    EXPECT_EQ(error->kind(), ErrorKind::internal);
    EXPECT_EQ(error->offset(), 1000U);
  }
}

/// Runs a plan on a file in memory; counts the pieces and checks their positions.
void serve(const ReadPlan& plan, std::span<const std::byte> file, const TransportLimits& limits) {
  TransportCounters counters;
  Staging staging;
  ReadPieces pieces(plan, limits, staging, counters);
  std::uint64_t count = 0;
  while (const auto piece = pieces.next()) {
    ++count;
    const auto begin = std::min<std::uint64_t>(piece->offset, file.size());
    const auto there =
        file.subspan(static_cast<std::size_t>(begin))
            .first(std::min<std::size_t>(piece->memory.size(), file.size() - static_cast<std::size_t>(begin)));
    std::ranges::copy(there, piece->memory.begin());
    pieces.take(there.size());
  }
  EXPECT_EQ(count, pieces.count());
}

TEST(ReadPiecesTest, GivesEveryTargetItsBytes) {
  std::mt19937_64 random(13);
  const auto file = test::pattern(0, 200000);
  for (int round = 0; round < 200; ++round) {
    ReadPlan plan;
    std::vector<std::pair<std::uint64_t, std::vector<std::byte>>> ready;
    std::vector<std::pair<ReadExtent, std::shared_ptr<test::KeepingDecoder>>> decoded;
    for (int i = 0; i < 12; ++i) {
      const std::uint64_t record = 1 + random() % (random() % 4 == 0 ? 20000 : 100);
      const std::uint64_t length = record * (1 + random() % std::max<std::uint64_t>(30000 / record, 1));
      const std::uint64_t offset = random() % (file.size() - length);  // overlaps and repeats are allowed
      if (random() % 2 == 0) {
        ready.emplace_back(offset, std::vector<std::byte>(static_cast<std::size_t>(length) + 40));
        plan.add(offset, std::span(ready.back().second).subspan(random() % 40, static_cast<std::size_t>(length)));
      } else {
        decoded.emplace_back(ReadExtent{offset, length, nullptr}, std::make_shared<test::KeepingDecoder>(record));
        plan.add(offset, length, decoded.back().second);
      }
    }
    const ReadPlan asked = plan;
    serve(plan, file, small_limits());
    for (const ReadExtent& extent : asked.extents) {
      if (const auto* memory = std::get_if<std::byte*>(&extent.target)) {
        ASSERT_TRUE(std::equal(*memory, *memory + extent.length, file.begin() + extent.offset)) << round;
      }
    }
    for (const auto& [extent, decoder] : decoded) {
      ASSERT_TRUE(decoder->bytes == test::pattern(extent.offset, static_cast<std::size_t>(extent.length))) << round;
    }
  }
}

TEST(ReadPiecesTest, ReadsSmallNeighboursTogether) {
  const auto file = test::pattern(0, 20000);
  std::vector<std::vector<std::byte>> memory(10, std::vector<std::byte>(100));
  ReadPlan plan;
  for (std::size_t i = 0; i < memory.size(); ++i) plan.add(1000 + 150 * i, std::span(memory[i]));  // gaps of 50
  TransportCounters counters;
  Staging staging;
  EXPECT_EQ(ReadPieces(plan, small_limits(), staging, counters).count(), 1U);
  plan.add(1000 + 150 * 9 + 100 + 65, std::span(memory[0]).first(1));  // after a gap of 65
  EXPECT_EQ(ReadPieces(plan, small_limits(), staging, counters).count(), 2U);
}

TEST(ReadPiecesTest, SaysWhereTheFileEnds) {
  const auto file = test::pattern(0, 5000);
  std::vector<std::byte> memory(3000);
  ReadPlan plan;
  plan.add(3000, std::span(memory));
  const auto error = test::error_of([&] { serve(plan, file, small_limits()); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->kind(), ErrorKind::bad_file);
  EXPECT_EQ(error->offset(), 5000U);
}

TEST(ReadPiecesTest, RefusesDataThatEndInsideARecord) {
  const auto file = test::pattern(0, 50000);
  for (const std::uint64_t length : {250U, 30050U}) {  // read at once, and as a stream
    ReadPlan plan;
    plan.add(7, length, std::make_shared<test::KeepingDecoder>(100));
    const auto error = test::error_of([&] { serve(plan, file, small_limits()); });
    ASSERT_TRUE(error);
    EXPECT_EQ(error->kind(), ErrorKind::bad_file);
    EXPECT_EQ(error->offset(), 7 + length - 50);
  }
}

TEST(ReadPiecesTest, TurnsOffsetsOfDecodersIntoOffsetsOfTheFile) {
  const auto file = test::pattern(0, 50000);
  for (const std::uint64_t length : {300U, 30000U}) {
    ReadPlan plan;
    plan.add(7, length, std::make_shared<test::KeepingDecoder>(100, length - 20));
    const auto error = test::error_of([&] { serve(plan, file, small_limits()); });
    ASSERT_TRUE(error);
    EXPECT_EQ(error->offset(), 7 + length - 20);
  }
}

TEST(ReadPiecesTest, BoundsTheSizeOfARecord) {
  const auto file = test::pattern(0, 200000);
  auto limits = small_limits();
  limits.largest_record = 40000;
  ReadPlan fits;
  fits.add(11, 80000, std::make_shared<test::KeepingDecoder>(40000));
  serve(fits, file, limits);
  ReadPlan plan;
  plan.add(11, 180000, std::make_shared<test::KeepingDecoder>(60000));
  const auto error = test::error_of([&] { serve(plan, file, limits); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->kind(), ErrorKind::memory);
  EXPECT_EQ(error->offset(), 11U);
}

class GreedyDecoder final : public Decoder {
 public:
  [[nodiscard]] std::size_t decode(std::uint64_t, std::span<const std::byte> in) override { return in.size() + 1; }
};

TEST(ReadPiecesTest, RefusesDecodersThatUseMoreThanThereIs) {
  const auto file = test::pattern(0, 100);
  ReadPlan plan;
  plan.add(0, 100, std::make_shared<GreedyDecoder>());
  const auto error = test::error_of([&] { serve(plan, file, small_limits()); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->kind(), ErrorKind::internal);
}

TEST(StagingTest, KeepsWhatIsCarriedWhenItGrows) {
  Staging staging;
  auto buffer = staging.provide(10000);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer.data()) % page_bytes, 0U);
  const auto kept = test::pattern(3, 5000);
  std::ranges::copy(kept, buffer.begin() + 2000);
  buffer = staging.keep(buffer.subspan(2000, 5000), 1000, 3 << 20);
  ASSERT_GE(buffer.size(), std::size_t{3} << 20);
  EXPECT_TRUE(std::ranges::equal(kept, buffer.subspan(1000, 5000)));
}

}  // namespace
}  // namespace quire::pieces_test
