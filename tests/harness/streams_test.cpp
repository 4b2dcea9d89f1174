// Tests that every registered format of streams must pass. No test here names a format.

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "support/stream_files.hpp"
#include "transport/trace.hpp"

namespace quire::test::streams_test {
namespace {

class Streams : public StreamFiles {};
class OpenedStreams : public StreamFiles {};
class MergedStreams : public StreamFiles {};
class CompactStreams : public StreamFiles {};

TEST_P(Streams, AreReadByAnyRanksAndAreTheSameBytesFromAnyWriters) {
  Comm comm = everyone();
  comm.set_deadline(std::chrono::seconds(60));
  const std::string file = file_named("streams");
  write(file, comm, options());
  const std::string alone = file_named("alone");
  if (comm.is_root()) write(alone, Comm::self(), options());
  comm.barrier();
  EXPECT_EQ(files_of(file), files_of(alone)) << "the bytes do not depend on the writing rank";

  ReadOptions reading;
  reading.transport = transport();
  Reader in = open(file, comm, reading);
  const ReadStep step = in.at(0);
  EXPECT_FALSE(in.try_at(1).has_value());
  EXPECT_EQ(step.description().streams, static_cast<std::uint64_t>(tasks));
  const StreamSample sample(tasks, is_keyed(GetParam()));
  // Neighbours' streams, in descending order; every other rank requests none.
  std::vector<std::int64_t> wanted;
  for (std::int64_t task = tasks; comm.rank() % 2 == 0 && task-- > 0;) {
    if (!StreamSample::is_mine(task, comm) || comm.size() == 1) wanted.push_back(task);
  }
  const auto streams = step.streams(wanted);
  ASSERT_EQ(streams.size(), wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    EXPECT_EQ(streams[i].rank(), wanted[i]);
    EXPECT_EQ(sample.difference(streams[i]), "");
  }
  const auto places = step.streams({0, tasks - 1}, StreamsBy::index);
  EXPECT_EQ(places.front().index(), 0U);
  EXPECT_EQ(places.back().rank(), tasks - 1);
  EXPECT_FALSE(in.check().damage.has_value());
  in.close();
}

TEST_P(Streams, AreReadLikeFiles) {
  Comm comm = everyone();
  const std::string file = file_named("file");
  write(file, comm, options());
  Reader in = open(file, comm);
  for (StreamReader stream : in.at(0).streams({2})) {
    std::vector<std::byte> all(static_cast<std::size_t>(stream.size()));
    ASSERT_EQ(stream.read_at(0, all), all.size());
    std::vector<std::byte> slowly;
    while (!stream.is_at_end()) {
      std::vector<std::byte> part(static_cast<std::size_t>(std::min<std::uint64_t>(stream.left_in_chunk(), 13)));
      ASSERT_GT(part.size(), 0U);
      ASSERT_EQ(stream.read(part), part.size());
      slowly.insert(slowly.end(), part.begin(), part.end());
    }
    EXPECT_EQ(slowly, all);
    EXPECT_EQ(stream.left_in_chunk(), 0U);
    EXPECT_EQ(stream.read(slowly), 0U);
    stream.seek(1);
    std::vector<std::byte> rest(all.size() + 5);
    EXPECT_EQ(stream.read(rest), all.size() - 1);
    EXPECT_TRUE(std::equal(all.begin() + 1, all.end(), rest.begin()));
    EXPECT_THROW(stream.seek(stream.size() + 1), Error);
  }
  in.close();
}

TEST_P(OpenedStreams, AreWrittenToTheFileAtOnce) {
  Comm comm = everyone();
  const WriteOptions writing = options();
  const std::string file = file_named("opened");
  write(file_named("recorded"), comm, writing);
  Writer out = create(file, comm, writing);
  WriteStep step = out.step(0);
  const StreamSample mine = sample();
  std::vector<StreamWriter> streams;
  for (std::int64_t task = 0; task < tasks; ++task) {
    if (StreamSample::is_mine(task, comm)) streams.push_back(step.stream({.rank = task, .chunk_bytes = 400}));
  }
  step.open();
  std::size_t next = 0;
  for (std::int64_t task = 0; task < tasks; ++task) {
    if (!StreamSample::is_mine(task, comm)) continue;
    // The memory of a piece may be reused after the write.
    const std::vector<std::byte> piece = mine.bytes(task);
    is_keyed(GetParam()) ? streams[next].write_record(7, piece) : streams[next].write(piece);
    EXPECT_LE(streams[next].left_in_chunk(), 4096U);
    ++next;
  }
  step.commit();
  out.close();
  EXPECT_THROW(streams.empty() ? throw Error(ErrorKind::usage, "none") : streams.front().write({}), Error);

  Reader in = open(file, comm);
  std::vector<std::int64_t> all(tasks);
  for (std::int64_t task = 0; task < tasks; ++task) all[static_cast<std::size_t>(task)] = task;
  for (const StreamReader& stream : in.at(0).streams(all)) {
    const std::vector<std::byte> wanted = mine.bytes(stream.rank());
    std::vector<std::byte> found(wanted.size());
    const std::uint64_t begin = is_keyed(GetParam()) ? record_head_bytes : 0;
    EXPECT_EQ(stream.size(), begin + wanted.size());
    EXPECT_EQ(stream.read_at(begin, found), found.size());
    EXPECT_EQ(found, wanted);
  }
  in.close();
}

TEST_P(MergedStreams, AreNotOpened) {
  Comm comm = everyone();
  Writer out = create(file_named("opened"), comm, options());
  WriteStep step = out.step(0);
  EXPECT_THROW(step.open(), Error);
  step.abort("it cannot be opened");
  out.close();
}

/// The compact style adds to the bytes of the tasks no more than the size of a file of empty streams and one percent.
TEST_P(CompactStreams, UseNoMoreSpaceThanNeeded) {
  Comm comm = everyone();
  const std::vector<std::byte> bytes(20'011, std::byte{1});
  const auto size_with = [&](const std::string& file, std::span<const std::byte> piece) {
    Writer out = create(file, comm, options());
    WriteStep step = out.step(0);
    for (std::int64_t task = 0; task < tasks; ++task) {
      if (!StreamSample::is_mine(task, comm)) continue;
      // Of different sizes, some empty.
      StreamWriter stream = step.stream({.rank = task});
      for (int call = 0; call < 2; ++call) {
        stream.write_together(piece.first(piece.size() / tasks * static_cast<std::size_t>(task)));
      }
    }
    step.commit();
    out.close();
    std::uint64_t size = 0;
    for (const auto& [suffix, content] : files_of(file)) size += content.size();
    return size;
  };
  const std::uint64_t layout = size_with(file_named("empty"), {});
  const std::uint64_t whole = size_with(file_named("compact"), bytes);
  const std::uint64_t payload = bytes.size() / tasks * tasks * (tasks - 1);
  EXPECT_GE(whole, payload);
  EXPECT_LE(whole, layout + payload + payload / 100);
}

/// Any number of ranks read all streams: rank 0 alone reads the description, and then each byte is read once.
TEST_P(Streams, ReadEachByteOnce) {
  Comm comm = everyone();
  const std::string file = file_named("once");
  write(file, comm, options());
  std::map<std::string, std::shared_ptr<Trace>> traces;
  ReadOptions reading;
  reading.transport = transport();
  reading.wrapper = [&](std::unique_ptr<Transport> inner, const std::string& name, int) {
    auto& trace = traces[name];
    if (!trace) trace = std::make_shared<Trace>();
    return traced(std::move(inner), trace);
  };
  Reader in = open(file, comm, reading);
  std::vector<std::int64_t> wanted;
  for (std::int64_t task = 0; task < tasks; ++task) {
    if (StreamSample::is_mine(task, comm)) wanted.push_back(task);
  }
  const auto streams = in.at(0).streams(wanted);
  const auto bytes_read = [&] {
    std::uint64_t bytes = 0;
    for (const auto& [name, trace] : traces) {
      for (const TraceEvent& event : trace->events) bytes += event.what == TraceEvent::What::read ? event.length : 0;
    }
    return bytes;
  };
  const std::uint64_t described = bytes_read();
  EXPECT_EQ(described > 0, comm.is_root()) << "rank 0 alone reads the layout";
  std::uint64_t payload = 0;
  for (const StreamReader& stream : streams) {
    std::vector<std::byte> bytes(static_cast<std::size_t>(stream.size()));
    ASSERT_EQ(stream.read_at(0, bytes), bytes.size());
    payload += bytes.size();
  }
  EXPECT_EQ(bytes_read() - described, payload);
  in.close();
}

const auto name_of = [](const auto& chosen) { return chosen.param.name(); };
INSTANTIATE_TEST_SUITE_P(Formats, Streams, testing::ValuesIn(variants_of_streams()), name_of);
INSTANTIATE_TEST_SUITE_P(Formats, OpenedStreams,
                         testing::ValuesIn(variants_of_streams([](const auto& kind) { return !merges(kind); })),
                         name_of);
INSTANTIATE_TEST_SUITE_P(Formats, CompactStreams, testing::ValuesIn(variants_of_streams(is_compact)), name_of);
INSTANTIATE_TEST_SUITE_P(Formats, MergedStreams, testing::ValuesIn(variants_of_streams(merges)), name_of);

}  // namespace
}  // namespace quire::test::streams_test
