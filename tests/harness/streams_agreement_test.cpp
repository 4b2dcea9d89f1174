// Ranks that write and read streams agree, for every registered format of streams: the number of collectives is as
// documented, and if one rank fails all of them fail, leaving nothing that a reader would accept as a file.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "support/reported_rank.hpp"
#include "support/stream_files.hpp"
#include "transport/faulty.hpp"
#include "transport/trace.hpp"

namespace quire::test::streams_agreement_test {
namespace {

class AgreedStreams : public StreamFiles {};
/// Records extend over the ends of chunks, and compact chunks are as large as their contents.
class StreamsOfPieces : public StreamFiles {};
class OpenedStreamsOfPieces : public StreamFiles {};

/// Neither the set nor any single file of it may be accepted as the intended file.
void expect_nothing_to_read(const std::string& file, const std::string& when) {
  const std::filesystem::path first(file);
  for (const auto& [suffix, bytes] : files_of(file)) {
    try {
      Reader in = open(file + suffix, Comm::self());
      ADD_FAILURE() << when << ": " << first.filename() << suffix << " is read";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::bad_file) << when << ": " << error.what();
    }
  }
}

/// Writes a file. The write must fail with the error of one rank, on all ranks.
void expect_full_disk(Comm& comm, Writer& out, StreamSample& sample, int failing, const std::string& when) {
  WriteStep step = out.step(0);
  sample.fill(step, comm);
  try {
    step.commit();
    ADD_FAILURE() << when << ": the disk is full";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::io) << when << ": " << error.what();
    EXPECT_EQ(error.rank(), reported_rank(comm, failing)) << when << ": " << error.what();
  }
}

/// Three streams of this rank, with little room in a chunk.
std::vector<StreamWriter> three_streams(WriteStep& step, const Comm& comm) {
  std::vector<StreamWriter> streams;
  for (const std::int64_t each : {0, 1, 2})
    streams.push_back(step.stream({.rank = 3 * comm.rank() + each, .chunk_bytes = 3}));
  return streams;
}

/// Commits a step of which a piece of one rank does not fit into a chunk.
void expect_refused_piece(WriteStep& step, std::optional<int> failing) {
  try {
    step.commit();
    ADD_FAILURE() << "the piece is larger than a chunk";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage) << error.what();
    EXPECT_EQ(error.rank(), failing) << error.what();
    EXPECT_NE(error.object(), "") << error.what();
  }
}

TEST_P(AgreedStreams, ThatAreMissingOnOneRankFailOnAllRanks) {
  Comm comm = everyone();
  const std::string file = file_named("missing");
  write(file, comm, options());
  Reader in = open(file, comm);
  const ReadStep step = in.at(0);
  const std::int64_t wanted = comm.rank() == comm.size() - 1 ? tasks : 0;
  try {
    static_cast<void>(step.streams({wanted}));
    ADD_FAILURE() << "this task does not exist";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::missing) << error.what();
    EXPECT_EQ(error.rank(), reported_rank(comm, comm.size() - 1)) << error.what();
  }
  in.close();
}

TEST_P(AgreedStreams, NeedFewCollectives) {
  Comm comm = everyone();
  StreamSample mine = sample();
  Writer out = create(file_named("counted"), comm, options());
  WriteStep step = out.step(0);
  mine.fill(step, comm);
  const std::uint64_t before = out.comm().collectives();
  step.commit();
  EXPECT_LE(out.comm().collectives() - before, 2U);
  out.close();
}

TEST_P(AgreedStreams, FailOnAllRanksWithTheDiskOfOne) {
  Comm comm = everyone_in_time();
  const std::string file = file_named("full");
  for (int failing = 0; failing < comm.size(); ++failing) {
    // Rank 0 alone writes the description of the file: its disk is full before, inside and at the end of these bytes.
    std::vector<std::uint64_t> rooms{20};
    if (failing == 0) rooms = {0, 20, 1300};
    for (const std::uint64_t room : rooms) {
      const std::string when = "rank " + std::to_string(failing) + ", " + std::to_string(room) + " bytes";
      WriteOptions writing = options();
      writing.wrapper = [&](std::unique_ptr<Transport> inner, const std::string&, int rank) {
        return rank == failing ? faulty(std::move(inner), {.after_bytes = room, .error_number = 28}) : std::move(inner);
      };
      StreamSample mine = sample();
      Writer out = create(file, comm, writing);
      expect_full_disk(comm, out, mine, failing, when);
      out.close();
      if (comm.is_root()) expect_nothing_to_read(file, when);
      comm.barrier();
    }
  }
}

/// A disk that is full for the last bytes of the description of the file.
TEST_P(AgreedStreams, AreAbsentIfTheLastBytesDoNotFit) {
  Comm comm = everyone_in_time();
  const std::string file = file_named("last");
  WriteOptions writing = options();
  const auto trace = std::make_shared<Trace>();
  writing.wrapper = [&](std::unique_ptr<Transport> inner, const std::string& name, int rank) {
    return name == file && rank == 0 ? traced(std::move(inner), trace) : std::move(inner);
  };
  write(file, comm, writing);
  std::uint64_t room = 0;
  for (const TraceEvent& event : trace->events) room += event.what == TraceEvent::What::write ? event.length : 0;
  for (const std::uint64_t missing : {1U, 8U}) {
    writing.wrapper = [&](std::unique_ptr<Transport> inner, const std::string& name, int rank) {
      const bool is_first = name == file && rank == 0;
      return is_first ? faulty(std::move(inner), {.after_bytes = room - missing, .error_number = 28})
                      : std::move(inner);
    };
    StreamSample mine = sample();
    Writer out = create(file, comm, writing);
    expect_full_disk(comm, out, mine, 0, std::to_string(missing) + " bytes before the end");
    out.close();
    if (comm.is_root()) expect_nothing_to_read(file, "at the end");
    comm.barrier();
  }
}

TEST_P(StreamsOfPieces, FailOnAllRanksIfOnePieceDoesNotFit) {
  Comm comm = everyone();
  const int failing = comm.size() - 1;
  const std::vector<std::byte> piece(5000);
  Writer out = create(file_named("large"), comm, options());
  WriteStep step = out.step(0);
  for (StreamWriter& stream : three_streams(step, comm)) {
    stream.write(std::span(piece).first(comm.rank() == failing ? 5000 : 1));
  }
  expect_refused_piece(step, reported_rank(comm, failing));
  out.close();
}

/// The same once the step is open and pieces are written to the file at once.
TEST_P(OpenedStreamsOfPieces, FailOnAllRanksAndNameTheRankOfThePiece) {
  Comm comm = everyone();
  const int failing = comm.size() - 1;
  const std::vector<std::byte> piece(5000);
  Writer out = create(file_named("large_opened"), comm, options());
  WriteStep step = out.step(0);
  std::vector<StreamWriter> streams = three_streams(step, comm);
  step.open();
  for (StreamWriter& stream : streams) stream.write(std::span(piece).first(comm.rank() == failing ? 5000 : 1));
  expect_refused_piece(step, reported_rank(comm, failing));
  out.close();
}

TEST_P(AgreedStreams, DoNotBlockIfOneRankAborts) {
  Comm comm = everyone();
  comm.set_deadline(std::chrono::seconds(60));
  StreamSample mine = sample();
  Writer out = create(file_named("aborted"), comm, options());
  WriteStep step = out.step(0);
  mine.fill(step, comm);
  if (comm.rank() == comm.size() - 1) {
    step.abort("no");
  } else {
    EXPECT_THROW(step.commit(), Error);
  }
  out.close();
}

TEST_P(OpenedStreamsOfPieces, DoNotBlockIfOneRankClosesTheFile) {
  Comm comm = everyone_in_time();
  const std::string file = file_named("closed");
  Writer out = create(file, comm, options());
  WriteStep step = out.step(0);
  std::vector<StreamWriter> streams = three_streams(step, comm);
  step.open();
  const std::vector<std::byte> piece(2);
  streams.front().write(piece);
  if (comm.rank() != comm.size() - 1) {
    try {
      step.commit();
      ADD_FAILURE() << "another rank has closed the file";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::aborted) << error.what();
      EXPECT_EQ(error.rank(), reported_rank(comm, comm.size() - 1)) << error.what();
    }
  }
  out.close();
  EXPECT_THROW(step.commit(), Error);
  EXPECT_THROW(streams.front().write(piece), Error);
  if (comm.is_root()) expect_nothing_to_read(file, "closed");
  comm.barrier();
}

TEST_P(AgreedStreams, OfTheSameTaskTwiceAreRefused) {
  Comm comm = everyone();
  Writer out = create(file_named("twice"), comm, options());
  WriteStep step = out.step(0);
  static_cast<void>(step.stream({.rank = comm.rank() / 2, .chunk_bytes = 1}));
  if (comm.size() == 1) static_cast<void>(step.stream({.rank = 0, .chunk_bytes = 1}));
  EXPECT_THROW(step.commit(), Error);
  out.close();
}

const auto name_of = [](const auto& chosen) { return chosen.param.name(); };
INSTANTIATE_TEST_SUITE_P(Formats, AgreedStreams, testing::ValuesIn(variants_of_streams()), name_of);
INSTANTIATE_TEST_SUITE_P(Formats, StreamsOfPieces, testing::ValuesIn(variants_of_streams([](const auto& kind) {
                           return !is_keyed(kind) && !is_compact(kind);
                         })),
                         name_of);
INSTANTIATE_TEST_SUITE_P(Formats, OpenedStreamsOfPieces, testing::ValuesIn(variants_of_streams([](const auto& kind) {
                           return !is_keyed(kind) && !merges(kind);
                         })),
                         name_of);

}  // namespace
}  // namespace quire::test::streams_agreement_test
