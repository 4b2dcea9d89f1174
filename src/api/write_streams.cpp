#include "api/write_streams.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <utility>

#include "api/root.hpp"
#include "api/step_builder.hpp"
#include "base/stopwatch.hpp"
#include "quire/base/archive.hpp"

namespace quire {
namespace {

using Step = WriteStep::State;
using Kind = StreamPiece::Kind;

/// What rank 0 answers to a rank.
struct Places {
  bool failed = false;  ///< on some rank: everybody meets to hear of it
  std::uint64_t first = 0;
  std::vector<StreamPlace> places;
  std::vector<std::int32_t> collectors;  ///< for each place the rank that has its collector
  template <class Archive>
  void archive(Archive& a) {
    a(failed, first, places, collectors);
  }
};

/// What a rank has used, or why it has not.
struct Uses {
  std::vector<std::byte> failure;
  std::vector<StreamUse> uses;
  template <class Archive>
  void archive(Archive& a) {
    a(failure, uses);
  }
};

/// Pieces that a rank's streams write together with those of a collector elsewhere.
struct Calls {
  std::uint64_t collector = 0;
  std::uint64_t order = 0;
  std::int64_t rank = 0;
  std::vector<std::uint64_t> calls;
  template <class Archive>
  void archive(Archive& a) {
    a(collector, order, rank, calls);
  }
};
struct ManyCalls {
  std::vector<Calls> streams;
  template <class Archive>
  void archive(Archive& a) {
    a(streams);
  }
};

/// Where they go.
struct CallPlaces {
  std::uint64_t order = 0;
  std::vector<std::vector<Extent>> calls;
  template <class Archive>
  void archive(Archive& a) {
    a(order, calls);
  }
};
struct ManyCallPlaces {
  std::vector<CallPlaces> streams;
  std::vector<std::byte> failure;
  template <class Archive>
  void archive(Archive& a) {
    a(streams, failure);
  }
};

Error about(Error error, std::int64_t rank) {
  if (error.object().empty()) error.on("stream of task " + std::to_string(rank));
  return error;
}

void add_extents(WritePlan& plan, std::span<const std::byte> bytes, const std::vector<Extent>& extents) {
  for (const Extent& extent : extents) {
    plan.add(extent.offset, bytes.first(static_cast<std::size_t>(extent.length)));
    bytes = bytes.subspan(static_cast<std::size_t>(extent.length));
  }
}

StreamRequest request_of(const StreamWriter::State& stream, bool is_open) {
  StreamRequest request;
  request.rank = stream.options.rank;
  request.chunk_bytes = stream.options.chunk_bytes;
  request.file = stream.options.file;
  request.index = stream.options.index;
  // What comes after the places are known is not known now.
  if (is_open) return request;
  request.bytes = stream.bytes;
  request.together = stream.together;
  return request;
}

}  // namespace

// ---- One stream

StreamWriter::StreamWriter(std::shared_ptr<State> state) : state_(std::move(state)) {}

StreamWriter& StreamWriter::write(std::span<const std::byte> bytes) {
  state_->add({.kind = Kind::plain, .bytes = bytes, .key = 0, .room = 0});
  return *this;
}

StreamWriter& StreamWriter::write_together(std::span<const std::byte> bytes) {
  const Kind kind = state_->merges ? Kind::together : Kind::plain;
  state_->add({.kind = kind, .bytes = bytes, .key = 0, .room = 0});
  return *this;
}

StreamWriter& StreamWriter::write_record(std::uint64_t key, std::span<const std::byte> bytes) {
  state_->add({.kind = Kind::record, .bytes = bytes, .key = key, .room = 0});
  return *this;
}

StreamWriter& StreamWriter::ensure_space(std::uint64_t bytes) {
  state_->add({.kind = Kind::room, .bytes = {}, .key = 0, .room = bytes});
  return *this;
}

std::uint64_t StreamWriter::size() const { return state_->bytes + state_->together; }

std::uint64_t StreamWriter::left_in_chunk() const {
  if (state_->fill) return state_->fill->left_in_chunk();
  throw Error(ErrorKind::usage, "the room in a chunk is not known before the step is opened");
}

void StreamWriter::State::add(const StreamPiece& piece) {
  const auto refuse = [&](const char* what) { throw about(Error(ErrorKind::usage, what), options.rank); };
  if (finished) refuse("the step of this stream is finished");
  if (is_keyed && piece.kind != Kind::record) refuse("the pieces of this file are records: each has a key");
  if (!is_keyed && piece.kind == Kind::record) {
    throw about(Error(ErrorKind::unsupported, "the streams of this file have no records")
                    .advise("create the file with the option keys=true"),
                options.rank);
  }
  if (fill && piece.kind == Kind::together) refuse("merged pieces are put before the step is opened");
  if (piece.kind == Kind::together) {
    together += piece.bytes.size();
  } else {
    bytes += piece.bytes.size() + (piece.kind == Kind::record ? record_head_bytes : 0);
  }
  if (!fill) {
    pieces.push_back(piece);
    return;
  }
  if (failure) return;
  failure = caught(writer, [&] {
    WritePlan plan;
    place(plan, piece);
    transport->run_alone(plan);
    note();
  });
}

void StreamWriter::State::note() {
  if (!fill || !fill->place().notes) return;
  const StreamPlace& place = fill->place();
  const std::vector<std::uint64_t>& chunks = fill->chunks();
  // Pages that are full are noted as a whole, so that a stream costs no more writes than it has pages.
  while (noted < chunks.size()) {
    const std::uint64_t page = noted / notes_per_page;
    const std::uint64_t end = std::min<std::uint64_t>(chunks.size(), (page + 1) * notes_per_page);
    std::vector<std::byte> words;
    for (std::uint64_t chunk = noted; chunk < end; ++chunk) {
      words.resize(words.size() + sizeof(std::uint64_t));
      store(words.data() + words.size() - sizeof(std::uint64_t), chunks[static_cast<std::size_t>(chunk)],
            ByteOrder::little);
    }
    transport->put(*place.notes + page * place.notes_skip + noted % notes_per_page * sizeof(std::uint64_t), words);
    if (end == chunks.size()) {
      noted = end - 1;  // the last one grows
      return;
    }
    noted = end;
  }
}

void StreamWriter::State::place(WritePlan& plan, const StreamPiece& piece) {
  try {
    switch (piece.kind) {
      case Kind::room:
        return fill->ensure(piece.room);
      case Kind::record: {
        std::vector<std::byte> head(record_head_bytes);
        store(head.data(), piece.key, *fill->place().records);
        store(head.data() + 8, static_cast<std::uint64_t>(piece.bytes.size()), *fill->place().records);
        const auto kept = std::make_shared<const std::vector<std::byte>>(std::move(head));
        plan.owned.push_back(kept);
        add_extents(plan, *kept, fill->add_dense(record_head_bytes));
        return add_extents(plan, piece.bytes, fill->add_dense(piece.bytes.size()));
      }
      case Kind::plain:
      case Kind::together:
        if (!piece.bytes.empty()) plan.add(fill->add_whole(piece.bytes.size()).offset, piece.bytes);
    }
  } catch (const Error& error) {
    throw about(error, options.rank);
  }
}

StreamWriter WriteStep::stream(const StreamOptions& options) {
  state_->require_filling("stream");
  Writer::State& writer = *state_->writer;
  StreamPlanner* planner = writer.planner->streams();
  if (planner == nullptr) {
    throw writer.placed(Error(ErrorKind::unsupported, "files of this format have no streams"));
  }
  auto stream = std::make_shared<StreamWriter::State>();
  stream->transport = writer.transport.get();
  stream->writer = writer.comm.rank();
  stream->options = options;
  stream->is_keyed = planner->is_keyed();
  stream->merges = planner->merges();
  state_->streams.push_back(stream);
  return StreamWriter(std::move(stream));
}

// ---- Places

namespace {

struct ManyRequests {
  std::vector<StreamRequest> requests;
  template <class Archive>
  void archive(Archive& a) {
    a(requests);
  }
};

/// Rank 0: what every rank is told. All ranks get an answer, also those without streams.
std::vector<Parcel> place_all(Step& step, const std::vector<Parcel>& asked, std::optional<Error>& error) {
  Writer::State& writer = *step.writer;
  std::vector<Places> answers(static_cast<std::size_t>(writer.comm.size()));
  error = caught(0, [&] {
    std::vector<StreamRequest> all;
    std::vector<std::int32_t> owners;
    for (const Parcel& parcel : asked) {
      const auto mine = unpack<ManyRequests>(parcel.bytes).requests;
      answers[static_cast<std::size_t>(parcel.rank)].first = all.size();
      all.insert(all.end(), mine.begin(), mine.end());
      owners.insert(owners.end(), mine.size(), static_cast<std::int32_t>(parcel.rank));
    }
    StreamPlanner& planner = *writer.planner->streams();
    const std::vector<StreamPlace> places = planner.place(all, writer.path, step.opening);
    for (std::size_t i = 0; i < places.size(); ++i) {
      Places& answer = answers[static_cast<std::size_t>(owners[i])];
      answer.places.push_back(places[i]);
      answer.collectors.push_back(owners[static_cast<std::size_t>(places[i].collector)]);
    }
    writer.transport->run_alone(planner.title());
  });
  std::vector<Parcel> parcels;
  for (int rank = 0; rank < writer.comm.size(); ++rank) {
    Places& answer = answers[static_cast<std::size_t>(rank)];
    answer.failed = error.has_value();
    parcels.push_back({rank, pack(answer)});
  }
  return parcels;
}

}  // namespace

void place_streams(Step& step) {
  Writer::State& writer = *step.writer;
  const bool is_open = step.opening;
  std::optional<Error> error = accept_step(step);
  Announcement mine{.failed = error.has_value()};
  if (!error) mine.structure = structure_hash(writer.file, step.accepted);
  const Consensus all = announce(writer.comm, mine);
  if (all.failed != 0 || all.closing != 0) fail_together(step, error);
  if (!all.same_structure) fail_for_structure(step);
  ManyRequests requests;
  for (const auto& stream : step.streams) requests.requests.push_back(request_of(*stream, is_open));
  std::vector<Parcel> questions;
  if (!requests.requests.empty()) questions.push_back({0, pack(requests)});
  const std::vector<Parcel> asked = writer.comm.exchange(std::move(questions));
  std::vector<Parcel> answers;
  if (writer.comm.is_root()) answers = place_all(step, asked, error);
  const auto received = writer.comm.exchange(std::move(answers));
  const auto places = unpack<Places>(received.at(0).bytes);
  if (places.failed) fail_together(step, error);
  step.first_stream = places.first;
  step.collectors = places.collectors;
  for (std::size_t i = 0; i < step.streams.size(); ++i) step.streams[i]->fill.emplace(places.places[i]);
}

// ---- Merged pieces

namespace {

bool is_collector(const Step& step, std::size_t stream) {
  return step.streams[stream]->fill->place().collector == step.first_stream + stream;
}

std::vector<std::uint64_t> calls_of(const StreamWriter::State& stream) {
  std::vector<std::uint64_t> calls;
  for (const StreamPiece& piece : stream.pieces) {
    if (piece.kind == Kind::together) calls.push_back(piece.bytes.size());
  }
  return calls;
}

/// Collector `stream` of this rank, and what the members of its group bring: their pieces get their places, and its own
/// go into the plan.
void fill_collector(Step& step, std::size_t index, std::vector<GroupMember> members, WritePlan& plan,
                    std::map<std::uint64_t, std::vector<std::vector<Extent>>>& places) {
  StreamWriter::State& stream = *step.streams[index];
  std::ranges::sort(members, {}, &GroupMember::rank);
  std::vector<CollectorPiece> own;
  for (const StreamPiece& piece : stream.pieces) {
    if (piece.kind == Kind::room) throw Error(ErrorKind::unsupported, "merged streams take no ensure_space()");
    own.push_back({piece.kind == Kind::together, piece.bytes.size()});
  }
  GroupFill filled;
  try {
    filled = fill_group(stream.fill->place(), stream.options.rank, own, members);
  } catch (const Error& error) {
    throw about(error, stream.options.rank);
  }
  for (std::size_t i = 0; i < own.size(); ++i) {
    if (own[i].bytes > 0) plan.add(filled.own[i].offset, stream.pieces[i].bytes);
  }
  for (std::size_t m = 0; m < members.size(); ++m) places[members[m].order] = std::move(filled.members[m]);
  stream.use = std::move(filled.use);
}

/// Every stream of a group tells its collector what it brings to each call.
std::vector<Parcel> tell_calls(const Step& step) {
  std::map<int, ManyCalls> by_rank;
  for (std::size_t i = 0; i < step.streams.size(); ++i) {
    if (is_collector(step, i)) continue;
    const StreamWriter::State& stream = *step.streams[i];
    by_rank[step.collectors[i]].streams.push_back(
        {stream.fill->place().collector, step.first_stream + i, stream.options.rank, calls_of(stream)});
  }
  std::vector<Parcel> parcels;
  for (const auto& [rank, calls] : by_rank) parcels.push_back({rank, pack(calls)});
  return parcels;
}

/// What the collectors of this rank answer.
std::vector<Parcel> place_calls(Step& step, const std::vector<Parcel>& told, WritePlan& plan) {
  std::map<std::uint64_t, std::vector<GroupMember>> groups;
  std::map<int, ManyCallPlaces> answers;
  std::map<int, std::vector<std::uint64_t>> askers;
  for (const Parcel& parcel : told) {
    for (Calls& calls : unpack<ManyCalls>(parcel.bytes).streams) {
      askers[parcel.rank].push_back(calls.order);
      groups[calls.collector].push_back({calls.order, calls.rank, std::move(calls.calls)});
    }
  }
  std::map<std::uint64_t, std::vector<std::vector<Extent>>> places;
  const auto failure = caught(step.writer->comm.rank(), [&] {
    for (std::size_t i = 0; i < step.streams.size(); ++i) {
      if (is_collector(step, i)) fill_collector(step, i, groups[step.first_stream + i], plan, places);
    }
  });
  if (failure && !step.failure) step.failure = failure;
  std::vector<Parcel> parcels;
  for (const auto& [rank, orders] : askers) {
    ManyCallPlaces answer;
    if (failure) answer.failure = failure->pack();
    for (const std::uint64_t order : orders) answer.streams.push_back({order, std::move(places[order])});
    parcels.push_back({rank, pack(answer)});
  }
  return parcels;
}

/// Collective. All pieces of this rank where streams are merged.
WritePlan merged_plan(Step& step) {
  WritePlan plan;
  Comm& comm = step.writer->comm;
  const auto told = comm.exchange(tell_calls(step));
  const auto received = comm.exchange(place_calls(step, told, plan));
  for (const Parcel& parcel : received) {
    auto answer = unpack<ManyCallPlaces>(parcel.bytes);
    if (!answer.failure.empty()) {
      if (!step.failure) step.failure = Error::unpack(answer.failure);
      return plan;
    }
    for (const CallPlaces& places : answer.streams) {
      const StreamWriter::State& stream = *step.streams[static_cast<std::size_t>(places.order - step.first_stream)];
      std::size_t call = 0;
      for (const StreamPiece& piece : stream.pieces) {
        if (piece.kind == Kind::together) add_extents(plan, piece.bytes, places.calls[call++]);
      }
    }
  }
  const bool keeps_origins = step.writer->planner->streams()->keeps_origins();
  const auto failure = caught(comm.rank(), [&] {
    for (std::size_t i = 0; i < step.streams.size(); ++i) {
      StreamWriter::State& stream = *step.streams[i];
      if (is_collector(step, i)) continue;
      if (keeps_origins && stream.bytes > 0 && stream.together > 0) {
        throw about(Error(ErrorKind::unsupported,
                          "a stream whose pieces are partly merged has no order that the file could remember")
                        .advise("write all its pieces together with others, or use origins=dropped"),
                    stream.options.rank);
      }
      for (const StreamPiece& piece : stream.pieces) {
        if (piece.kind != Kind::together) stream.place(plan, piece);
      }
      stream.use.chunks = stream.fill->chunks();
    }
  });
  if (failure && !step.failure) step.failure = failure;
  return plan;
}

}  // namespace

void write_streams(Step& step) {
  Writer::State& writer = *step.writer;
  WritePlan plan;
  if (writer.planner->streams()->merges()) {
    plan = merged_plan(step);
  } else {
    step.failure = caught(writer.comm.rank(), [&] {
      for (const auto& stream : step.streams) {
        for (const StreamPiece& piece : stream->pieces) stream->place(plan, piece);
      }
    });
  }
  // A rank that has failed still takes part in a collective transfer, with nothing.
  if (step.failure) plan = {};
  const auto transfer = caught(writer.comm.rank(), [&] {
    coalesce(plan);
    writer.transport->run(plan);
  });
  if (!step.failure) step.failure = transfer;
  if (!step.failure) {
    step.failure = caught(writer.comm.rank(), [&] {
      for (const auto& stream : step.streams) stream->note();
    });
  }
  for (const auto& stream : step.streams) stream->pieces.clear();
}

// ---- What was used

void drop_notes(const Step& step) {
  const Writer::State& writer = *step.writer;
  const auto notes = writer.comm.is_root() ? writer.planner->streams()->notes() : std::nullopt;
  if (!notes) return;
  // What stays is harmless: it is recognised as that of another file.
  static_cast<void>(caught(0, [&] {
    const std::filesystem::path first(writer.first_file);
    const std::string name = writer.planner->member_name(first.filename().string(), *notes);
    std::error_code ignored;
    std::filesystem::remove(first.parent_path() / name, ignored);
  }));
}

std::optional<Error> collect_streams(Step& step) {
  Writer::State& writer = *step.writer;
  Uses mine;
  const bool merges = writer.planner->streams()->merges();
  for (const auto& stream : step.streams) {
    stream->finished = true;
    if (stream->failure && !step.failure) step.failure = stream->failure;
    if (!stream->fill) continue;
    if (!merges) stream->use.chunks = stream->fill->chunks();
    mine.uses.push_back(std::move(stream->use));
  }
  if (!step.failure && writer.options.durable) {
    step.failure = caught(writer.comm.rank(), [&] { writer.transport->sync(false); });
  }
  if (step.failure) {
    Error error = writer.placed(*step.failure);
    if (!error.rank()) error.from_rank(writer.comm.rank());
    mine.failure = error.pack();
  }
  const auto parcels = writer.comm.exchange({{0, pack(mine)}});
  if (!writer.comm.is_root()) return std::nullopt;
  std::optional<Error> error;
  std::vector<StreamUse> uses;
  for (const Parcel& parcel : parcels) {
    auto all = unpack<Uses>(parcel.bytes);
    if (!all.failure.empty() && !error) error = Error::unpack(all.failure);
    std::ranges::move(all.uses, std::back_inserter(uses));
  }
  if (!error) writer.planner->streams()->use(std::move(uses));
  return error;
}

}  // namespace quire
