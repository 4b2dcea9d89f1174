// The places of streams, and refused requests: specs/sion.md sections 1.3, 3 and 9.

#include "format/sion/planner.hpp"

#include <gtest/gtest.h>

#include "format/sion/format.hpp"
#include "quire/base/error.hpp"
#include "quire/spi/plan/member.hpp"

namespace quire::sion::planner_test {
namespace {

SionPlanner planner_with(Options options) {
  options.try_emplace("block_size", "64");
  return SionPlanner(CheckedOptions(sion_format().write_options, options));
}

StreamRequest asking(std::int64_t rank, std::uint64_t chunk_bytes = 10) {
  StreamRequest request;
  request.rank = rank;
  request.chunk_bytes = chunk_bytes;
  return request;
}

std::vector<StreamRequest> tasks(std::int64_t count) {
  std::vector<StreamRequest> requests;
  for (std::int64_t rank = 0; rank < count; ++rank) requests.push_back(asking(rank));
  return requests;
}

/// The kind of error that placing raises.
ErrorKind refusal(const Options& options, const std::vector<StreamRequest>& requests) {
  try {
    static_cast<void>(planner_with(options).place(requests, "file", false));
  } catch (const Error& error) {
    return error.kind();
  }
  return ErrorKind::internal;
}

TEST(SionPlanner, SpreadsTasksOverFilesWithTheRestInTheLastOne) {
  SionPlanner planner = planner_with({{"files", "2"}});
  const auto places = planner.place(tasks(5), "file", false);
  std::vector<std::uint64_t> files;
  for (const StreamPlace& place : places) files.push_back(member_of(place.first));
  EXPECT_EQ(files, (std::vector<std::uint64_t>{0, 0, 1, 1, 1}));
  EXPECT_EQ(offset_in(places[2].first), 1152U) << "each file is complete in itself";
  EXPECT_EQ(planner.title().extents.size(), 2U);
}

/// Streams with known numbers of bytes.
std::vector<StreamRequest> known(const std::vector<std::uint64_t>& bytes,
                                 const std::optional<std::uint64_t>& chunk_bytes = {}) {
  std::vector<StreamRequest> requests;
  for (const std::uint64_t each : bytes) {
    StreamRequest& request = requests.emplace_back();
    request.rank = static_cast<std::int64_t>(requests.size()) - 1;
    request.chunk_bytes = chunk_bytes;
    request.bytes = each;
  }
  return requests;
}

TEST(SionPlanner, ReservesSpaceThatIsKnownToBeFilledButNoHoles) {
  const auto reserved = [](const Options& options, const std::vector<StreamRequest>& requests, bool is_open = false) {
    SionPlanner planner = planner_with(options);
    static_cast<void>(planner.place(requests, "file", is_open));
    return planner.reservations();
  };
  EXPECT_EQ(reserved({}, known({640, 64})), (std::vector<Extent>{{0, 1152 + 704}}));
  EXPECT_EQ(reserved({}, known({640, 640}, 64)), (std::vector<Extent>{{0, 1152 + 10 * 128}})) << "ten blocks";
  EXPECT_TRUE(reserved({}, known({640, 1}, 64)).empty()) << "the second task leaves nine chunks empty";
  EXPECT_TRUE(reserved({}, known({640}, 4096)).empty()) << "one chunk, filled to a part";
  EXPECT_TRUE(reserved({}, tasks(2), true).empty()) << "the number of bytes is not known";
  EXPECT_EQ(reserved({{"files", "2"}, {"copies", "1"}}, known({64, 64})).size(), 4U) << "copies, too";
  std::vector<StreamRequest> together = known({0, 0});
  for (StreamRequest& request : together) request.together = 640;
  EXPECT_EQ(reserved({{"mode", "merge"}, {"style", "compact"}}, together), (std::vector<Extent>{{0, 1152 + 1280}}));
  EXPECT_TRUE(reserved({{"mode", "merge"}, {"collsize", "2"}}, together).empty()) << "the chunks of members are empty";
}

TEST(SionPlanner, NumbersGroupsByTheirFirstTask) {
  std::vector<StreamRequest> requests = tasks(4);
  for (StreamRequest& request : requests) request.file = request.rank % 2 == 0 ? 7 : 3;
  SionPlanner planner = planner_with({});
  const auto places = planner.place(requests, "file", false);
  EXPECT_EQ(member_of(places[0].first), 0U);
  EXPECT_EQ(member_of(places[1].first), 1U);
  EXPECT_EQ(member_of(places[2].first), 0U);
  EXPECT_LT(places[0].first, places[2].first);
}

TEST(SionPlanner, WritesCopiesByOtherGroupsAfterTheTasksOfThoseGroups) {
  SionPlanner planner = planner_with({{"files", "3"}, {"copies", "2"}});
  const auto places = planner.place(tasks(6), "file", false);
  std::vector<std::string> names;
  for (const WriteExtent& extent : planner.title().extents) {
    EXPECT_EQ(offset_in(extent.offset), 0U);
    names.push_back(planner.member_name("x", member_of(extent.offset)));
  }
  EXPECT_EQ(names,
            (std::vector<std::string>{"x", "x.000001", "x.000002", "x_BUDDY_00", "x_BUDDY_00.000001",
                                      "x_BUDDY_00.000002", "x_BUDDY_01", "x_BUDDY_01.000001", "x_BUDDY_01.000002"}));
  for (const StreamPlace& place : places) {
    ASSERT_EQ(place.copies.size(), 2U);
    for (const std::uint64_t copy : place.copies) {
      EXPECT_EQ(member_of(copy) % most_files_with_copies, member_of(place.first));
      EXPECT_EQ(offset_in(copy), offset_in(place.first)) << "both headers end before the second block";
    }
  }
  EXPECT_EQ(refusal({{"files", "2"}, {"copies", "2"}}, tasks(4)), ErrorKind::usage) << "there is no other group";
  EXPECT_EQ(refusal({{"copies", "1"}}, tasks(4)), ErrorKind::usage);
  EXPECT_THROW(static_cast<void>(planner_with({{"copies", "1"}, {"mode", "merge"}})), Error);
  EXPECT_THROW(static_cast<void>(planner_with({{"copies", "-1"}})), Error);
}

TEST(SionPlanner, LetsTheFirstTasksCollectInModularMode) {
  SionPlanner planner = planner_with({{"mode", "collmsa"}, {"collsize", "3"}, {"files", "2"}});
  const auto places = planner.place(tasks(9), "file", false);
  // Groups 0, 3, 4 and 2, 7, 8 are in the first file, group 1, 5, 6 is in the second one.
  const std::vector<std::uint64_t> in_order{0, 3, 4, 2, 7, 8};
  std::uint64_t at = 1216;
  for (std::size_t i = 0; i < in_order.size(); ++i) {
    EXPECT_EQ(places[in_order[i]].first, at) << i;
    EXPECT_EQ(places[in_order[i]].collector, in_order[i / 3 * 3]);
    at += i % 3 == 2 ? 44 : 10;
  }
  for (const std::uint64_t task : {1U, 5U, 6U}) EXPECT_EQ(member_of(places[task].first), 1U);
  EXPECT_EQ(refusal({{"mode", "collmsa"}, {"collsize", "3"}}, tasks(8)), ErrorKind::usage);
  EXPECT_EQ(refusal({{"mode", "collmsa"}, {"collsize", "3"}, {"files", "3"}}, tasks(6)), ErrorKind::usage);
  EXPECT_THROW(static_cast<void>(planner_with({{"mode", "collmsa"}})), Error) << "without a size of groups";
}

TEST(SionPlanner, UsesAsManyFilesAsTheMachineWritesAtOnce) {
  const auto files_for = [](const Machine& machine, std::int64_t streams) {
    SionPlanner planner = planner_with({{"files", "auto"}});
    EXPECT_TRUE(planner.asks_for_machine());
    planner.suit(machine);
    static_cast<void>(planner.place(tasks(streams), "file", false));
    return planner.title().extents.size();
  };
  EXPECT_EQ(files_for({.ranks = 1, .nodes = 1, .processors = 8}, 20), 1U);
  EXPECT_EQ(files_for({.ranks = 2, .nodes = 1, .processors = 8}, 20), 2U);
  EXPECT_EQ(files_for({.ranks = 16, .nodes = 1, .processors = 2}, 20), 2U);
  EXPECT_EQ(files_for({.ranks = 16, .nodes = 1, .processors = 64}, 20), 4U);
  EXPECT_EQ(files_for({.ranks = 16, .nodes = 4, .processors = 64}, 20), 16U);
  EXPECT_EQ(files_for({.ranks = 16, .nodes = 4, .processors = 64}, 3), 3U);
  EXPECT_FALSE(planner_with({{"files", "3"}}).asks_for_machine());
  SionPlanner gaps = planner_with({{"files", "auto"}});
  gaps.suit({.ranks = 4, .nodes = 1, .processors = 4});
  static_cast<void>(gaps.place({asking(0), asking(7)}, "file", false));
  EXPECT_EQ(gaps.title().extents.size(), 1U) << "a set has no gaps";
  EXPECT_THROW(static_cast<void>(planner_with({{"files", "many"}})), Error);
}

TEST(SionPlanner, OrdersTasksByNumberOrByRequest) {
  const std::vector<StreamRequest> requests{asking(42), asking(7)};
  SionPlanner by_number = planner_with({});
  const auto sorted = by_number.place(requests, "file", false);
  EXPECT_GT(sorted[0].first, sorted[1].first);
  SionPlanner as_requested = planner_with({{"interface", "serial"}});
  const auto kept = as_requested.place(requests, "file", false);
  EXPECT_LT(kept[0].first, kept[1].first);
}

TEST(SionPlanner, RefusesRequestsThatNoFileCanHave) {
  EXPECT_EQ(refusal({}, {}), ErrorKind::usage) << "no streams";
  EXPECT_EQ(refusal({}, {asking(1), asking(1)}), ErrorKind::usage) << "a task twice";
  EXPECT_EQ(refusal({{"interface", "serial"}}, {asking(1), asking(1)}), ErrorKind::internal)
      << "serial files accept it";
  EXPECT_EQ(refusal({}, {asking(-1)}), ErrorKind::usage);
  EXPECT_EQ(refusal({{"files", "3"}}, tasks(2)), ErrorKind::usage) << "more files than tasks";
  EXPECT_EQ(refusal({{"files", "2"}}, {asking(0), asking(2)}), ErrorKind::usage) << "a set has no gaps";
  EXPECT_EQ(refusal({{"stored_name", std::string(1017, 'x')}}, tasks(1)), ErrorKind::unsupported);
  std::vector<StreamRequest> some = tasks(2);
  some.front().file = 0;
  EXPECT_EQ(refusal({}, some), ErrorKind::usage) << "only some streams have a file";
  some.back().file = 2;
  EXPECT_EQ(refusal({{"interface", "mapped"}}, some), ErrorKind::usage) << "file 1 has no task";
}

TEST(SionPlanner, RefusesOptionsThatTheReferenceCrashesOn) {
  for (const auto& [name, value] : Options{{"block_size", "0"}, {"files", "0"}, {"mode", "other"}}) {
    EXPECT_THROW(static_cast<void>(planner_with({{name, value}})), Error) << name;
  }
  EXPECT_THROW(static_cast<void>(planner_with({{"block_size", "-2"}})), Error);
  EXPECT_THROW(static_cast<void>(planner_with({{"interface", "serial"}, {"files", "2"}})), Error);
  EXPECT_THROW(static_cast<void>(planner_with({{"interface", "mapped"}, {"mode", "merge"}})), Error);
}

TEST(SionPlanner, HasAPageOfNotesForEachStreamThatIsOpened) {
  SionPlanner planner = planner_with({{"files", "2"}});
  const auto places = planner.place(tasks(3), "file", true);
  const std::uint64_t member = planner.notes().value();
  EXPECT_EQ(planner.member_name("x", member), "x.notes");
  for (std::uint64_t task = 0; task < 3; ++task) {
    EXPECT_EQ(places[static_cast<std::size_t>(task)].notes, address_in(member, 4096 * (1 + task)));
    EXPECT_EQ(places[static_cast<std::size_t>(task)].notes_skip, 3U * 4096);
  }
  EXPECT_EQ(planner.title().extents.size(), 3U);
  static_cast<void>(planner.place(tasks(3), "file", false));
  EXPECT_FALSE(planner.notes().has_value());
  SionPlanner silent = planner_with({{"notes", "false"}});
  EXPECT_FALSE(silent.place(tasks(3), "file", true).front().notes.has_value());
}

TEST(SionPlanner, AcceptsStreamsOnly) {
  SionPlanner planner = planner_with({});
  StepDescription step;
  step.tables.emplace_back();
  EXPECT_THROW(static_cast<void>(planner.accept(step, false)), Error);
  step.tables.clear();
  step.attributes.emplace_back();
  EXPECT_THROW(static_cast<void>(planner.accept(step, false)), Error);
  step.attributes.clear();
  EXPECT_NO_THROW(static_cast<void>(planner.accept(step, false)));
  planner.advance({}, {}, true);
  EXPECT_THROW(static_cast<void>(planner.accept(step, false)), Error) << "a second step";
}

TEST(SionPlanner, RecognizesItsMembersByName) {
  const SionPlanner planner = planner_with({});
  EXPECT_EQ(planner.member_name("x.sion", 0), "x.sion");
  EXPECT_EQ(planner.member_name("x.sion", 12), "x.sion.000012");
  for (const char* name :
       {"x.sion.000001", "x.sion.1234567", "x.sion_BUDDY_00", "x.sion_BUDDY_01.000003", "x.sion.notes"}) {
    EXPECT_TRUE(planner.is_member("x.sion", name)) << name;
  }
  for (const char* name : {"x.sion", "x.sion.1", "x.sion.00000a", "x.sion.json", "x.sion_BUDDY_", "y.sion.000001"}) {
    EXPECT_FALSE(planner.is_member("x.sion", name)) << name;
  }
}

}  // namespace
}  // namespace quire::sion::planner_test
