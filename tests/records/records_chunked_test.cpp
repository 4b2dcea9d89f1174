// Chunked arrays: any box into any memory, chunks passed whole or in pieces, one or many cells at a time.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "format/records.hpp"
#include "kernels/codec.hpp"
#include "plan/chunk_cache.hpp"
#include "quire/base/error.hpp"
#include "quire/spi/base/endian.hpp"
#include "records/memory_file.hpp"
#include "support/random_bytes.hpp"

namespace quire::records_chunked_test {
namespace {

using test::MemoryFile;

constexpr float fill_value = -5.0F;

/// A float32 array, whose elements are their own numbers, in chunks: some of them never written, some with a skipped
/// filter.
struct ChunkedArray {
  quire::Run run;
  MemoryFile file{0};
  std::vector<bool> is_written;  ///< by element
};

ChunkedArray random_array(test::Random& random, std::vector<std::uint64_t> extents, std::size_t cells) {
  ChunkedArray array;
  ChunkedLayout layout;
  layout.extents = extents;
  for (const std::uint64_t extent : extents) layout.shape.push_back(random.between(1, extent + extent / 2));
  layout.element_bytes = 4;
  const std::array<std::vector<Filter>, 4> pipelines{
      std::vector<Filter>{},
      std::vector<Filter>{Filter{filter_number::shuffle, {4}}, Filter{filter_number::deflate, {1}}},
      std::vector<Filter>{Filter{filter_number::zstandard, {1}}},
      std::vector<Filter>{Filter{filter_number::fletcher32, {}}},
  };
  layout.filters = pipelines.at(random.below(pipelines.size()));
  quire::Run& run = array.run;
  run.order = random.below(2) == 0 ? ByteOrder::little : ByteOrder::big;
  layout.fill.resize(4);
  store(layout.fill.data(), fill_value, run.order);
  run.records = volume(extents) / cells;
  run.record_bytes = 4 * cells;
  run.bytes = 4 * volume(extents);
  for (std::size_t cell = 0; cell < cells; ++cell) run.cells.push_back({cell, Type::float32});
  array.is_written.resize(volume(extents));

  const std::vector<std::uint64_t> counts = chunk_counts(extents, layout.shape);
  for (std::uint64_t number = 0; number < volume(counts); ++number) {
    Chunk chunk;
    std::vector<std::byte> bytes(4 * volume(layout.shape), std::byte{0x7f});
    const bool is_stored = random.below(5) != 0;
    for (std::uint64_t place = 0; place < volume(layout.shape); ++place) {
      std::uint64_t element = 0;
      std::uint64_t stride = 1;
      std::uint64_t rest = place;
      std::uint64_t chunk_rest = number;
      bool is_inside = true;
      for (std::size_t axis = extents.size(); axis-- > 0;) {
        const std::uint64_t at = chunk_rest % counts[axis] * layout.shape[axis] + rest % layout.shape[axis];
        is_inside = is_inside && at < extents[axis];
        element += at * stride;
        stride *= extents[axis];
        rest /= layout.shape[axis];
        chunk_rest /= counts[axis];
      }
      if (!is_inside) continue;
      store(bytes.data() + 4 * place, static_cast<float>(element), run.order);
      array.is_written[element] = is_stored;
    }
    if (is_stored) {
      const bool is_left_out = random.below(4) == 0;
      if (is_left_out) chunk.filter_mask = 0xff;
      const auto stored = is_left_out ? bytes : kernels::Codec(layout.filters).encode(bytes);
      // Chunks are stored anywhere, not consecutively.
      array.file.bytes().resize(array.file.bytes().size() + random.below(9), std::byte{0xcc});
      chunk.offset = array.file.bytes().size();
      chunk.bytes = stored.size();
      array.file.bytes().insert(array.file.bytes().end(), stored.begin(), stored.end());
    }
    layout.chunks.push_back(chunk);
  }
  run.chunks = std::move(layout);
  return array;
}

double expected_value(const ChunkedArray& array, std::uint64_t element) {
  return array.is_written[element] ? static_cast<double>(element) : fill_value;
}

TEST(ChunkedBox, AnyBoxOfAnyArrayIsReadIntoAnyMemory) {
  test::Random random(21);
  for (int trial = 0; trial < 400; ++trial) {
    std::vector<std::uint64_t> extents;
    Box box;
    const std::size_t axes = random.between(1, 4);
    for (std::size_t axis = 0; axis < axes; ++axis) {
      extents.push_back(random.between(1, 9));
      box.start.push_back(random.below(extents.back()));
      box.count.push_back(random.between(1, extents.back() - box.start.back()));
    }
    ChunkedArray array = random_array(random, extents, 1);
    const bool is_converted = random.below(2) == 0;
    const std::size_t gap = random.below(2);
    const std::uint64_t elements = volume(box.count);
    std::vector<double> wide((1 + gap) * elements, -1.0);
    std::vector<float> narrow((1 + gap) * elements, -1.0F);
    auto* const memory =
        is_converted ? reinterpret_cast<std::byte*>(wide.data()) : reinterpret_cast<std::byte*>(narrow.data());
    const Type type = is_converted ? Type::float64 : Type::float32;
    const std::array<View, 1> views{
        View(type, memory, elements, static_cast<std::ptrdiff_t>((1 + gap) * size_of(type)))};
    ReadPlan plan;
    add_box(plan, Place{{array.run}}, extents, box, views, false);
    for (std::size_t i = 1; i < plan.extents.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        ASSERT_NE(plan.extents[i].offset, plan.extents[j].offset) << "a chunk is read twice";
      }
    }
    array.file.run(plan, random.between(1, 600));
    std::vector<std::uint64_t> wanted;
    for (const Slice& part : contiguous_parts(extents, box)) {
      for (std::uint64_t i = 0; i < part.count; ++i) wanted.push_back(part.first + i);
    }
    for (std::size_t i = 0; i < elements; ++i) {
      const std::size_t at = (1 + gap) * i;
      ASSERT_EQ(is_converted ? wide[at] : narrow[at], expected_value(array, wanted[i])) << "trial " << trial;
      if (gap == 0) continue;
      ASSERT_EQ(is_converted ? wide[at + 1] : narrow[at + 1], -1.0) << "trial " << trial;
    }
  }
}

TEST(ChunkedTable, ColumnsAlongTheLastAxisShareTheirChunks) {
  test::Random random(22);
  for (int trial = 0; trial < 200; ++trial) {
    const std::uint64_t rows = random.between(1, 40);
    const std::uint64_t cells = random.between(2, 9);
    ChunkedArray array = random_array(random, {rows, cells}, cells);
    const std::uint64_t first = random.below(rows);
    const Slice slice{first, random.between(1, rows - first)};
    std::vector<std::vector<float>> memory;
    std::vector<ColumnTarget> targets;
    for (std::uint64_t cell = 0; cell < cells; ++cell) memory.emplace_back(slice.count, -1.0F);
    for (std::uint64_t cell = 0; cell < cells; ++cell) {
      if (random.below(3) != 0 || cell == 0) targets.push_back({cell, View(memory[cell])});
    }
    ReadPlan plan;
    add_rows(plan, Place{{array.run}}, slice, targets, false);
    array.file.run(plan, random.between(1, 600));
    for (const ColumnTarget& target : targets) {
      for (std::uint64_t i = 0; i < slice.count; ++i) {
        ASSERT_EQ(memory[target.column][i], expected_value(array, (first + i) * cells + target.column))
            << "trial " << trial << " column " << target.column << " row " << first + i;
      }
    }
  }
}

TEST(ChunkedBox, WithoutMemoryAPlanIsOnlyLookedAt) {
  test::Random random(23);
  const ChunkedArray array = random_array(random, {50}, 1);
  ReadPlan plan;
  const std::vector<ColumnTarget> targets{{0, View(Type::float32, nullptr, 50, 4)}};
  add_rows(plan, Place{{array.run}}, {0, 50}, targets, false);
  EXPECT_FALSE(plan.extents.empty());
}

TEST(ChunkedBox, DamageNamesObjectAndChunk) {
  ChunkedArray array;
  array.run.records = 20;
  array.run.record_bytes = 4;
  array.run.bytes = 80;
  array.run.cells = {{0, Type::float32}};
  array.run.chunks = ChunkedLayout{{20}, {10}, 4, {Filter{filter_number::deflate, {1}}}, {}, {{}, {0, 7, 0}}};
  array.file.bytes().resize(7, std::byte{0x55});
  std::vector<float> values(20, -1.0F);
  ReadPlan plan;
  add_rows(plan, Place{{array.run}}, {0, 20}, std::vector<ColumnTarget>{{0, View(values), "x"}}, false);
  try {
    array.file.run(plan, 3);
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::bad_file);
    EXPECT_EQ(error.object(), "x");
    EXPECT_EQ(error.offset(), 0U);
    EXPECT_NE(error.message().find("the chunk at [10]"), std::string::npos) << error.message();
  }
  EXPECT_EQ(values[9], 0.0F) << "without a fill value there are zeros";
}

/// A column of its own row numbers in deflated chunks of 100 rows.
ChunkedArray deflated_column(std::uint64_t rows) {
  ChunkedArray array;
  array.run.records = rows;
  array.run.record_bytes = 4;
  array.run.bytes = 4 * rows;
  array.run.cells = {{0, Type::float32}};
  array.run.chunks = ChunkedLayout{{rows}, {100}, 4, {Filter{filter_number::deflate, {1}}}, {}, {}};
  kernels::Codec codec(array.run.chunks->filters);
  for (std::uint64_t first = 0; first < rows; first += 100) {
    std::vector<float> values(100);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(first + i);
    const auto stored = codec.encode(std::as_bytes(std::span(values)));
    array.run.chunks->chunks.push_back({array.file.bytes().size(), stored.size(), 0});
    array.file.bytes().insert(array.file.bytes().end(), stored.begin(), stored.end());
  }
  return array;
}

/// Reads a column in blocks of rows, and returns how many chunks were read for it.
std::size_t read_in_blocks(ChunkedArray& array, std::uint64_t block, const std::shared_ptr<ChunkCache>& cache) {
  std::size_t chunks = 0;
  for (std::uint64_t first = 0; first < array.run.records; first += block) {
    const std::uint64_t count = std::min(block, array.run.records - first);
    std::vector<float> values(count, -1.0F);
    ReadPlan plan{.extents = {}, .cache = cache};
    add_rows(plan, Place{{array.run}}, {first, count}, std::vector<ColumnTarget>{{0, View(values)}}, false);
    chunks += plan.extents.size();
    array.file.run(plan, 1000);
    for (std::uint64_t i = 0; i < count; ++i) EXPECT_EQ(values[i], static_cast<float>(first + i));
  }
  return chunks;
}

TEST(KeptChunks, AColumnInBlocksDecodesEachChunkOnce) {
  ChunkedArray array = deflated_column(1000);
  const auto cache = std::make_shared<ChunkCache>(2000);
  EXPECT_EQ(read_in_blocks(array, 30, nullptr), 40U) << "without a cache: 34 blocks, 6 of them in two chunks";
  EXPECT_EQ(read_in_blocks(array, 30, cache), 10U);
  EXPECT_LE(cache->bytes(), 2000U);
}

TEST(KeptChunks, RequestsShareWhatTheyKnowOfAnArray) {
  ChunkedArray array = deflated_column(1000);
  const auto cache = std::make_shared<ChunkCache>(1 << 20);
  read_in_blocks(array, 30, cache);
  EXPECT_EQ(cache->layout_of(*array.run.chunks).use_count(), 10 + 1) << "each of the chunks, and who asks";
}

TEST(KeptChunks, WhatIsLargerThanTheCacheIsDecodedAgain) {
  ChunkedArray array = deflated_column(1000);
  array.run.chunks->shape = {1000};
  array.run.chunks->chunks.resize(1);
  std::vector<float> values(1000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
  array.file.bytes() = kernels::Codec(array.run.chunks->filters).encode(std::as_bytes(std::span(values)));
  array.run.chunks->chunks.front() = {0, array.file.bytes().size(), 0};
  const auto cache = std::make_shared<ChunkCache>(3999);
  EXPECT_EQ(read_in_blocks(array, 100, cache), 10U);
  EXPECT_EQ(cache->bytes(), 0U);
}

TEST(KeptChunks, AChunkThatIsWantedAsAWholeTakesNoRoomFromOthers) {
  ChunkedArray array = deflated_column(300);
  const auto cache = std::make_shared<ChunkCache>(1 << 20);
  EXPECT_EQ(read_in_blocks(array, 300, cache), 3U);
  EXPECT_EQ(cache->bytes(), 0U) << "nothing of it is left to be asked for";
}

TEST(KeptChunks, AnyBoxesOneAfterTheOtherAreTheSameAsWithoutACache) {
  test::Random random(25);
  std::size_t spared = 0;
  for (int trial = 0; trial < 100; ++trial) {
    std::vector<std::uint64_t> extents;
    for (std::size_t axis = random.between(1, 3); axis > 0; --axis) extents.push_back(random.between(1, 12));
    ChunkedArray array = random_array(random, extents, 1);
    const auto cache = std::make_shared<ChunkCache>(random.between(1, 4) * ChunkCache::least_bytes);
    for (int request = 0; request < 8; ++request) {
      Box box;
      for (const std::uint64_t extent : extents) {
        box.start.push_back(random.below(extent));
        box.count.push_back(random.between(1, extent - box.start.back()));
      }
      const std::uint64_t elements = volume(box.count);
      std::vector<double> values(elements, -1.0);
      const std::array<View, 1> views{View(values)};
      ReadPlan plan{.extents = {}, .cache = cache};
      add_box(plan, Place{{array.run}}, extents, box, views, false);
      ReadPlan without;
      add_box(without, Place{{array.run}}, extents, box, views, false);
      spared += without.extents.size() - plan.extents.size();
      array.file.run(plan, random.between(1, 600));
      std::size_t i = 0;
      for (const Slice& part : contiguous_parts(extents, box)) {
        for (std::uint64_t j = 0; j < part.count; ++j) {
          ASSERT_EQ(values[i++], expected_value(array, part.first + j)) << "trial " << trial;
        }
      }
    }
  }
  EXPECT_GT(spared, 50U) << "the cache was of no use";
}

TEST(KeptChunks, AMatrixColumnByColumnDecodesItsChunksOnce) {
  test::Random random(26);
  std::size_t decoded = 0;
  for (int trial = 0; trial < 30; ++trial) {
    ChunkedArray array = random_array(random, {40, 6}, 6);
    const ChunkedLayout& layout = *array.run.chunks;
    const auto is_filtered = [&](std::uint64_t offset) {
      const auto chunk = std::ranges::find(layout.chunks, offset, &Chunk::offset);
      return !layout.filters.empty() && chunk->filter_mask == 0;
    };
    const auto cache = std::make_shared<ChunkCache>(1 << 20);
    std::set<std::uint64_t> seen;
    const Slice rows{3, 30};
    for (std::uint64_t cell = 0; cell < 6; ++cell) {
      std::vector<float> values(rows.count, -1.0F);
      ReadPlan plan{.extents = {}, .cache = cache};
      add_rows(plan, Place{{array.run}}, rows, std::vector<ColumnTarget>{{cell, View(values)}}, false);
      for (const ReadExtent& extent : plan.extents) {
        if (std::ranges::find(layout.chunks, extent.offset, &Chunk::offset) == layout.chunks.end()) continue;
        if (!is_filtered(extent.offset)) continue;
        EXPECT_TRUE(seen.insert(extent.offset).second) << "decoded again";
      }
      array.file.run(plan, 1000);
      for (std::uint64_t i = 0; i < rows.count; ++i) {
        ASSERT_EQ(values[i], expected_value(array, (rows.first + i) * 6 + cell)) << "column " << cell << " row " << i;
      }
    }
    decoded += seen.size();
  }
  EXPECT_GT(decoded, 30U);
}

TEST(KeptChunks, ADamagedChunkIsAnErrorEachTime) {
  ChunkedArray array = deflated_column(300);
  const Chunk& damaged = array.run.chunks->chunks[1];
  for (std::uint64_t i = 0; i < damaged.bytes; ++i) array.file.bytes()[damaged.offset + i] = std::byte{0x55};
  const auto cache = std::make_shared<ChunkCache>(1 << 20);
  std::vector<float> values(20);
  const auto read = [&](std::uint64_t first) {
    ReadPlan plan{.extents = {}, .cache = cache};
    add_rows(plan, Place{{array.run}}, {first, 20}, std::vector<ColumnTarget>{{0, View(values)}}, false);
    array.file.run(plan, 1000);
  };
  read(90 - 10);
  for (int time = 0; time < 2; ++time) EXPECT_THROW(read(110), Error) << time;
  EXPECT_NO_THROW(read(20));
  EXPECT_EQ(values[0], 20.0F);
}

TEST(KeptChunks, AValueThatDoesNotFitIsTheSameErrorFromTheCache) {
  ChunkedArray array = deflated_column(300);
  const auto cache = std::make_shared<ChunkCache>(1 << 20);
  std::vector<std::int8_t> narrow(50);
  const auto read = [&] {
    ReadPlan plan{.extents = {}, .cache = cache};
    add_rows(plan, Place{{array.run}}, {220, 50}, std::vector<ColumnTarget>{{0, View(narrow), "x"}}, false);
    array.file.run(plan, 1000);
  };
  std::vector<std::string> messages;
  for (int time = 0; time < 2; ++time) {
    try {
      read();
      FAIL() << "accepted";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::type);
      EXPECT_EQ(error.object(), "x");
      messages.push_back(error.message());
    }
  }
  EXPECT_EQ(messages[0], messages[1]);
  EXPECT_GT(cache->bytes(), 0U) << "the chunk itself is whole";
}

TEST(ChunkedBox, TablesThatDoNotCoverTheArrayAreDefects) {
  test::Random random(24);
  ChunkedArray array = random_array(random, {50}, 1);
  array.run.chunks->chunks.emplace_back();
  std::vector<float> values(50);
  ReadPlan plan;
  EXPECT_THROW(add_rows(plan, Place{{array.run}}, {0, 50}, std::vector<ColumnTarget>{{0, View(values)}}, false), Error);
}

}  // namespace
}  // namespace quire::records_chunked_test
