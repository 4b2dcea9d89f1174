#include "api/write/write_streams.hpp"

#include <algorithm>
#include <filesystem>
#include <thread>
#include <utility>

#include "api/file_sets.hpp"
#include "api/root.hpp"
#include "api/write/step_builder.hpp"
#include "base/stopwatch.hpp"
#include "quire/spi/base/archive.hpp"

namespace quire {
namespace {

using Step = WriteStep::State;
using Kind = StreamPiece::Kind;

/// The use of a rank's streams, or its failure.
struct Uses {
  std::vector<std::byte> failure;
  std::vector<StreamUse> uses;
  template <class Archive>
  void archive(Archive& a) {
    a(failure, uses);
  }
};

/// Bytes of a stream, and of its copies.
void add_extents(WritePlan& plan, const StreamPlace& place, std::span<const std::byte> bytes,
                 const std::vector<Extent>& extents) {
  for (const Extent& extent : extents) {
    const auto part = bytes.first(static_cast<std::size_t>(extent.length));
    bytes = bytes.subspan(part.size());
    if (part.empty()) continue;
    plan.add(extent.offset, part);
    for (const std::uint64_t copy : place.copies) plan.add(copy + (extent.offset - place.first), part);
  }
}

}  // namespace

Error about_stream(Error error, std::int64_t rank) {
  if (error.object().empty()) error.on("stream of task " + std::to_string(rank));
  return error;
}

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
  const auto refuse = [&](const char* what) { throw about_stream(Error(ErrorKind::usage, what), options.rank); };
  if (finished) refuse("the step of this stream is finished");
  if (is_keyed && piece.kind != Kind::record) {
    throw about_stream(Error(ErrorKind::usage, "the pieces of this file are records: each has a key")
                           .advise("create the file without the option keys=true for streams without records"),
                       options.rank);
  }
  if (!is_keyed && piece.kind == Kind::record) {
    throw about_stream(Error(ErrorKind::unsupported, "the streams of this file have no records")
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
  // Full pages are recorded as a whole, so that a stream needs no more writes than it has pages.
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
        add_extents(plan, fill->place(), *kept, fill->add_dense(record_head_bytes));
        return add_extents(plan, fill->place(), piece.bytes, fill->add_dense(piece.bytes.size()));
      }
      case Kind::plain:
      case Kind::together:
        add_extents(plan, fill->place(), piece.bytes, {fill->add_whole(piece.bytes.size())});
    }
  } catch (const Error& error) {
    throw about_stream(error, options.rank);
  }
}

void StreamWriter::State::place_all(WritePlan& plan) {
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    if (i < merged.size() && !merged[i].empty()) {
      add_extents(plan, fill->place(), pieces[i].bytes, merged[i]);
    } else if (!collects && pieces[i].kind != Kind::together) {
      place(plan, pieces[i]);
    }
  }
}

StreamWriter WriteStep::stream(const StreamOptions& options) {
  state_->require_filling("stream");
  Writer::State& writer = *state_->writer;
  StreamPlanner* planner = writer.capabilities().streams;
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

void suit_machine(Writer::State& writer) {
  StreamPlanner* planner = writer.capabilities().streams;
  if (planner == nullptr || !planner->asks_for_machine()) return;
  std::uint64_t nodes = writer.comm.split_by_node().is_root() ? 1 : 0;
  writer.comm.sum(std::span(&nodes, 1));
  const std::uint64_t processors = std::max(1U, std::thread::hardware_concurrency());
  planner->suit({static_cast<std::uint64_t>(writer.comm.size()), nodes, processors});
}

// ---- Bytes

void write_streams(Step& step) {
  Writer::State& writer = *step.writer;
  WritePlan plan;
  step.failure = caught(writer.comm.rank(), [&] {
    for (const auto& stream : step.streams) stream->place_all(plan);
  });
  // A rank that has failed still takes part in a collective transfer, with an empty plan.
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

// ---- Use

void drop_notes(const Step& step) {
  const Writer::State& writer = *step.writer;
  const StreamPlanner* streams = writer.capabilities().streams;
  const auto notes = streams != nullptr && writer.comm.is_root() ? streams->notes() : std::nullopt;
  if (!notes) return;
  // Remaining files are harmless: they are recognised as those of another file.
  static_cast<void>(caught(0, [&] {
    const std::filesystem::path first(writer.first_file);
    const std::string name = member_name(writer.capabilities().file_set, first.filename().string(), *notes);
    std::error_code ignored;
    std::filesystem::remove(first.parent_path() / name, ignored);
  }));
}

namespace {

/// The use of this rank's streams, or why it cannot continue.
Uses used_here(Step& step) {
  Writer::State& writer = *step.writer;
  Uses mine;
  for (const auto& stream : step.streams) {
    stream->finished = true;
    if (stream->failure && !step.failure) step.failure = stream->failure;
    if (!stream->fill) continue;
    mine.uses.push_back({stream->fill->chunks(), {}});
  }
  if (!step.failure) step.failure = caught(writer.comm.rank(), [&] { writer.sync_step(); });
  if (step.failure) {
    Error error = writer.placed(*step.failure);
    if (!error.rank()) error.from_rank(writer.comm.rank());
    mine.failure = error.pack();
  }
  return mine;
}

/// Rank 0: passes the use of all ranks to the planner. Returns the first failure of any.
std::optional<Error> use_all(Step& step, const std::vector<std::vector<std::byte>>& received) {
  std::optional<Error> error;
  std::vector<StreamUse> uses;
  for (const std::vector<std::byte>& bytes : received) {
    auto all = unpack<Uses>(bytes);
    if (!all.failure.empty() && !error) error = Error::unpack(all.failure);
    std::ranges::move(all.uses, std::back_inserter(uses));
  }
  if (error) return error;
  for (auto& [order, use] : step.merged) uses[static_cast<std::size_t>(order)] = std::move(use);
  return caught(0, [&] { step.writer->capabilities().streams->use(std::move(uses)); });
}

}  // namespace

std::vector<std::byte> collect_streams(
    Step& step, const std::function<std::vector<std::byte>(const std::optional<Error>&)>& publish) {
  const auto answer = [&](const std::vector<std::vector<std::byte>>& received) {
    return std::vector(received.size(), publish(use_all(step, received)));
  };
  return step.writer->comm.gather_scatter(pack(used_here(step)), answer);
}

}  // namespace quire
