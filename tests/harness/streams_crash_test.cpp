// A kill at every moment of the writing of streams, for every format of streams that is registered: what is left of the
// file, or of the set of files, is the whole step or none.

#include <gtest/gtest.h>

#include "support/killed_files.hpp"
#include "support/stream_files.hpp"

namespace quire::test {
namespace {

class StreamsOfAKill : public StreamFiles {};

TEST_P(StreamsOfAKill, AreWholeOrAbsent) {
  const std::string file = file_named("traced");
  const std::string crashed = file_named("crashed");
  KilledFiles killed;
  WriteOptions writing = options();
  killed.wrap(writing);
  write(file, Comm::self(), writing);
  const StreamSample mine = sample();
  expect_whole_or_absent(killed, file, crashed, [&](const std::string& when) {
    Reader in = open(crashed);
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
}  // namespace quire::test
