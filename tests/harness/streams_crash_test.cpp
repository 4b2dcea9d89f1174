// A kill at every moment of the writing of streams, for every format of streams that is registered: what is left is the
// whole step or none.

#include <gtest/gtest.h>

#include "quire/transport/trace.hpp"
#include "support/stream_files.hpp"

namespace quire::test {
namespace {

class StreamsOfAKill : public StreamFiles {};

TEST_P(StreamsOfAKill, AreWholeOrAbsent) {
  auto trace = std::make_shared<Trace>();
  trace->keep_bytes = true;
  const std::string file = file_named("traced");
  WriteOptions writing = options();
  writing.wrapper = [&](std::unique_ptr<Transport> inner, const std::string& name, int) {
    return name == file ? traced(std::move(inner), trace) : std::move(inner);
  };
  write(file, Comm::self(), writing);
  const StreamSample mine = sample();
  const auto others = files_of(file);
  const std::string crashed = file_named("crashed");
  for (const auto& [suffix, bytes] : others) {
    if (!suffix.empty()) write_bytes(crashed + suffix, bytes);
  }
  bool seen = false;
  for (std::size_t count = 0; count <= trace->events.size(); ++count) {
    const auto bytes = replay(*trace, count);
    write_bytes(crashed, std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
    bool whole = false;
    try {
      Reader in = open(crashed);
      if (const auto step = in.try_at(0)) {
        for (const StreamReader& stream : step->streams({0, 1, 2, 3, 4, 5, 6, 7, 8})) {
          EXPECT_EQ(mine.difference(stream), "") << "event " << count;
        }
        whole = true;
      }
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::bad_file) << error.what();
    }
    EXPECT_TRUE(whole || !seen) << "event " << count;
    seen = seen || whole;
  }
  EXPECT_TRUE(seen);
}

INSTANTIATE_TEST_SUITE_P(Formats, StreamsOfAKill, testing::ValuesIn(variants_of_streams()),
                         [](const auto& chosen) { return chosen.param.name(); });

}  // namespace
}  // namespace quire::test
