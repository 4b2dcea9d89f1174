#include "api/write/field_chunks.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

#include "api/write/converted_values.hpp"
#include "quire/base/error.hpp"
#include "quire/spi/base/checked.hpp"

namespace quire {
namespace {

/// Stores values at positions of a chunk, one line after another.
void scatter(std::span<std::byte> chunk, const std::vector<Line>& lines, std::span<const std::byte> values,
             std::uint64_t width) {
  std::size_t taken = 0;
  for (const Line& line : lines) {
    const bool fits = line.count == 0 || (line.first < chunk.size() / width &&
                                          (line.count - 1) * line.step < chunk.size() / width - line.first);
    if (!fits || values.size() - taken < line.count * width) {
      throw Error(ErrorKind::internal, "received elements that are not in their chunk");
    }
    for (std::uint64_t i = 0; i < line.count; ++i, taken += width) {
      std::memcpy(chunk.data() + (line.first + i * line.step) * width, values.data() + taken, width);
    }
  }
}

}  // namespace

// ---- Owners

void ChunkDirectory::add(std::uint64_t rank, const std::vector<ChunkTouch>& touches) {
  for (const ChunkTouch& touch : touches) {
    const auto [place, is_new] = entries_.try_emplace(touch.chunk);
    Entry& entry = place->second;
    // A rank that only encodes an untouched chunk has no elements for its owner to wait for.
    if (is_new || (entry.is_weak && !touch.is_weak)) {
      entry.owner.sharers = 1;
    } else if (!touch.is_weak) {
      ++entry.owner.sharers;
    }
    const bool is_better = is_new || (touch.has_first && !entry.has_first) || (entry.is_weak && !touch.is_weak);
    if (!is_better) continue;
    entry.owner.rank = rank;
    entry.has_first = touch.has_first;
    entry.is_weak = touch.is_weak;
  }
}

std::vector<ChunkOwner> ChunkDirectory::owners(const std::vector<ChunkTouch>& touches) const {
  std::vector<ChunkOwner> owners;
  owners.reserve(touches.size());
  for (const ChunkTouch& touch : touches) owners.push_back(entries_.at(touch.chunk).owner);
  return owners;
}

PackedFields merge_chunks(std::vector<PackedFields>& ranks) {
  PackedFields all;
  const auto enlarge = [](auto& list, std::size_t size) { list.resize(std::max(list.size(), size)); };
  for (const PackedFields& rank : ranks) {
    enlarge(all, rank.size());
    for (std::size_t f = 0; f < rank.size(); ++f) enlarge(all[f], rank[f].size());
  }
  for (std::size_t f = 0; f < all.size(); ++f) {
    for (std::size_t c = 0; c < all[f].size(); ++c) {
      std::vector<PackedChunk*> chunks;
      for (PackedFields& rank : ranks) {
        if (f >= rank.size() || c >= rank[f].size()) continue;
        for (PackedChunk& chunk : rank[f][c]) chunks.push_back(&chunk);
      }
      std::ranges::sort(chunks, {}, &PackedChunk::index);
      std::uint64_t place = 0;
      for (PackedChunk* chunk : chunks) {
        chunk->place = place;
        place = checked_add(place, chunk->length);
        all[f][c].push_back({chunk->index, chunk->place, chunk->length, {}});
      }
    }
  }
  return all;
}

// ---- Chunks

/// Values of one component in the order of the elements, converted block by block.
class FieldChunks::Values {
 public:
  Values(const Field& field, const ConstView& view, const MemorySelection& memory, std::uint64_t total, bool lossy)
      : view_(view), element_{field}, lossy_(lossy), total_(total) {
    if (!memory.is_packed()) walk_.emplace(memory.extents, memory.selection);
  }

  /// The next values, at most `most`.
  [[nodiscard]] std::span<const std::byte> next(std::uint64_t most) {
    if (block_.empty()) fill();
    const std::size_t bytes = std::min(block_.size(), static_cast<std::size_t>(most * bytes_of(element_)));
    const auto part = block_.first(bytes);
    block_ = block_.subspan(bytes);
    return part;
  }

 private:
  static constexpr std::uint64_t block_elements = std::uint64_t{32} << 10;

  void fill() {
    const bool is_ready = !walk_ && view_.type == element_.type && view_.is_contiguous();
    const std::uint64_t count = is_ready ? total_ : std::min(block_elements, total_ - done_);
    if (count == 0) throw Error(ErrorKind::internal, "a field has fewer values than elements").on(element_.name);
    const ConstView values = walk_ ? packed(count) : view_.part(done_, count);
    block_ = converted_values(values, element_, done_, total_, lossy_, converted_);
    done_ += count;
  }

  /// The next values from a larger array.
  [[nodiscard]] ConstView packed(std::uint64_t count) {
    const std::uint64_t width = size_of(view_.type);
    packed_.resize(static_cast<std::size_t>(count * width));
    for (std::uint64_t filled = 0; filled < count;) {
      if (line_.count == 0) {
        const auto line = walk_->next();
        if (!line)
          throw Error(ErrorKind::internal, "the memory of a field has fewer elements than the file").on(element_.name);
        line_ = *line;
      }
      const std::uint64_t part = std::min(line_.count, count - filled);
      for (std::uint64_t i = 0; i < part; ++i) {
        const auto element = static_cast<std::ptrdiff_t>(line_.first + i * line_.step);
        std::memcpy(packed_.data() + (filled + i) * width, view_.data + element * view_.stride, width);
      }
      filled += part;
      line_.first += part * line_.step;
      line_.count -= part;
    }
    return {view_.type, packed_.data(), count, static_cast<std::ptrdiff_t>(width)};
  }

  ConstView view_;
  Column element_;  ///< type and name of the field
  bool lossy_;
  std::uint64_t total_;
  std::uint64_t done_ = 0;
  std::optional<SelectionWalk> walk_;
  Line line_;
  std::vector<std::byte> packed_;
  std::vector<std::byte> converted_;
  std::span<const std::byte> block_;
};

FieldChunks::FieldChunks(const FieldChunkCodec& codec, const StepDescription& step, std::size_t field,
                         const FieldPart& part, std::uint64_t rank, bool lossy)
    : codec_(codec),
      step_(step),
      field_(field),
      part_(part),
      rank_(rank),
      lossy_(lossy),
      pass_(part.declared ? Pass::measuring : Pass::whole),
      boxes_(step.fields[field].extents, codec.chunk_shape(step, field)),
      held_extents_(codec.held_extents(step, field)),
      width_(size_of(step.fields[field].type)) {
  const auto components = static_cast<std::size_t>(step.fields[field].components);
  staged_.resize(components);
  waiting_.resize(components);
  chunks_.resize(components);
  const bool has_elements = !part.declared && part.selection.elements() > 0;
  for (const ConstView& view : part.views) without_values_ = without_values_ || (has_elements && view.data == nullptr);
  find_touches();
}

void FieldChunks::find_touches() {
  std::map<std::uint64_t, ChunkTouch> found;
  if (rank_ == 0 && !held_extents_.empty()) {
    for (const std::uint64_t chunk : boxes_.chunks_across(held_extents_)) {
      found[chunk] = {chunk, false, true};
      targets_[chunk];
    }
  }
  SelectionWalk walk(boxes_.extents(), part_.selection);
  ChunkTouch* last = nullptr;
  Target* target = nullptr;
  while (auto line = walk.next()) {
    while (line->count > 0) {
      const ChunkBoxes::Spot spot = boxes_.find(*line);
      if (!held_extents_.empty() && boxes_.is_inside(line->first, held_extents_)) {
        throw Error(ErrorKind::conflict, "the file has these elements of the field already")
            .on(step_.fields[field_].name)
            .advise("put only elements outside of its old extents");
      }
      if (last == nullptr || last->chunk != spot.chunk) {
        last = &found.try_emplace(spot.chunk, spot.chunk).first->second;
        target = &targets_[spot.chunk];
      }
      last->has_first = last->has_first || spot.position == 0;
      last->is_weak = false;
      target->elements += spot.count;
      line->first += spot.count * line->step;
      line->count -= spot.count;
    }
  }
  touches_.reserve(found.size());
  for (const auto& [chunk, touch] : found) touches_.push_back(touch);
}

void FieldChunks::set_owners(const std::vector<ChunkOwner>& owners) {
  for (std::size_t i = 0; i < touches_.size(); ++i) {
    const std::uint64_t chunk = touches_[i].chunk;
    Target& target = targets_[chunk];
    target.owner = owners[i];
    target.is_held = !held_extents_.empty() && !boxes_.rows_inside(chunk, held_extents_).empty();
  }
}

std::vector<std::uint64_t> FieldChunks::held() const {
  std::vector<std::uint64_t> chunks;
  for (const auto& [chunk, target] : targets_) {
    if (target.is_held && target.owner.rank == rank_) chunks.push_back(chunk);
  }
  return chunks;
}

void FieldChunks::gather(const HeldValues& held_values) {
  const Field& field = step_.fields[field_];
  for (std::size_t c = 0; c < chunks_.size(); ++c) {
    encode_weak(c, held_values);
    if (part_.declared) continue;
    Values values(field, part_.views[c], part_.memory, part_.selection.elements(), lossy_);
    gather_component(c, SelectionWalk(boxes_.extents(), part_.selection), std::move(values), held_values);
  }
}

void FieldChunks::add(const Box& part, std::span<const ConstView> components, const HeldValues& held_values) {
  const Field& field = step_.fields[field_];
  const SelectionWalk walk(boxes_.extents(), part);
  for (std::size_t c = 0; c < chunks_.size(); ++c) {
    gather_component(c, walk, Values(field, components[c], {}, walk.elements(), lossy_), held_values);
  }
}

/// Weak chunks have no elements here that would add them to the stage.
void FieldChunks::encode_weak(std::size_t component, const HeldValues& held_values) {
  for (const ChunkTouch& touch : touches_) {
    if (!touch.is_weak || targets_.at(touch.chunk).owner.rank != rank_) continue;
    staged_[component][touch.chunk].values.resize(0);
    leave(component, touch.chunk, held_values);
  }
}

void FieldChunks::gather_component(std::size_t component, SelectionWalk walk, Values values,
                                   const HeldValues& held_values) {
  while (auto line = walk.next()) {
    while (line->count > 0) {
      const ChunkBoxes::Spot spot = boxes_.find(*line);
      const Target& target = targets_.at(spot.chunk);
      Staged& staged = staged_[component][spot.chunk];
      Line row{spot.position, line->step, spot.count};
      while (!without_values_ && row.count > 0) {
        const auto bytes = values.next(row.count);
        const std::uint64_t count = bytes.size() / width_;
        put(staged, target, {row.first, row.step, count}, bytes);
        row.first += count * row.step;
        row.count -= count;
      }
      staged.elements += spot.count;
      if (staged.elements == target.elements) leave(component, spot.chunk, held_values);
      line->first += spot.count * line->step;
      line->count -= spot.count;
    }
  }
}

void FieldChunks::put(Staged& staged, const Target& target, const Line& line, std::span<const std::byte> values) const {
  if (pass_ == Pass::writing && !is_mine_alone(target)) return;  // they were kept when they were measured
  if (target.owner.rank != rank_) {
    staged.lines.push_back(line);
    staged.values.insert(staged.values.end(), values.begin(), values.end());
    return;
  }
  if (staged.values.empty()) staged.values.resize(static_cast<std::size_t>(boxes_.chunk_elements() * width_));
  if (line.step == 1) {
    std::ranges::copy(values, staged.values.begin() + static_cast<std::ptrdiff_t>(line.first * width_));
  } else {
    scatter(staged.values, {line}, values, width_);
  }
}

void FieldChunks::leave(std::size_t component, std::uint64_t chunk, const HeldValues& held_values) {
  auto node = staged_[component].extract(chunk);
  Staged& staged = node.mapped();
  const Target& target = targets_.at(chunk);
  if (pass_ == Pass::writing && !is_mine_alone(target)) return;
  if (target.owner.rank != rank_) {
    pieces_[target.owner.rank].push_back({field_, component, chunk, std::move(staged.lines), std::move(staged.values)});
    return;
  }
  if (!without_values_) {
    staged.values.resize(static_cast<std::size_t>(boxes_.chunk_elements() * width_));
    if (target.is_held) take_held(component, chunk, staged.values, held_values);
  }
  if (is_mine_alone(target)) {
    pack(component, chunk, staged.values, pass_ != Pass::measuring || target.elements == 0);
  } else {
    waiting_[component][chunk] = std::move(staged.values);
  }
}

void FieldChunks::take_held(std::size_t component, std::uint64_t chunk, std::vector<std::byte>& values,
                            const HeldValues& held_values) const {
  const std::vector<std::byte> old = held_values(component, chunk);
  for (const Slice& row : boxes_.rows_inside(chunk, held_extents_)) {
    std::memcpy(values.data() + row.first * width_, old.data() + row.first * width_,
                static_cast<std::size_t>(row.count * width_));
  }
}

void FieldChunks::pack(std::size_t component, std::uint64_t chunk, std::span<const std::byte> values,
                       bool keeps_bytes) {
  PackedChunk packed{.index = chunk};
  if (without_values_) {
    packed.length = boxes_.chunk_elements() * width_;
  } else {
    PackedGroup group = codec_.pack_chunk(step_, field_, values);
    packed.length = group.length;
    if (keeps_bytes) packed.bytes = std::move(group.bytes);
  }
  chunks_[component].push_back(std::move(packed));
}

std::map<std::uint64_t, std::vector<ChunkPiece>> FieldChunks::take_pieces() { return std::exchange(pieces_, {}); }

void FieldChunks::complete(const ChunkPiece& piece) {
  const auto found = waiting_.at(static_cast<std::size_t>(piece.component)).find(piece.chunk);
  if (found == waiting_[static_cast<std::size_t>(piece.component)].end()) {
    throw Error(ErrorKind::internal, "received elements for a chunk of another rank").on(step_.fields[field_].name);
  }
  if (!without_values_) scatter(found->second, piece.lines, piece.values, width_);
}

void FieldChunks::finish() {
  for (std::size_t c = 0; c < chunks_.size(); ++c) {
    for (const auto& [chunk, values] : waiting_[c]) pack(c, chunk, values, true);
    waiting_[c].clear();
    std::ranges::sort(chunks_[c], {}, &PackedChunk::index);
  }
}

std::vector<std::vector<PackedChunk>> FieldChunks::take() {
  return std::exchange(chunks_, std::vector<std::vector<PackedChunk>>(chunks_.size()));
}

void FieldChunks::begin_again() { pass_ = Pass::writing; }

}  // namespace quire
