// A kill at every moment of writing streams, for every registered format of streams: the file or set of files holds the
// whole step or none, and data that can be recovered now can also be recovered later.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "support/killed_files.hpp"
#include "support/stream_files.hpp"

namespace quire::test::streams_crash_test {
namespace {

class StreamsOfAKill : public StreamFiles {};

/// Whether a stream begins with all that its task wrote: its length may be unknown.
bool is_saved(const StreamReader& stream, const StreamSample& sample, bool keyed) {
  std::vector<std::byte> found(static_cast<std::size_t>(stream.size()));
  EXPECT_EQ(stream.read_at(0, found), found.size());
  if (keyed) return sample.difference(stream).empty();
  const std::vector<std::byte> wanted = sample.bytes(stream.rank());
  return found.size() >= wanted.size() && std::equal(wanted.begin(), wanted.end(), found.begin());
}

/// The tasks whose data can all be recovered; none if the file cannot be recovered.
std::optional<std::set<std::int64_t>> saved_tasks(const Reader& in, const StreamSample& sample, bool keyed) {
  const auto step = in.salvage(0);
  if (!step) return std::nullopt;
  std::vector<std::int64_t> places;
  for (std::uint64_t i = 0; i < step->description().streams; ++i) places.push_back(static_cast<std::int64_t>(i));
  std::set<std::int64_t> tasks;
  for (const StreamReader& stream : step->streams(places, StreamsBy::index)) {
    if (is_saved(stream, sample, keyed)) tasks.insert(stream.rank());
  }
  return tasks;
}

TEST_P(StreamsOfAKill, AreWholeOrAbsent) {
  const std::string file = file_named("traced");
  const std::string crashed = file_named("crashed");
  KilledFiles killed;
  WriteOptions writing = options();
  killed.wrap(writing);
  write(file, Comm::self(), writing);
  const StreamSample mine = sample();
  std::set<std::int64_t> saved;
  expect_whole_or_absent(killed, file, crashed, [&](const std::string& when) {
    Reader in = open(crashed, Comm::self());
    std::optional<std::set<std::int64_t>> now;
    EXPECT_NO_THROW(now = saved_tasks(in, mine, is_keyed(GetParam()))) << when;
    if (now) {
      EXPECT_TRUE(std::ranges::includes(*now, saved)) << when;
      saved = *now;
    }
    const auto step = in.try_at(0);
    if (!step) return false;
    for (const StreamReader& stream : step->streams({0, 1, 2, 3, 4, 5, 6, 7, 8})) {
      EXPECT_EQ(mine.difference(stream), "") << when;
    }
    return true;
  });
}

INSTANTIATE_TEST_SUITE_P(Formats, StreamsOfAKill, testing::ValuesIn(variants_of_streams()),
                         [](const auto& chosen) { return chosen.param.name(); });

}  // namespace
}  // namespace quire::test::streams_crash_test
