#include <algorithm>
#include <utility>

#include "api/root.hpp"
#include "api/write/step_builder.hpp"
#include "api/write/write_streams.hpp"
#include "quire/base/error.hpp"
#include "quire/spi/base/archive.hpp"
#include "quire/spi/plan/member.hpp"

namespace quire {
namespace {

using Step = WriteStep::State;
using Kind = StreamPiece::Kind;

/// A piece of a merged stream, for rank 0.
struct PieceSize {
  Kind kind = Kind::plain;
  std::uint64_t bytes = 0;
  template <class Archive>
  void archive(Archive& a) {
    a(kind, bytes);
  }
};

/// The request of a rank to rank 0.
struct Question {
  bool failed = false;
  bool unclosed = false;
  Call call = Call::commit;
  std::uint64_t structure = 0;
  std::vector<StreamRequest> requests;
  std::vector<std::vector<PieceSize>> pieces;  ///< of each request, where streams are merged
  template <class Archive>
  void archive(Archive& a) {
    a(failed, unclosed, call, structure, requests, pieces);
  }
};

/// Where rank 0 has placed the pieces of one stream.
struct MergedPieces {
  bool collects = false;
  std::vector<std::vector<Extent>> pieces;
  template <class Archive>
  void archive(Archive& a) {
    a(collects, pieces);
  }
};

/// The answer of rank 0.
struct Answer {
  std::uint64_t failed = 0;
  std::uint64_t unclosed = 0;
  std::vector<std::uint64_t> calling;  ///< number of ranks in each of the calls
  bool same_structure = true;
  bool is_placed = false;         ///< otherwise a collective follows that reports why
  std::vector<std::byte> answer;  ///< if no step is placed
  std::vector<StreamPlace> places;
  std::vector<MergedPieces> merged;  ///< of each place, where streams are merged
  template <class Archive>
  void archive(Archive& a) {
    a(failed, unclosed, calling, same_structure, is_placed, answer, places, merged);
  }
  [[nodiscard]] Consensus consensus() const {
    Consensus all;
    all.failed = failed;
    all.unclosed = unclosed;
    all.same_structure = same_structure;
    all.answer = answer;
    std::copy_n(calling.begin(), std::min(calls, calling.size()), all.calling.begin());
    return all;
  }
};

StreamRequest request_of(const StreamWriter::State& stream, bool is_open) {
  StreamRequest request;
  request.rank = stream.options.rank;
  request.chunk_bytes = stream.options.chunk_bytes;
  request.file = stream.options.file;
  request.index = stream.options.index;
  // Pieces that follow after the places are known are not known now.
  if (is_open) return request;
  request.bytes = stream.bytes;
  request.together = stream.together;
  return request;
}

std::vector<PieceSize> sizes_of(const StreamWriter::State& stream) {
  std::vector<PieceSize> sizes;
  for (const StreamPiece& piece : stream.pieces) {
    sizes.push_back({piece.kind, piece.kind == Kind::room ? piece.room : piece.bytes.size()});
  }
  return sizes;
}

/// Rank 0: the streams of all ranks in rank order.
struct AllStreams {
  std::vector<StreamRequest> requests;
  std::vector<std::vector<PieceSize>> pieces;
  std::vector<int> owners;  ///< of each the rank that writes it
};

AllStreams all_streams(std::vector<Question>& questions) {
  AllStreams all;
  for (std::size_t rank = 0; rank < questions.size(); ++rank) {
    Question& question = questions[rank];
    all.owners.insert(all.owners.end(), question.requests.size(), static_cast<int>(rank));
    std::ranges::move(question.requests, std::back_inserter(all.requests));
    std::ranges::move(question.pieces, std::back_inserter(all.pieces));
  }
  return all;
}

// ---- Merged pieces

/// Fills the chunks of a collector with its own pieces and with those that its members write together with it.
StreamUse fill_collector(const AllStreams& all, const std::vector<StreamPlace>& places, std::uint64_t collector,
                         std::vector<std::uint64_t> orders, std::vector<MergedPieces>& merged) {
  const auto at = [](std::uint64_t order) { return static_cast<std::size_t>(order); };
  std::ranges::sort(orders, {}, [&](std::uint64_t order) { return all.requests[at(order)].rank; });
  std::vector<GroupMember> members;
  for (const std::uint64_t order : orders) {
    GroupMember& member = members.emplace_back(GroupMember{order, all.requests[at(order)].rank, {}});
    for (const PieceSize& piece : all.pieces[at(order)]) {
      if (piece.kind == Kind::together) member.calls.push_back(piece.bytes);
    }
  }
  std::vector<CollectorPiece> own;
  for (const PieceSize& piece : all.pieces[at(collector)]) {
    if (piece.kind == Kind::room) throw Error(ErrorKind::unsupported, "merged streams do not support ensure_space()");
    own.push_back({piece.kind == Kind::together, piece.bytes});
  }
  GroupFill filled = fill_group(places[at(collector)], all.requests[at(collector)].rank, own, members);
  for (const Extent& extent : filled.own) merged[at(collector)].pieces.push_back({extent});
  merged[at(collector)].collects = true;
  for (std::size_t m = 0; m < members.size(); ++m) {
    std::size_t call = 0;
    for (const PieceSize& piece : all.pieces[at(members[m].order)]) {
      auto& extents = merged[at(members[m].order)].pieces.emplace_back();
      if (piece.kind == Kind::together) extents = std::move(filled.members[m][call++]);
    }
  }
  return std::move(filled.use);
}

/// Throws for a stream whose bytes would be stored partly in its own chunks and partly in those of another one, because
/// their order would be lost.
void require_one_order(const StreamRequest& request) {
  if (request.bytes.value_or(0) == 0 || request.together == 0) return;
  throw Error(ErrorKind::unsupported, "a stream whose pieces are partly merged has no order that the file can store")
      .advise("write all its pieces together with others, or use origins=dropped");
}

/// Rank 0. Places all merged pieces; errors name the rank whose stream it is.
std::vector<MergedPieces> merge(Step& step, const AllStreams& all, const std::vector<StreamPlace>& places) {
  std::map<std::uint64_t, std::vector<std::uint64_t>> groups;
  for (std::uint64_t order = 0; order < places.size(); ++order) {
    const std::uint64_t collector = places[static_cast<std::size_t>(order)].collector;
    auto& members = groups[collector];
    if (collector != order) members.push_back(order);
  }
  const bool keeps_origins = step.writer->capabilities().streams->keeps_origins();
  std::vector<MergedPieces> merged(places.size());
  const auto for_stream = [&](std::uint64_t order, auto&& action) {
    const auto at = static_cast<std::size_t>(order);
    const auto error = caught(all.owners[at], action);
    if (error) throw about_stream(*error, all.requests[at].rank);
  };
  for (auto& [collector, members] : groups) {
    for (const std::uint64_t order : members) {
      for_stream(order, [&] {
        if (keeps_origins) require_one_order(all.requests[static_cast<std::size_t>(order)]);
      });
    }
    for_stream(collector,
               [&] { step.merged[collector] = fill_collector(all, places, collector, std::move(members), merged); });
  }
  return merged;
}

// ---- The collective

/// Whether a set of files begins, each with its part of the title.
bool makes_set(const WritePlan& title, const std::optional<std::uint64_t>& notes) {
  return std::ranges::any_of(title.extents, [&](const WriteExtent& extent) {
    const std::uint64_t member = member_of(extent.offset);
    return member != 0 && member != notes;
  });
}

/// Rank 0: places the streams of all ranks and writes the title.
void place_all(Step& step, std::vector<Question>& questions, std::vector<Answer>& answers) {
  Writer::State& writer = *step.writer;
  const AllStreams all = all_streams(questions);
  StreamPlanner& planner = *writer.capabilities().streams;
  const std::vector<StreamPlace> places = planner.place(all.requests, writer.path, step.call == Call::open);
  const WritePlan title = planner.title();
  if (makes_set(title, planner.notes())) writer.target.require_place_for_set();
  std::vector<MergedPieces> merged;
  if (planner.merges()) merged = merge(step, all, places);
  for (std::size_t i = 0; i < places.size(); ++i) {
    Answer& answer = answers[static_cast<std::size_t>(all.owners[i])];
    answer.places.push_back(places[i]);
    if (!merged.empty()) answer.merged.push_back(std::move(merged[i]));
  }
  for (const Extent& extent : planner.reservations()) {
    writer.transport->reserve(extent.offset, extent.offset + extent.length);
  }
  writer.transport->run_alone(title);
}

/// Rank 0: the part of the answer that is the same for all ranks.
Answer common_answer(const std::vector<Question>& questions) {
  Answer common;
  common.calling.resize(calls);
  for (const Question& question : questions) {
    common.failed += question.failed ? 1 : 0;
    common.unclosed += question.unclosed ? 1 : 0;
    ++common.calling.at(static_cast<std::size_t>(question.call));
    common.same_structure = common.same_structure && question.structure == questions.front().structure;
  }
  return common;
}

/// Rank 0, in a step: the answer to each rank.
std::vector<Answer> answer_step(Step& step, std::vector<Question>& questions, std::optional<Error>& error) {
  const Answer common = common_answer(questions);
  std::vector<Answer> answers(questions.size(), common);
  std::optional<Error> ignored;
  if (!common.consensus().goes_on(step.call, ignored) || !common.same_structure) return answers;
  error = caught(step.writer->comm.rank(), [&] { place_all(step, questions, answers); });
  for (Answer& answer : answers) answer.is_placed = !error;
  return answers;
}

/// Collective. Every rank sends a request, and rank 0 answers all of them by `answer`, also those without streams.
Answer ask(Comm& comm, const Question& mine, const std::function<std::vector<Answer>(std::vector<Question>&)>& answer) {
  const auto reply = [&](const std::vector<std::vector<std::byte>>& asked) {
    std::vector<Question> questions;
    for (const std::vector<std::byte>& bytes : asked) questions.push_back(unpack<Question>(bytes));
    std::vector<std::vector<std::byte>> answers;
    for (const Answer& one : answer(questions)) answers.push_back(pack(one));
    return answers;
  };
  return unpack<Answer>(comm.gather_scatter(pack(mine), reply));
}

}  // namespace

Consensus propose_call(Writer::State& writer, const Proposal& mine, const ConsensusAnswer& answer) {
  if (writer.capabilities().streams == nullptr) return propose(writer.comm, mine, answer);
  const Question question{mine.failed, mine.unclosed, mine.call, mine.structure, {}, {}};
  return ask(writer.comm, question,
             [&](const std::vector<Question>& questions) {
               Answer common = common_answer(questions);
               if (answer) common.answer = answer(common.consensus());
               return std::vector(questions.size(), common);
             })
      .consensus();
}

void place_streams(Step& step) {
  Writer::State& writer = *step.writer;
  std::optional<Error> error = accept_step(step);
  Question mine;
  mine.failed = error.has_value();
  mine.call = step.call;
  if (!error) {
    mine.structure = step.builder.structure_hash(writer.file);
    for (const auto& stream : step.streams) {
      mine.requests.push_back(request_of(*stream, step.call == Call::open));
      if (stream->merges) mine.pieces.push_back(sizes_of(*stream));
    }
  }
  Answer answer =
      ask(writer.comm, mine, [&](std::vector<Question>& questions) { return answer_step(step, questions, error); });
  if (!answer.consensus().goes_on(step.call, error)) fail_together(step, error);
  if (!answer.same_structure) fail_for_structure(step);
  if (!answer.is_placed) {
    drop_notes(step);
    fail_together(step, error);
  }
  for (std::size_t i = 0; i < step.streams.size(); ++i) {
    StreamWriter::State& stream = *step.streams[i];
    stream.fill.emplace(answer.places[i]);
    if (answer.merged.empty()) continue;
    stream.collects = answer.merged[i].collects;
    stream.merged = std::move(answer.merged[i].pieces);
  }
}

}  // namespace quire
