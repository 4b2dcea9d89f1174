// What every format of streams must pass by being registered: no test here names one.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "quire/quire.hpp"
#include "quire/transport/faulty.hpp"
#include "quire/transport/trace.hpp"
#include "support/environment.hpp"
#include "support/sample.hpp"
#include "support/stream_sample.hpp"

namespace quire::test {
namespace {

constexpr std::int64_t tasks = 9;

bool is_keyed(const Variant& variant) {
  const auto found = variant.options.find("keys");
  return found != variant.options.end() && found->second == "true";
}

/// The files of a set whose first one is this, with their bytes.
std::map<std::string, std::string> files_of(const std::string& first) {
  std::map<std::string, std::string> files;
  const std::filesystem::path path(first);
  for (const auto& entry : std::filesystem::directory_iterator(path.parent_path())) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(path.filename().string())) {
      files[name.substr(path.filename().string().size())] = bytes_of(entry.path().string());
    }
  }
  return files;
}

class Streams : public testing::TestWithParam<Variant> {
 protected:
  [[nodiscard]] static WriteOptions options() {
    WriteOptions options = GetParam().write_options();
    options.transport = transport();
    // Files of different names are compared.
    options.options["stored_name"] = "stored";
    return options;
  }
  static void write(const std::string& file, Comm comm, const WriteOptions& options) {
    StreamSample sample(tasks, is_keyed(GetParam()));
    Writer out = create(file, comm, options);
    WriteStep step = out.step(0);
    sample.fill(step, comm);
    step.commit();
    out.close();
  }
  static std::string file_named(const std::string& name) { return path(name + "_" + GetParam().name() + "_set"); }
};

TEST_P(Streams, AreReadByAnyRanksAndAreTheSameBytesFromAnyWriters) {
  Comm comm = everyone();
  comm.set_deadline(std::chrono::seconds(60));
  const std::string file = file_named("streams");
  write(file, comm, options());
  const std::string alone = file_named("alone");
  if (comm.is_root()) write(alone, Comm::self(), options());
  comm.barrier();
  EXPECT_EQ(files_of(file), files_of(alone)) << "who brings a stream leaves no trace";

  ReadOptions reading;
  reading.transport = transport();
  Reader in = open(file, comm, reading);
  const ReadStep step = in.at(0);
  EXPECT_FALSE(in.try_at(1).has_value());
  EXPECT_EQ(step.description().streams, static_cast<std::uint64_t>(tasks));
  const StreamSample sample(tasks, is_keyed(GetParam()));
  // Neighbours' streams, in falling order; every other rank asks for none.
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

TEST_P(Streams, OfOneRankThatAreMissingFailEverywhere) {
  Comm comm = everyone();
  const std::string file = file_named("missing");
  write(file, comm, options());
  Reader in = open(file, comm);
  const ReadStep step = in.at(0);
  const std::int64_t wanted = comm.rank() == comm.size() - 1 ? tasks : 0;
  try {
    static_cast<void>(step.streams({wanted}));
    ADD_FAILURE() << "there is no such task";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::missing) << error.what();
    EXPECT_EQ(error.rank(), comm.size() - 1) << error.what();
  }
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

TEST_P(Streams, ThatAreOpenedGoToTheFileAtOnce) {
  Comm comm = everyone();
  const WriteOptions writing = options();
  const auto mode = writing.options.find("mode");
  if (mode != writing.options.end() && mode->second == "merge") {
    Writer out = create(file_named("opened"), comm, writing);
    WriteStep step = out.step(0);
    EXPECT_THROW(step.open(), Error);
    step.abort("it cannot be opened");
    out.close();
    return;
  }
  const std::string file = file_named("opened");
  write(file_named("recorded"), comm, writing);
  Writer out = create(file, comm, writing);
  WriteStep step = out.step(0);
  const StreamSample sample(tasks, is_keyed(GetParam()));
  std::vector<StreamWriter> streams;
  for (std::int64_t task = 0; task < tasks; ++task) {
    if (StreamSample::is_mine(task, comm)) streams.push_back(step.stream({.rank = task, .chunk_bytes = 400}));
  }
  step.open();
  std::size_t next = 0;
  for (std::int64_t task = 0; task < tasks; ++task) {
    if (!StreamSample::is_mine(task, comm)) continue;
    // The memory of a piece is free as soon as it is put.
    const std::vector<std::byte> piece = sample.bytes(task);
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
    const std::vector<std::byte> wanted = sample.bytes(stream.rank());
    std::vector<std::byte> found(wanted.size());
    const std::uint64_t begin = is_keyed(GetParam()) ? record_head_bytes : 0;
    EXPECT_EQ(stream.size(), begin + wanted.size());
    EXPECT_EQ(stream.read_at(begin, found), found.size());
    EXPECT_EQ(found, wanted);
  }
  in.close();
}

TEST_P(Streams, CostFewCollectives) {
  Comm comm = everyone();
  StreamSample sample(tasks, is_keyed(GetParam()));
  const WriteOptions writing = options();
  Writer out = create(file_named("counted"), comm, writing);
  WriteStep step = out.step(0);
  sample.fill(step, comm);
  const std::uint64_t before = out.comm().collectives();
  step.commit();
  const auto mode = writing.options.find("mode");
  const bool merges = mode != writing.options.end() && mode->second == "merge";
  EXPECT_LE(out.comm().collectives() - before, merges ? 7U : 5U);
  out.close();
}

/// Runs a commit in which a rank fails: every rank throws the same error, and no file is told.
TEST_P(Streams, FailEverywhereWithTheDiskOfOneRank) {
  Comm comm = everyone();
  comm.set_deadline(std::chrono::seconds(60));
  for (int failing = 0; failing < comm.size(); ++failing) {
    SCOPED_TRACE("rank " + std::to_string(failing));
    std::uint64_t bytes = failing == 0 ? 1000 : 0;
    for (std::int64_t task = failing; task < tasks; task += comm.size()) {
      bytes += StreamSample(tasks, false).bytes(task).size();
    }
    WriteOptions writing = options();
    writing.wrapper = [&](std::unique_ptr<Transport> inner, const std::string&, int rank) {
      return rank == failing ? faulty(std::move(inner), {.after_bytes = 20, .error_number = 28}) : std::move(inner);
    };
    StreamSample sample(tasks, is_keyed(GetParam()));
    Writer out = create(file_named("full"), comm, writing);
    WriteStep step = out.step(0);
    sample.fill(step, comm);
    try {
      step.commit();
      EXPECT_LE(bytes, 20U) << "the disk is full";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::io) << error.what();
      EXPECT_EQ(error.rank(), failing) << error.what();
    }
    try {
      out.close();
    } catch (const Error&) {
      // The disk is still full.
    }
    comm.barrier();
  }
}

TEST_P(Streams, FailEverywhereWithAPieceThatDoesNotFit) {
  const auto style = GetParam().options.find("style");
  const bool is_compact = style != GetParam().options.end() && style->second == "compact";
  // Records go over the ends of chunks, and compact chunks are as large as what comes.
  if (is_keyed(GetParam()) || is_compact) return;
  Comm comm = everyone();
  const int failing = comm.size() - 1;
  const std::vector<std::byte> piece(5000);
  Writer out = create(file_named("large"), comm, options());
  WriteStep step = out.step(0);
  for (const std::int64_t each : {0, 1}) {
    StreamWriter stream = step.stream({.rank = 2 * comm.rank() + each, .chunk_bytes = 3});
    stream.write(std::span(piece).first(comm.rank() == failing ? 5000 : 1));
  }
  try {
    step.commit();
    ADD_FAILURE() << "the piece is larger than a chunk";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage) << error.what();
    EXPECT_EQ(error.rank(), failing) << error.what();
    EXPECT_NE(error.object(), "") << error.what();
  }
  out.close();
}

/// The same once the step is open and pieces go to the file at once.
TEST_P(Streams, ThatAreOpenedFailEverywhereWithTheRankOfThePiece) {
  const auto mode = GetParam().options.find("mode");
  const bool merges = mode != GetParam().options.end() && mode->second == "merge";
  if (is_keyed(GetParam()) || merges) return;
  Comm comm = everyone();
  const int failing = comm.size() - 1;
  const std::vector<std::byte> piece(5000);
  Writer out = create(file_named("large_opened"), comm, options());
  WriteStep step = out.step(0);
  std::vector<StreamWriter> streams;
  for (const std::int64_t each : {0, 1})
    streams.push_back(step.stream({.rank = 2 * comm.rank() + each, .chunk_bytes = 3}));
  step.open();
  for (StreamWriter& stream : streams) stream.write(std::span(piece).first(comm.rank() == failing ? 5000 : 1));
  try {
    step.commit();
    ADD_FAILURE() << "the piece is larger than a chunk";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage) << error.what();
    EXPECT_EQ(error.rank(), failing) << error.what();
    EXPECT_NE(error.object(), "") << error.what();
  }
  out.close();
}

TEST_P(Streams, OfARankThatAbortsFreeTheOthers) {
  Comm comm = everyone();
  comm.set_deadline(std::chrono::seconds(60));
  StreamSample sample(tasks, is_keyed(GetParam()));
  Writer out = create(file_named("aborted"), comm, options());
  WriteStep step = out.step(0);
  sample.fill(step, comm);
  if (comm.rank() == comm.size() - 1) {
    step.abort("no");
  } else {
    EXPECT_THROW(step.commit(), Error);
  }
  out.close();
}

TEST_P(Streams, OfOneTaskTwiceAreRefused) {
  Comm comm = everyone();
  Writer out = create(file_named("twice"), comm, options());
  WriteStep step = out.step(0);
  static_cast<void>(step.stream({.rank = comm.rank() / 2, .chunk_bytes = 1}));
  if (comm.size() == 1) static_cast<void>(step.stream({.rank = 0, .chunk_bytes = 1}));
  EXPECT_THROW(step.commit(), Error);
  out.close();
}

/// A kill at every moment: what is left is the whole step or none.
TEST_P(Streams, AreWholeOrAbsentAfterAKill) {
  if (everyone().size() > 1) return;  // one rank makes all writes
  auto trace = std::make_shared<Trace>();
  trace->keep_bytes = true;
  const std::string file = file_named("traced");
  WriteOptions writing = options();
  // Each event with the file that it belongs to, in the order of all.
  std::vector<std::pair<std::string, TraceEvent>> events;
  std::map<std::string, std::shared_ptr<Trace>> traces;
  writing.wrapper = [&](std::unique_ptr<Transport> inner, const std::string& name, int) {
    return traced(std::move(inner), name == file ? trace : (traces[name] = std::make_shared<Trace>()));
  };
  write(file, Comm::self(), writing);
  const StreamSample sample(tasks, is_keyed(GetParam()));
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
          EXPECT_EQ(sample.difference(stream), "") << "event " << count;
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

INSTANTIATE_TEST_SUITE_P(Formats, Streams, testing::ValuesIn(variants_of_streams()),
                         [](const auto& chosen) { return chosen.param.name(); });

}  // namespace
}  // namespace quire::test
