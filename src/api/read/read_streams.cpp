#include <algorithm>
#include <array>
#include <utility>

#include "api/read/reader_state.hpp"
#include "api/root.hpp"
#include "quire/spi/base/archive.hpp"
#include "quire/spi/format/describer_capabilities.hpp"

namespace quire {

/// One described stream; keeps the file open.
struct StreamReader::State {
  std::shared_ptr<Reader::State> reader;
  StreamLayout layout;
  std::vector<std::uint64_t> ends;  ///< of each chunk, in the stream
};

namespace {

struct Question {
  std::vector<std::int64_t> wanted;
  StreamsBy by = StreamsBy::rank;
  template <class Archive>
  void archive(Archive& a) {
    a(wanted, by);
  }
};

struct Answer {
  bool failed = false;
  std::vector<std::byte> error;
  std::vector<StreamLayout> streams;
  template <class Archive>
  void archive(Archive& a) {
    a(failed, error, streams);
  }
};

Answer answer_to(Describer& describer, std::uint64_t step, const Question& question) {
  Answer answer;
  const auto error = caught(0, [&] {
    StreamFinder* const finder = describer.capabilities().streams;
    if (finder != nullptr) {
      answer.streams = finder->streams(step, question.by, question.wanted);
    } else if (!question.wanted.empty()) {
      throw Error(ErrorKind::missing, "this file has no streams");
    }
  });
  if (error) answer = {true, error->pack(), {}};
  return answer;
}

/// Every rank sends its request to rank 0, which describes the streams and answers each rank.
Answer ask_root(Reader::State& reader, std::uint64_t step, const Question& mine) {
  Comm& comm = reader.comm;
  std::vector<Parcel> questions;
  if (!mine.wanted.empty()) questions.push_back({0, pack(mine)});
  std::vector<Parcel> answers;
  for (const Parcel& asked : comm.exchange(std::move(questions))) {
    answers.push_back({asked.rank, pack(answer_to(reader.own_describer(), step, unpack<Question>(asked.bytes)))});
  }
  const std::vector<Parcel> received = comm.exchange(std::move(answers));
  return received.empty() ? Answer{} : unpack<Answer>(received.front().bytes);
}

}  // namespace

std::vector<StreamReader> ReadStep::streams(const std::vector<std::int64_t>& wanted, StreamsBy by,
                                            const std::optional<Error>& refusal) const {
  Reader::State& reader = *state_->reader;
  require_open(reader);
  return in_file(reader, [&] {
    synchronize_readers(reader);
    // A rank with a refusal requests nothing; its refusal is thrown in the agreement below.
    const Question mine{refusal ? std::vector<std::int64_t>() : wanted, by};
    Answer answer;
    if (reader.comm.size() == 1) {
      answer = answer_to(reader.own_describer(), state_->index, mine);
    } else {
      answer = ask_root(reader, state_->index, mine);
    }
    std::optional<Error> error = refusal;
    if (answer.failed) error = Error::unpack(answer.error).from_rank(reader.comm.rank());
    agree(reader.comm, error);
    std::vector<StreamReader> streams;
    for (StreamLayout& layout : answer.streams) {
      auto state = std::make_shared<StreamReader::State>();
      state->reader = state_->reader;
      std::uint64_t end = 0;
      for (const Extent& chunk : layout.chunks) state->ends.push_back(end += chunk.length);
      state->layout = std::move(layout);
      streams.emplace_back(std::move(state));
    }
    return streams;
  });
}

StreamReader::StreamReader(std::shared_ptr<const State> state) : state_(std::move(state)) {}

std::int64_t StreamReader::rank() const { return state_->layout.rank; }

std::uint64_t StreamReader::index() const { return state_->layout.index; }

std::uint64_t StreamReader::size() const { return state_->ends.empty() ? 0 : state_->ends.back(); }

const StreamLayout& StreamReader::layout() const { return state_->layout; }

void StreamReader::seek(std::uint64_t position) {
  if (position > size()) {
    throw state_->reader->placed(
        Error(ErrorKind::usage,
              "byte " + std::to_string(position) + " lies beyond the end of a stream of " + std::to_string(size()))
            .on("stream of task " + std::to_string(rank())));
  }
  position_ = position;
}

std::size_t StreamReader::chunk_of(std::uint64_t position) const {
  return static_cast<std::size_t>(std::ranges::upper_bound(state_->ends, position) - state_->ends.begin());
}

std::uint64_t StreamReader::left_in_chunk() const {
  return is_at_end() ? 0 : state_->ends[chunk_of(position_)] - position_;
}

std::size_t StreamReader::read(std::span<std::byte> out) {
  const std::size_t count = read_at(position_, out);
  position_ += count;
  return count;
}

std::size_t StreamReader::read_at(std::uint64_t position, std::span<std::byte> out) const {
  Reader::State& reader = *state_->reader;
  require_open(reader);
  if (position >= size() || out.empty()) return 0;
  out = out.first(static_cast<std::size_t>(std::min<std::uint64_t>(out.size(), size() - position)));
  return in_file(reader, [&] {
    ReadPlan plan;
    std::size_t done = 0;
    for (std::size_t chunk = chunk_of(position); done < out.size(); ++chunk) {
      const Extent& extent = state_->layout.chunks[chunk];
      const std::uint64_t begin = position + done - (state_->ends[chunk] - extent.length);
      const auto now = static_cast<std::size_t>(std::min<std::uint64_t>(out.size() - done, extent.length - begin));
      plan.add(extent.offset + begin, out.subspan(done, now));
      done += now;
    }
    coalesce(plan);
    reader.transport->run_alone(plan);
    return done;
  });
}

std::optional<StreamRecord> StreamReader::record_at(std::uint64_t position) const {
  const auto fail = [&](ErrorKind kind, const std::string& what) -> Error {
    return state_->reader->placed(Error(kind, what).on("stream of task " + std::to_string(rank())));
  };
  if (!state_->layout.records) throw fail(ErrorKind::unsupported, "the streams of this file have no records");
  if (position >= size()) return std::nullopt;
  std::array<std::byte, record_head_bytes> head;
  if (read_at(position, head) != head.size()) {
    throw fail(ErrorKind::bad_file, "the stream ends inside the head of a record");
  }
  StreamRecord record;
  record.key = load<std::uint64_t>(head.data(), *state_->layout.records);
  record.bytes = load<std::uint64_t>(head.data() + 8, *state_->layout.records);
  record.offset = position + record_head_bytes;
  if (record.bytes > size() - record.offset) {
    throw fail(ErrorKind::bad_file, "a record of " + std::to_string(record.bytes) + " bytes does not fit into the " +
                                        std::to_string(size() - record.offset) + " that the stream still has");
  }
  return record;
}

std::vector<StreamRecord> StreamReader::records() const {
  std::vector<StreamRecord> records;
  std::uint64_t position = 0;
  while (const auto record = record_at(position)) {
    records.push_back(*record);
    position = record->end();
  }
  return records;
}

}  // namespace quire
