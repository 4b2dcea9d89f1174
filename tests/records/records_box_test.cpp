#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "format/records.hpp"
#include "quire/base/error.hpp"
#include "quire/spi/base/endian.hpp"
#include "records/memory_file.hpp"
#include "support/random_bytes.hpp"

namespace quire::records_box_test {
namespace {

using test::MemoryFile;

Run run_of(Type type, std::uint64_t component, std::uint64_t offset, std::uint64_t records, ByteOrder order) {
  quire::Run run;
  run.offset = offset;
  run.records = records;
  run.record_bytes = size_of(type);
  run.bytes = records * run.record_bytes;
  run.order = order;
  run.cells = {{component, type}};
  return run;
}

/// The elements of a box in C order, one by one.
std::vector<std::uint64_t> elements_of(const std::vector<std::uint64_t>& extents, const Box& box) {
  std::vector<std::uint64_t> result{0};
  for (std::size_t axis = 0; axis < extents.size(); ++axis) {
    std::vector<std::uint64_t> finer;
    for (const std::uint64_t outer : result) {
      for (std::uint64_t i = 0; i < box.count[axis]; ++i) finer.push_back(outer * extents[axis] + box.start[axis] + i);
    }
    result = finer;
  }
  return result;
}

struct Request {
  std::vector<std::uint64_t> extents;
  Box box;
};

Request random_request(test::Random& random) {
  Request request;
  const std::size_t axes = random.below(5);
  for (std::size_t axis = 0; axis < axes; ++axis) {
    const std::uint64_t extent = random.between(1, 6);
    const std::uint64_t start = random.below(extent);
    const bool entire = random.below(3) == 0;
    request.extents.push_back(extent);
    request.box.start.push_back(entire ? 0 : start);
    request.box.count.push_back(entire ? extent : random.below(extent - start + 1));
  }
  return request;
}

TEST(ContiguousParts, AreTheElementsInOrderAndNeverNeighbours) {
  test::Random random(12);
  for (int trial = 0; trial < 3000; ++trial) {
    const Request request = random_request(random);
    const std::vector<Slice> parts = contiguous_parts(request.extents, request.box);
    std::vector<std::uint64_t> elements;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      ASSERT_GT(parts[i].count, 0U);
      ASSERT_TRUE(i == 0 || parts[i].first > parts[i - 1].end());
      for (std::uint64_t k = 0; k < parts[i].count; ++k) elements.push_back(parts[i].first + k);
    }
    ASSERT_EQ(elements, elements_of(request.extents, request.box));
  }
}

TEST(ContiguousParts, WholeArraysAreOnePart) {
  const std::vector<std::uint64_t> extents{7, 5, 3};
  EXPECT_EQ(contiguous_parts(extents, whole(extents)), (std::vector<Slice>{{0, 105}}));
  EXPECT_EQ(contiguous_parts(extents, {{2, 0, 0}, {4, 5, 3}}), (std::vector<Slice>{{30, 60}}));
  EXPECT_EQ(contiguous_parts({}, {}), (std::vector<Slice>{{0, 1}}));
}

TEST(ContiguousParts, BoxesOutsideAreRefused) {
  EXPECT_THROW((void)contiguous_parts({4, 4}, {{1, 1}, {4, 1}}), Error);
  EXPECT_THROW((void)contiguous_parts({4, 4}, {{5, 1}, {0, 1}}), Error);
  EXPECT_THROW((void)contiguous_parts({4, 4}, {{1, UINT64_MAX}, {1, 2}}), Error);
  EXPECT_THROW((void)contiguous_parts({4, 4}, {{0}, {4}}), Error);
}

/// Components that hold their element's number, the second one in the other byte order and another type.
TEST(Box, ComponentsAreReadFromTheirRuns) {
  const auto other = native_order == ByteOrder::little ? ByteOrder::big : ByteOrder::little;
  test::Random random(13);
  for (int trial = 0; trial < 300; ++trial) {
    const Request request = random_request(random);
    const std::uint64_t count = volume(request.extents);
    const quire::Run first = run_of(Type::float64, 0, 40, count, native_order);
    const quire::Run second = run_of(Type::int16, 1, 40 + count * 8, count, other);
    MemoryFile file(40 + count * 10);
    for (std::uint64_t i = 0; i < count; ++i) {
      store(file.bytes().data() + first.offset + i * 8, static_cast<double>(i), native_order);
      store(file.bytes().data() + second.offset + i * 2, static_cast<std::int16_t>(i), other);
    }
    const std::vector<std::uint64_t> expected = elements_of(request.extents, request.box);
    std::vector<double> numbers(expected.size());
    std::vector<std::uint64_t> converted(expected.size());
    ReadPlan plan;
    const std::array<View, 2> views{View(numbers), View(converted)};
    add_box(plan, Place{{first, second}}, request.extents, request.box, views, false);
    EXPECT_EQ(plan.bytes(), expected.size() * 10);
    file.run(plan, random.between(1, 50));
    EXPECT_EQ(converted, expected);
    EXPECT_EQ(numbers, std::vector<double>(expected.begin(), expected.end()));
  }
}

TEST(Box, StringsComeInTheOrderOfTheBox) {
  quire::Run run = run_of(Type::string, 0, 0, 12, native_order);
  std::vector<std::string> texts;
  for (int i = 0; i < 12; ++i) texts.push_back(std::string(static_cast<std::size_t>(i), 'x') + std::to_string(i));
  for (const std::string& text : texts) run.bytes += 4 + text.size();
  MemoryFile file(run.bytes);
  WritePlan write;
  const ConstView view{std::span<const std::string>(texts)};
  add_rows(write, run, 0, 12, std::span(&view, 1), 0);
  file.run(write, 30);
  PackedStrings out;
  const View target(out, 4);
  ReadPlan plan;
  add_box(plan, Place{{run}}, {3, 4}, {{1, 1}, {2, 2}}, std::span(&target, 1), false);
  file.run(plan, 25);
  ASSERT_EQ(out.size(), 4U);
  EXPECT_EQ(out[0], texts[5]);
  EXPECT_EQ(out[1], texts[6]);
  EXPECT_EQ(out[2], texts[9]);
  EXPECT_EQ(out[3], texts[10]);
}

TEST(Box, WrongMemoryIsRefused) {
  const Place place{{run_of(Type::float64, 0, 0, 12, native_order)}};
  std::vector<double> three(3);
  const View target(three);
  ReadPlan plan;
  EXPECT_THROW(add_box(plan, place, {3, 4}, {{1, 1}, {2, 2}}, std::span(&target, 1), false, "field phi"), Error);
  std::vector<double> four(4);
  const View good(four);
  EXPECT_THROW(add_box(plan, place, {3, 5}, {{2, 1}, {1, 4}}, std::span(&good, 1), false), Error)
      << "the run is smaller than the array";
}

}  // namespace
}  // namespace quire::records_box_test
