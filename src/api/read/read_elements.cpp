#include <algorithm>
#include <map>
#include <utility>

#include "api/read/element_blocks.hpp"
#include "api/read/element_directory.hpp"
#include "api/root.hpp"
#include "quire/base/archive.hpp"
#include "quire/base/checked.hpp"
#include "quire/comm/partition.hpp"

namespace quire {
namespace {

/// Adds rows to a list of slices that rises, joining neighbours.
void append(std::vector<Slice>& slices, const Slice& slice) {
  if (slice.count == 0) return;
  if (!slices.empty() && slices.back().end() == slice.first) {
    slices.back().count += slice.count;
  } else {
    slices.push_back(slice);
  }
}

/// The part of a slice that lies in [first, first + count), counted from there.
Slice part_of(const Slice& all, std::uint64_t first, std::uint64_t count) {
  const std::uint64_t begin = std::max(all.first, first);
  const std::uint64_t end = std::min(all.end(), first + count);
  return begin < end ? Slice{begin - first, end - begin} : Slice{};
}

/// The rank whose even share holds item `index`.
int rank_of(std::uint64_t index, std::uint64_t items, int size) {
  const auto ranks = static_cast<std::uint64_t>(size);
  const std::uint64_t share = items / ranks;
  const std::uint64_t larger = items % ranks;
  const std::uint64_t in_larger = (share + 1) * larger;
  return static_cast<int>(index < in_larger ? index / (share + 1) : larger + (index - in_larger) / share);
}

/// What one rank hands to another of a block that it has read for all.
struct Handout {
  std::uint64_t block = 0;
  std::vector<Slice> rows;
  std::vector<std::uint32_t> ids;
  std::vector<std::uint64_t> modes;
  std::vector<std::uint64_t> offsets;
  std::vector<std::vector<double>> values;
  template <class Archive>
  void archive(Archive& a) {
    a(block, rows, ids, modes, offsets, values);
  }
};

/// One call of read_elements() on one rank.
class ElementReading {
 public:
  ElementReading(const ReadStep::State& step, const ElementRequest& request)
      : step_(step), request_(request), comm_(step.reader->comm), blocks_(step, request.variables) {
    wanted_.resize(blocks_.blocks().size());
    parts_.resize(wanted_.size());
    for (std::size_t b = 0; b < wanted_.size(); ++b) out_.push_back(blocks_.empty(b));
  }

  void choose_by_id() {
    std::vector<ElementEntry> known;
    attempt([&] { known = entries_of_share(); });
    std::vector<ElementEntry> found = find_elements(comm_, known, *request_.ids, missing_);
    attempt([&] {
      for (const ElementEntry& entry : found) {
        const auto b = static_cast<std::size_t>(entry.block);
        append(wanted_[b], {entry.row, 1});
        if (blocks_.blocks()[b].is_opaque) continue;
        append(parts_[b], {entry.offset, entry.count});
        ElementBlock& out = out_[b];
        out.ids.push_back(entry.id);
        out.modes.insert(out.modes.end(), entry.modes.begin(), entry.modes.end());
        out.offsets.push_back(out.offsets.back() + entry.count);
      }
      find_repeated(std::move(found));
    });
  }

  void choose_by_partition() {
    std::vector<std::uint64_t> before(blocks_.blocks().size(), 0);
    std::vector<std::uint64_t> mixed(before.size(), 0);
    attempt([&] {
      const Slice share = own_share();
      for (std::size_t b = 0; b < before.size(); ++b) {
        const FileBlock& file = blocks_.blocks()[b];
        append(wanted_[b], part_of(share, file.first, file.count));
        if (wanted_[b].empty() || file.is_opaque) continue;
        blocks_.read_elements(b, wanted_[b].front(), out_[b]);
        before[b] = wanted_[b].front().first * file.uniform_count;
        if (file.uniform_count == 0) mixed[b] = out_[b].offsets.back();
      }
    });
    const bool has_mixed = std::ranges::any_of(
        blocks_.blocks(), [](const FileBlock& file) { return file.uniform_count == 0 && !file.is_opaque; });
    // Shares are in the order of the ranks: what the lower ones have of a block stands before.
    if (has_mixed) comm_.prefix(mixed);
    for (std::size_t b = 0; b < before.size(); ++b) {
      if (wanted_[b].empty() || blocks_.blocks()[b].is_opaque) continue;
      if (blocks_.blocks()[b].uniform_count == 0) {
        before[b] = request_.partition == ElementPartition::everything ? 0 : mixed[b];
      }
      append(parts_[b], {before[b], out_[b].offsets.back()});
    }
  }

  /// Each rank its own coefficients, in one pass.
  void read_addressed() {
    ReadPlan plan;
    attempt([&] {
      for (std::size_t b = 0; b < out_.size(); ++b) {
        if (!blocks_.blocks()[b].is_opaque) blocks_.plan_values(b, std::move(parts_[b]), out_[b], plan);
      }
      coalesce(plan);
    });
    // With a collective transport all ranks come here, also those that have failed.
    if (failure_) plan = {};
    const auto error = caught(comm_.rank(), [&] { step_.reader->transport->run(plan); });
    if (!failure_) failure_ = error;
  }

  /// Blocks that only the format can read: their owners hand them out.
  void read_opaque() {
    const auto is_opaque = [](const FileBlock& file) { return file.is_opaque; };
    if (std::ranges::none_of(blocks_.blocks(), is_opaque)) return;
    std::map<int, std::vector<Handout>> questions;
    for (std::size_t b = 0; b < wanted_.size() && !failure_; ++b) {
      if (!blocks_.blocks()[b].is_opaque || wanted_[b].empty()) continue;
      Handout question;
      question.block = b;
      question.rows = wanted_[b];
      questions[owner_of(b)].push_back(std::move(question));
    }
    std::map<int, std::vector<Handout>> asked;
    for (const Parcel& parcel : send(questions)) asked[parcel.rank] = unpack<std::vector<Handout>>(parcel.bytes);
    attempt([&] { answer(asked); });
    if (failure_) asked.clear();
    for (const Parcel& parcel : send(asked)) {
      attempt([&] {
        for (Handout& handout : unpack<std::vector<Handout>>(parcel.bytes)) receive(std::move(handout));
      });
    }
  }

  [[nodiscard]] Elements take() {
    agree(comm_, failure_);
    Elements elements;
    for (ElementBlock& block : out_) {
      if (!block.ids.empty()) elements.blocks.push_back(std::move(block));
    }
    elements.missing = std::move(missing_);
    elements.repeated = std::move(repeated_);
    return elements;
  }

 private:
  /// Work that may fail: the rank goes on taking part, and tells in the end.
  template <class Work>
  void attempt(Work&& work) {
    if (!failure_) failure_ = caught(comm_.rank(), work);
  }

  std::vector<Parcel> send(const std::map<int, std::vector<Handout>>& mail) {
    std::vector<Parcel> parcels;
    for (const auto& [rank, handouts] : mail) parcels.push_back({rank, pack(handouts)});
    return comm_.exchange(std::move(parcels));
  }

  /// The elements that this rank reads where nobody asks for ids.
  [[nodiscard]] Slice own_share() const {
    const std::uint64_t all = blocks_.elements();
    if (request_.partition == ElementPartition::everything) return {0, all};
    if (request_.weights.empty()) return even_slice(all, comm_.rank(), comm_.size());
    if (request_.weights.size() != static_cast<std::size_t>(comm_.size())) {
      throw Error(ErrorKind::usage, "there are " + std::to_string(request_.weights.size()) + " weights for " +
                                        std::to_string(comm_.size()) + " ranks");
    }
    return weighted_slice(all, comm_.rank(), request_.weights);
  }

  [[nodiscard]] int owner_of(std::size_t block) const {
    const FileBlock& file = blocks_.blocks()[block];
    return rank_of(file.first + file.count / 2, blocks_.elements(), comm_.size());
  }

  /// What this rank tells the others of the file: the elements of its even share, and of opaque blocks that it owns.
  [[nodiscard]] std::vector<ElementEntry> entries_of_share() {
    std::vector<ElementEntry> entries;
    const Slice share = even_slice(blocks_.elements(), comm_.rank(), comm_.size());
    std::vector<std::uint64_t> before(blocks_.blocks().size(), 0);
    std::vector<std::pair<ElementBlock, Slice>> read;
    bool has_mixed = false;
    const auto error = caught(comm_.rank(), [&] {
      for (std::size_t b = 0; b < before.size(); ++b) {
        const FileBlock& file = blocks_.blocks()[b];
        Slice rows = part_of(share, file.first, file.count);
        if (file.is_opaque) rows = {0, file.count > 0 && owner_of(b) == comm_.rank() ? file.count : 0};
        ElementBlock block = blocks_.empty(b);
        blocks_.read_elements(b, rows, block);
        if (file.uniform_count == 0 && !file.is_opaque) before[b] = block.offsets.back();
        read.emplace_back(std::move(block), rows);
      }
    });
    for (const FileBlock& file : blocks_.blocks()) {
      has_mixed = has_mixed || (file.uniform_count == 0 && !file.is_opaque);
    }
    if (has_mixed) comm_.prefix(before);
    if (error) throw Error(*error);
    for (std::size_t b = 0; b < before.size(); ++b) {
      const auto& [block, rows] = read[b];
      const std::size_t width = block.modes.empty() ? 0 : blocks_.directions(b);
      const std::uint64_t first =
          blocks_.blocks()[b].uniform_count == 0 ? before[b] : rows.first * blocks_.blocks()[b].uniform_count;
      for (std::size_t i = 0; i < block.ids.size(); ++i) {
        const auto modes = block.modes.begin() + static_cast<std::ptrdiff_t>(i * width);
        entries.push_back({.id = block.ids[i],
                           .block = b,
                           .row = rows.first + i,
                           .offset = first + block.offsets[i],
                           .count = block.offsets[i + 1] - block.offsets[i],
                           .modes = {modes, modes + static_cast<std::ptrdiff_t>(width)}});
      }
    }
    return entries;
  }

  /// Ids that were found twice with the same planes.
  void find_repeated(std::vector<ElementEntry> found) {
    std::ranges::stable_sort(found, {}, &ElementEntry::id);
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (!repeated_.empty() && repeated_.back() == found[i].id) continue;
      const Expansion& mine = blocks_.expansion(static_cast<std::size_t>(found[i].block));
      for (std::size_t j = i + 1; j < found.size() && found[j].id == found[i].id; ++j) {
        const Expansion& other = blocks_.expansion(static_cast<std::size_t>(found[j].block));
        if (mine.y_ids != other.y_ids || mine.z_ids != other.z_ids || mine.strip_ids != other.strip_ids) continue;
        repeated_.push_back(found[i].id);
        break;
      }
    }
  }

  /// Reads what others ask of the blocks of this rank: variable by variable in the order of the rows, for some formats
  /// can only go forward.
  void answer(std::map<int, std::vector<Handout>>& asked) {
    std::map<std::uint64_t, std::vector<Handout*>> of_block;
    for (auto& [rank, handouts] : asked) {
      for (Handout& handout : handouts) of_block[handout.block].push_back(&handout);
    }
    for (auto& [block, handouts] : of_block) {
      const auto b = static_cast<std::size_t>(block);
      ElementBlock all = blocks_.empty(b);
      blocks_.read_elements(b, {0, blocks_.blocks()[b].count}, all);
      for (Handout* handout : handouts) copy_elements(b, all, *handout);
      std::ranges::sort(handouts, {}, [](const Handout* handout) { return handout->rows.front().first; });
      for (std::size_t v = 0; v < all.variables.size(); ++v) {
        for (Handout* handout : handouts) read_values(b, v, all, *handout);
      }
    }
  }

  void copy_elements(std::size_t b, const ElementBlock& all, Handout& handout) const {
    const std::size_t width = all.modes.empty() ? 0 : blocks_.directions(b);
    handout.offsets.push_back(0);
    for (const Slice& rows : handout.rows) {
      for (std::uint64_t row = rows.first; row < rows.end(); ++row) {
        const auto i = static_cast<std::size_t>(row);
        handout.ids.push_back(all.ids[i]);
        handout.offsets.push_back(handout.offsets.back() + all.offsets[i + 1] - all.offsets[i]);
        const auto modes = all.modes.begin() + static_cast<std::ptrdiff_t>(i * width);
        handout.modes.insert(handout.modes.end(), modes, modes + static_cast<std::ptrdiff_t>(width));
      }
    }
  }

  void read_values(std::size_t b, std::size_t variable, const ElementBlock& all, Handout& handout) const {
    auto& values = handout.values.emplace_back(static_cast<std::size_t>(handout.offsets.back()));
    std::size_t done = 0;
    for (const Slice& rows : handout.rows) {
      const std::uint64_t first = all.offsets[static_cast<std::size_t>(rows.first)];
      const std::uint64_t count = all.offsets[static_cast<std::size_t>(rows.end())] - first;
      blocks_.read_opaque(b, variable, {first, count},
                          std::span(values).subspan(done, static_cast<std::size_t>(count)));
      done += static_cast<std::size_t>(count);
    }
  }

  void receive(Handout handout) {
    ElementBlock& out = out_[static_cast<std::size_t>(handout.block)];
    out.ids = std::move(handout.ids);
    out.modes = std::move(handout.modes);
    out.offsets = std::move(handout.offsets);
    out.values = std::move(handout.values);
  }

  const ReadStep::State& step_;
  const ElementRequest& request_;
  Comm& comm_;
  ElementBlocks blocks_;
  std::vector<std::vector<Slice>> wanted_;  ///< elements of each block
  std::vector<std::vector<Slice>> parts_;   ///< their coefficients, of addressed blocks
  std::vector<ElementBlock> out_;
  std::vector<std::uint32_t> missing_;
  std::vector<std::uint32_t> repeated_;
  std::optional<Error> failure_;
};

}  // namespace

Elements ReadStep::read_elements(const ElementRequest& request) const {
  Reader::State& reader = *state_->reader;
  require_open(reader);
  return in_file(reader, [&] {
    // Made from what all ranks say alike: it fails on all of them or on none.
    ElementReading reading(*state_, request);
    if (request.ids) {
      reading.choose_by_id();
    } else {
      reading.choose_by_partition();
    }
    reading.read_addressed();
    reading.read_opaque();
    return reading.take();
  });
}

}  // namespace quire
