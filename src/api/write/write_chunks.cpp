#include "api/write/write_chunks.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "api/root.hpp"
#include "api/write/field_chunks.hpp"
#include "api/write/write_parts.hpp"
#include "base/stopwatch.hpp"
#include "quire/spi/base/archive.hpp"

namespace quire {

using State = WriteStep::State;
/// For each chunked field.
using Touches = std::vector<std::vector<ChunkTouch>>;
using Owners = std::vector<std::vector<ChunkOwner>>;
using Indices = std::vector<std::vector<std::uint64_t>>;
using HeldChunks = std::vector<std::vector<std::vector<Chunk>>>;  ///< and each component

/// The chunked fields of a step on one rank, across several exchanges. An error is kept, and the rank continues with
/// empty messages; answers that are missing because another rank has failed are no error of this one.
class FieldEncoding {
 public:
  /// Of these fields.
  FieldEncoding(State& step, std::vector<std::size_t> chunked)
      : step_(step), comm_(step.writer->comm), chunked_(std::move(chunked)) {}

  /// The number of exchanges in finish().
  static constexpr std::size_t exchanges_to_finish = 3;

  /// Collective. Finds the owners of the chunks.
  void begin(bool holds_fields) {
    attempt([&] { make_fields(); });
    find_owners();
    if (holds_fields) find_held();
    step_.failure = error_;
  }

  /// Collective. Finds the sizes and places of the chunks.
  void finish(std::optional<Error>& error) {
    if (!error_) error_ = error;
    attempt([&] { gather(); });
    hand_over();
    find_places();
    error = error_;
  }

  /// Independent. A part of a field: before finish() to measure it, afterwards for its bytes.
  void add(std::size_t field, const Box& part, std::span<const ConstView> components) {
    const auto found = std::ranges::find(chunked_, field);
    if (found == chunked_.end() || is_lost_) return;
    const Stopwatch watch(step_.writer->timing.encode);
    const auto f = static_cast<std::size_t>(found - chunked_.begin());
    fields_[f].add(part, components, values_held_of(f));
  }

  /// The chunks of such a field that were completed since the last call.
  [[nodiscard]] std::vector<std::vector<PackedChunk>> take(std::size_t field) {
    return fields_.at(static_cast<std::size_t>(std::ranges::find(chunked_, field) - chunked_.begin())).take();
  }

 private:
  template <class Work>
  void attempt(Work&& work) {
    if (!error_ && !is_lost_) error_ = caught(comm_.rank(), std::forward<Work>(work));
  }
  /// Sends the messages of `make` to the ranks, and returns those received.
  template <class Make>
  std::vector<Parcel> exchange(Make&& make) {
    std::vector<Parcel> parcels;
    attempt([&] { parcels = make(); });
    return comm_.exchange(error_ || is_lost_ ? std::vector<Parcel>{} : std::move(parcels));
  }

  void make_fields() {
    const Stopwatch watch(step_.writer->timing.encode);
    StepPart& part = *step_.part;
    part.chunks.assign(part.fields.size(), {});
    part.all_chunks.clear();
    for (const std::size_t f : chunked_) {
      fields_.emplace_back(*step_.writer->capabilities().field_chunks, step_.accepted, f, part.fields[f],
                           static_cast<std::uint64_t>(comm_.rank()), step_.writer->options.lossy);
    }
  }

  /// The rank that knows the ranks that put elements of a chunk, of `chunks` chunks.
  [[nodiscard]] std::uint64_t guide(std::uint64_t chunk, std::uint64_t chunks) const {
    const auto size = static_cast<std::uint64_t>(comm_.size());
    const std::uint64_t each = std::max<std::uint64_t>(1, (chunks + size - 1) / size);
    return chunk / each;
  }

  void find_owners() {
    const auto asked = exchange([&] {
      std::map<std::uint64_t, Touches> questions;
      for (std::size_t f = 0; f < fields_.size(); ++f) {
        for (const ChunkTouch& touch : fields_[f].touches()) {
          Touches& question = questions[guide(touch.chunk, fields_[f].chunks())];
          question.resize(fields_.size());
          question[f].push_back(touch);
        }
      }
      return parcels_of(questions);
    });
    const auto answered = exchange([&] {
      std::vector<ChunkDirectory> directories(fields_.size());
      std::vector<Touches> questions;
      for (const Parcel& parcel : asked) {
        questions.push_back(unpack<Touches>(parcel.bytes));
        for (std::size_t f = 0; f < fields_.size(); ++f) {
          directories[f].add(static_cast<std::uint64_t>(parcel.rank), questions.back().at(f));
        }
      }
      std::vector<Parcel> answers;
      for (std::size_t i = 0; i < asked.size(); ++i) {
        Owners owners;
        for (std::size_t f = 0; f < fields_.size(); ++f) owners.push_back(directories[f].owners(questions[i][f]));
        answers.push_back({asked[i].rank, pack(owners)});
      }
      return answers;
    });
    attempt([&] {
      // Guides rise with the numbers of the chunks, and parcels are received in the order of ranks.
      Owners all(fields_.size());
      for (const Parcel& parcel : answered) {
        const auto owners = unpack<Owners>(parcel.bytes);
        for (std::size_t f = 0; f < all.size(); ++f) all[f].insert(all[f].end(), owners[f].begin(), owners[f].end());
      }
      for (std::size_t f = 0; f < all.size(); ++f) is_lost_ = is_lost_ || all[f].size() != fields_[f].touches().size();
      for (std::size_t f = 0; f < all.size() && !is_lost_; ++f) fields_[f].set_owners(all[f]);
    });
  }

  /// Asks rank 0 for the places of chunks that are encoded again.
  void find_held() {
    const auto asked = exchange([&] {
      bool asks = false;
      for (const FieldChunks& field : fields_) {
        wanted_.push_back(field.held());
        asks = asks || !wanted_.back().empty();
      }
      return asks ? std::vector<Parcel>{{0, pack(wanted_)}} : std::vector<Parcel>{};
    });
    const auto answered = exchange([&] {
      std::vector<Parcel> answers;
      for (const Parcel& parcel : asked) answers.push_back({parcel.rank, pack(look_up(unpack<Indices>(parcel.bytes)))});
      return answers;
    });
    attempt([&] {
      const bool asks = std::ranges::any_of(wanted_, [](const auto& chunks) { return !chunks.empty(); });
      is_lost_ = asks && answered.empty();
      if (asks && !is_lost_) held_ = unpack<HeldChunks>(answered.front().bytes);
    });
  }

  [[nodiscard]] HeldChunks look_up(const Indices& wanted) const {
    HeldChunks found(wanted.size());
    for (std::size_t f = 0; f < wanted.size(); ++f) {
      const std::size_t field = chunked_[f];
      found[f].resize(static_cast<std::size_t>(step_.accepted.fields[field].components));
      for (std::size_t c = 0; c < found[f].size(); ++c) {
        for (const std::uint64_t chunk : wanted[f]) {
          found[f][c].push_back(step_.writer->capabilities().field_chunks->held_chunk(step_.accepted, field, c, chunk));
        }
      }
    }
    return found;
  }

  /// The values of a chunk in the file.
  [[nodiscard]] std::vector<std::byte> held_values(std::size_t f, std::size_t component, std::uint64_t index) const {
    const auto place = std::ranges::find(wanted_.at(f), index) - wanted_.at(f).begin();
    const Chunk& chunk = held_.at(f).at(component).at(static_cast<std::size_t>(place));
    Writer::State& writer = *step_.writer;
    std::vector<std::byte> bytes(static_cast<std::size_t>(chunk.bytes));
    if (writer.transport->get(chunk.offset, bytes) != bytes.size()) {
      throw Error(ErrorKind::bad_file, "the file ends inside a chunk")
          .on(step_.accepted.fields[chunked_[f]].name)
          .at(chunk.offset);
    }
    return writer.capabilities().field_chunks->unpack_chunk(step_.accepted, chunked_[f], chunk, bytes);
  }

  [[nodiscard]] FieldChunks::HeldValues values_held_of(std::size_t f) const {
    return [this, f](std::size_t component, std::uint64_t chunk) { return held_values(f, component, chunk); };
  }

  void gather() {
    const Stopwatch watch(step_.writer->timing.encode);
    for (std::size_t f = 0; f < fields_.size(); ++f) {
      require_weighed_parts(step_, chunked_[f]);
      fields_[f].gather(values_held_of(f));
    }
  }

  void hand_over() {
    const auto received = exchange([&] {
      std::map<std::uint64_t, std::vector<ChunkPiece>> pieces;
      for (std::size_t f = 0; f < fields_.size(); ++f) {
        for (auto& [rank, own] : fields_[f].take_pieces()) {
          for (ChunkPiece& piece : own) {
            piece.field = f;
            pieces[rank].push_back(std::move(piece));
          }
        }
      }
      return parcels_of(pieces);
    });
    attempt([&] {
      const Stopwatch watch(step_.writer->timing.encode);
      for (const Parcel& parcel : received) {
        for (const ChunkPiece& piece : unpack<std::vector<ChunkPiece>>(parcel.bytes)) {
          fields_.at(static_cast<std::size_t>(piece.field)).complete(piece);
        }
      }
      for (std::size_t f = 0; f < fields_.size(); ++f) {
        fields_[f].finish();
        step_.part->chunks[chunked_[f]] = fields_[f].take();
        if (step_.part->fields[chunked_[f]].declared) fields_[f].begin_again();
      }
    });
  }

  /// Rank 0 places the chunks one after another, by their numbers.
  void find_places() {
    StepPart& part = *step_.part;
    const auto lengths = exchange([&] {
      bool has_chunks = false;
      for (const auto& field : part.chunks) {
        has_chunks = has_chunks || std::ranges::any_of(field, [](const auto& chunks) { return !chunks.empty(); });
      }
      return has_chunks ? std::vector<Parcel>{{0, pack(part.chunks)}} : std::vector<Parcel>{};
    });
    const auto places = exchange([&] {
      std::vector<PackedFields> ranks;
      for (const Parcel& parcel : lengths) ranks.push_back(unpack<PackedFields>(parcel.bytes));
      part.all_chunks = merge_chunks(ranks);
      std::vector<Parcel> answers;
      for (std::size_t i = 0; i < lengths.size(); ++i) answers.push_back({lengths[i].rank, pack(ranks[i])});
      if (!comm_.is_root()) part.all_chunks.clear();
      return answers;
    });
    attempt([&] {
      if (places.empty()) return;
      const auto placed = unpack<PackedFields>(places.front().bytes);
      for (std::size_t f = 0; f < part.chunks.size(); ++f) {
        for (std::size_t c = 0; c < part.chunks[f].size(); ++c) {
          for (std::size_t i = 0; i < part.chunks[f][c].size(); ++i) {
            part.chunks[f][c][i].place = placed.at(f).at(c).at(i).place;
          }
        }
      }
    });
  }

  template <class Content>
  [[nodiscard]] static std::vector<Parcel> parcels_of(const std::map<std::uint64_t, Content>& contents) {
    std::vector<Parcel> parcels;
    for (const auto& [rank, content] : contents) parcels.push_back({static_cast<int>(rank), pack(content)});
    return parcels;
  }

  State& step_;
  Comm& comm_;
  std::vector<std::size_t> chunked_;
  std::optional<Error> error_;
  bool is_lost_ = false;
  std::vector<FieldChunks> fields_;
  Indices wanted_;
  HeldChunks held_;
};

void begin_fields(State& step) {
  std::vector<std::size_t> chunked;
  bool holds_fields = false;
  const FieldChunkCodec* const codec = step.writer->capabilities().field_chunks;
  for (std::size_t f = 0; codec != nullptr && f < step.accepted.fields.size(); ++f) {
    if (codec->chunk_shape(step.accepted, f).empty()) continue;
    chunked.push_back(f);
    holds_fields = holds_fields || !codec->held_extents(step.accepted, f).empty();
  }
  step.encoding.reset();
  if (chunked.empty()) return;
  step.encoding = std::make_shared<FieldEncoding>(step, std::move(chunked));
  step.encoding->begin(holds_fields);
}

std::size_t field_exchanges(const State& step) { return step.encoding ? FieldEncoding::exchanges_to_finish : 0; }

void weigh_chunks(State& step, std::size_t field, const Box& part, std::span<const ConstView> components) {
  if (step.encoding) step.encoding->add(field, part, components);
}

void encode_fields(State& step, std::optional<Error>& error) {
  if (!step.encoding) return;
  step.encoding->finish(error);
  // Only parts are encoded once more.
  if (std::ranges::none_of(step.declared, [](const auto& field) { return field.has_value(); })) step.encoding.reset();
}

void add_chunks(WritePlan& plan, State& step, std::size_t field, const Box& part,
                std::span<const ConstView> components) {
  step.encoding->add(field, part, components);
  std::vector<std::vector<PackedChunk>> encoded = step.encoding->take(field);
  for (std::size_t c = 0; c < encoded.size(); ++c) {
    const std::vector<PackedChunk>& weighed = step.part->chunks[field][c];
    for (PackedChunk& chunk : encoded[c]) {
      const auto place = std::ranges::lower_bound(weighed, chunk.index, {}, &PackedChunk::index);
      if (place == weighed.end() || place->index != chunk.index || place->length != chunk.length) {
        throw Error(ErrorKind::usage, "the elements are not those that were weighed")
            .on(step.accepted.fields[field].name);
      }
      plan.add(step.placement.fields[field][c].offset + place->place, std::move(chunk.bytes));
    }
  }
}

void forget_fields(State& step) {
  step.encoding.reset();
  for (auto& field : step.declared) {
    if (field) field->weighed.clear();
  }
}

}  // namespace quire
