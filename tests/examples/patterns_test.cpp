// The patterns of the examples, and ghost zones: the same bytes from any number of ranks by any transport, and the
// values that another pattern reads back.

#include "patterns.hpp"

#include <gtest/gtest.h>

#include "quire/comm/partition.hpp"
#include "support/environment.hpp"
#include "support/sample.hpp"

namespace quire::test {
namespace {

Field array_field() {
  Field field;
  field.name = "array";
  field.extents = patterns::extents;
  return field;
}

/// Kinds of files with a field of two axes of which a rank can write any selection.
std::vector<Variant> holders() {
  StepDescription step;
  step.fields = {array_field()};
  std::vector<Variant> all;
  for (const Variant& variant : variants()) {
    if (variant.format->fit_with_presets({}, step).adapted.fields.empty()) continue;
    const WriteOptions options = variant.write_options();
    if (!create(path("probe" + std::to_string(everyone().rank())), Comm::self(), options).weighs_values()) {
      all.push_back(variant);
    }
  }
  return all;
}

ReadOptions reading(const std::string& transport_name) {
  ReadOptions options;
  options.transport = transport_name;
  return options;
}

/// The bytes that one process writes with one call.
std::string serial_bytes(const WriteOptions& options, const std::vector<double>& values, const std::string& name) {
  const std::string file = path(name + std::to_string(everyone().rank()));
  Writer out = create(file, Comm::self(), options);
  WriteStep step = out.step(0);
  step.put_field(array_field(), whole(patterns::extents), {values});
  step.commit();
  out.close();
  return bytes_of(file);
}

TEST(Patterns, GiveTheSameBytesOnAnyNumberOfRanks) {
  const std::vector<double> all = patterns::values_of(whole(patterns::extents));
  for (const Variant& variant : holders()) {
    WriteOptions options = variant.write_options();
    const std::string wanted = serial_bytes(options, all, "whole_" + variant.name());
    options.transport = transport();
    for (const patterns::Pattern& pattern : patterns::all()) {
      SCOPED_TRACE(variant.name() + " " + pattern.name);
      const std::string file = path(variant.name() + "_" + pattern.name);
      EXPECT_TRUE(patterns::write_and_read(pattern, everyone(), {file, options}));
      EXPECT_EQ(bytes_of(file), wanted);
      everyone().barrier();
    }
  }
}

TEST(Patterns, MayDifferBetweenWritingAndReading) {
  Comm comm = everyone();
  for (const Variant& variant : holders()) {
    WriteOptions options = variant.write_options();
    options.transport = transport();
    const std::string file = path("other_" + variant.name());
    ASSERT_TRUE(patterns::write_and_read(patterns::all()[2], comm, {file, options}));
    Reader in = open(file, comm, reading(transport()));
    const ReadStep step = in.at(0);
    const Field& field = step.description().fields.at(0);
    // Fields with more axes hold the array in the last two.
    const Hyperslab slab{.start = {1, 2}, .stride = {3, 4}, .count = {4, 3}, .block = {1, 2}};
    Hyperslab wanted = slab;
    const std::size_t more = field.extents.size() - 2;
    for (auto* list : {&wanted.stride, &wanted.count, &wanted.block}) list->insert(list->begin(), more, 1);
    wanted.start.insert(wanted.start.begin(), more, 0);
    std::vector<double> found(24);
    step.read_field_all("array", wanted, {found});
    EXPECT_EQ(found, patterns::values_of(slab));
    in.close();
  }
}

/// Every rank has its block with ghost zones, writes the block and reads it back with the ghost zones.
TEST(GhostZones, AreReadButNotWritten) {
  Comm comm = everyone();
  const auto [rows, columns] = patterns::grid_of(comm.size());
  const GridPart part = grid_part(comm.rank(), {rows, columns}, {12 / rows, 16 / columns});
  const std::vector<std::uint64_t> extents = part.extents;
  Box full = part.box;
  for (std::size_t axis = 0; axis < 2; ++axis) {
    const std::uint64_t end = std::min(full.start[axis] + full.count[axis] + 1, extents[axis]);
    full.start[axis] -= std::min<std::uint64_t>(full.start[axis], 1);
    full.count[axis] = end - full.start[axis];
  }
  const Box mine = disjoint_box(comm, full);
  EXPECT_NO_THROW(require_disjoint(comm, mine));
  if (comm.size() > 1) {
    EXPECT_THROW(require_disjoint(comm, full), Error);
  }

  std::vector<double> values = patterns::values_of(full);
  for (std::uint64_t i = 0; i < values.size(); ++i) {
    const std::uint64_t row = full.start[0] + i / full.count[1];
    const std::uint64_t column = full.start[1] + i % full.count[1];
    const bool is_mine = row - mine.start[0] < mine.count[0] && column - mine.start[1] < mine.count[1];
    if (!is_mine) values[i] = -1;
  }
  if (extents != patterns::extents) return;
  for (const Variant& variant : holders()) {
    WriteOptions options = variant.write_options();
    const std::string wanted =
        serial_bytes(options, patterns::values_of(whole(extents)), "ghostless_" + variant.name());
    options.transport = transport();
    const std::string file = path("ghosts_" + variant.name());
    Writer out = create(file, comm, options);
    WriteStep step = out.step(0);
    step.put_field(array_field(), mine, {values}, inside(full, mine));
    step.commit();
    out.close();
    EXPECT_EQ(bytes_of(file), wanted) << variant.name();
    Reader in = open(file, comm, reading(transport()));
    const ReadStep read = in.at(0);
    Box box = full;
    const std::size_t more = read.description().fields.at(0).extents.size() - 2;
    box.start.insert(box.start.begin(), more, 0);
    box.count.insert(box.count.begin(), more, 1);
    // Into the middle of a larger array.
    MemorySelection memory{.extents = {full.count[0] + 2, full.count[1] + 3}, .selection = Box{{1, 2}, full.count}};
    std::vector<double> found(volume(memory.extents), -2);
    read.read_field_all("array", box, {found}, memory);
    const std::vector<double> expected = patterns::values_of(full);
    for (std::uint64_t i = 0; i < expected.size(); ++i) {
      const std::uint64_t row = i / full.count[1] + 1;
      EXPECT_EQ(found[row * memory.extents[1] + i % full.count[1] + 2], expected[i]);
    }
    EXPECT_EQ(found.front(), -2);
    in.close();
  }
}

/// Elements that no rank writes are zeros, at the end of the file too.
TEST(Holes, AreZeros) {
  Comm comm = everyone();
  for (const Variant& variant : holders()) {
    WriteOptions options = variant.write_options();
    options.transport = transport();
    const std::string file = path("holes_" + variant.name());
    Writer out = create(file, comm, options);
    const std::int64_t steps = possible_steps(*variant.format, 2);
    for (std::int64_t number = 0; number < steps; ++number) {
      WriteStep step = out.step(number);
      const std::vector<double> one{7};
      const bool puts = comm.is_root() && number == 0;
      step.put_field(array_field(), puts ? Selection(Box{{3, 4}, {1, 1}}) : Selection(),
                     {puts ? ConstView(one) : ConstView(std::span<const double>())});
      step.commit();
    }
    out.close();
    Reader in = open(file, comm, reading(transport()));
    for (std::int64_t number = 0; number < steps; ++number) {
      std::vector<double> found(12 * 16, -1);
      const ReadStep step = in.step(number);
      step.read_field("array", whole(step.description().fields.at(0).extents), {found});
      std::vector<double> expected(12 * 16, 0);
      if (number == 0) expected[3 * 16 + 4] = 7;
      EXPECT_EQ(found, expected) << variant.name();
    }
    in.close();
  }
}

}  // namespace
}  // namespace quire::test
