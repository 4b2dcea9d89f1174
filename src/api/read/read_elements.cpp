#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <utility>

#include "api/read/element_blocks.hpp"
#include "api/read/element_directory.hpp"
#include "api/read/piece_lists.hpp"
#include "api/root.hpp"
#include "comm/agreement.hpp"
#include "quire/comm/partition.hpp"
#include "quire/format/format.hpp"
#include "quire/spi/base/archive.hpp"
#include "quire/spi/base/checked.hpp"

namespace quire {
namespace {

/// Adds rows to a rising list of slices, joining neighbours.
void append(std::vector<Slice>& slices, const Slice& slice) {
  if (slice.count == 0) return;
  if (!slices.empty() && slices.back().end() == slice.first) {
    slices.back().count += slice.count;
  } else {
    slices.push_back(slice);
  }
}

/// The part of a slice that is inside [first, first + count), relative to first.
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

/// The data of an opaque block that one rank has read for another.
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

/// A request to the rank that reads an opaque block for all.
struct Wish {
  Handout* handout = nullptr;
  Slice rows;  ///< of the piece
};

/// One call of read_elements_all() on one rank.
class ElementReading {
 public:
  ElementReading(const ReadStep::State& step, const ElementRequest& request)
      : step_(step), request_(request), comm_(step.reader->comm), blocks_(step, request.variables) {
    wanted_.resize(blocks_.blocks().size());
    parts_.resize(wanted_.size());
    for (std::size_t b = 0; b < wanted_.size(); ++b) out_.push_back(blocks_.empty(b));
  }

  /// If lists were withheld, the ranks receive the pieces with the elements that they examine first.
  void receive_lists() {
    if (!step_.is_partial) return;
    const bool for_all = !request_.ids && request_.partition == ElementPartition::everything;
    if (for_all) return receive_all_lists();
    std::vector<Parcel> parcels;
    if (comm_.is_root()) {
      attempt([&] {
        for (int rank = 1; rank < comm_.size(); ++rank) {
          const Slice share = share_of(rank);
          if (share.count > 0) parcels.push_back({rank, pack(share_of_lists(step_.layout, share))});
        }
      });
    }
    const std::vector<Parcel> received = comm_.exchange(std::move(parcels));
    if (comm_.is_root()) return;
    attempt([&] {
      const ListShare share = received.empty() ? ListShare{} : unpack<ListShare>(received.front().bytes);
      if (share_of(comm_.rank()).count > 0 && share.elements != share_of(comm_.rank())) {
        throw Error(ErrorKind::usage, "the ranks requested different partitions, or rank 0 has failed");
      }
      adopt(share);
    });
  }

  void choose_by_id() {
    std::vector<ElementEntry> known;
    const auto error = caught(comm_.rank(), [&] { known = entries_of_share(); });
    if (!failure_) failure_ = error;
    std::vector<ElementEntry> found = find_elements(comm_, known, *request_.ids, missing_);
    attempt([&] {
      for (const ElementEntry& entry : found) {
        const auto b = static_cast<std::size_t>(entry.block);
        if (blocks_.blocks()[b].is_opaque) {
          append(handed_[{entry.source, b}], {entry.row, 1});
          continue;
        }
        append(parts_[b], {entry.offset, entry.count});
        ElementBlock& out = out_[b];
        out.ids.push_back(entry.id);
        out.modes.insert(out.modes.end(), entry.modes.begin(), entry.modes.end());
        out.offsets.push_back(out.offsets.back() + entry.count);
      }
      set_pieces(found);
      find_repeated(std::move(found));
    });
  }

  void choose_by_partition() {
    std::vector<std::uint64_t> before(blocks_.blocks().size(), 0);
    std::vector<std::uint64_t> mixed(before.size(), 0);
    attempt([&] {
      const Slice share = share_of(comm_.rank());
      for (std::size_t b = 0; b < before.size(); ++b) {
        const FileBlock& file = blocks_.blocks()[b];
        append(wanted_[b], part_of(share, file.first, file.count));
        if (wanted_[b].empty()) continue;
        const Slice rows = wanted_[b].front();
        if (file.is_opaque) {
          for (const BlockPiece& piece : blocks_.pieces(b, rows)) {
            Slice some = part_of(rows, piece.rows.first, piece.rows.count);
            some.first += piece.rows.first;
            append(handed_[{holder_of(b, piece), b}], some);
          }
          continue;
        }
        blocks_.read_elements(b, rows, out_[b]);
        before[b] = rows.first * file.uniform_count;
        if (file.uniform_count == 0) mixed[b] = out_[b].offsets.back();
      }
    });
    // Shares are in the order of the ranks: those of the lower ones in a block precede.
    if (has_mixed()) comm_.prefix(mixed);
    for (std::size_t b = 0; b < before.size(); ++b) {
      if (wanted_[b].empty() || blocks_.blocks()[b].is_opaque) continue;
      if (blocks_.blocks()[b].uniform_count == 0) {
        before[b] = request_.partition == ElementPartition::everything ? 0 : mixed[b];
      }
      append(parts_[b], {before[b], out_[b].offsets.back()});
    }
  }

  /// Each rank reads its own coefficients, in one pass.
  void read_addressed() {
    ReadPlan plan = step_.reader->new_plan();
    attempt([&] {
      for (std::size_t b = 0; b < out_.size(); ++b) {
        if (!blocks_.blocks()[b].is_opaque) blocks_.plan_values(b, std::move(parts_[b]), out_[b], plan);
      }
      coalesce(plan);
    });
    // With a collective transport all ranks take part, also those that have failed.
    if (failure_) plan = {};
    const auto error = caught(comm_.rank(), [&] { step_.reader->transport->run(plan); });
    if (!failure_) failure_ = error;
  }

  /// Blocks that only the format can read: the rank that holds a piece sends it to the others.
  void read_opaque() {
    const auto is_opaque = [](const FileBlock& file) { return file.is_opaque; };
    if (std::ranges::none_of(blocks_.blocks(), is_opaque)) return;
    std::map<int, std::vector<Handout>> questions;
    for (const auto& [from, rows] : handed_) {
      if (failure_) break;
      Handout question;
      question.block = from.second;
      question.rows = rows;
      questions[from.first].push_back(std::move(question));
    }
    std::map<int, std::vector<Handout>> asked;
    for (const Parcel& parcel : send(questions)) asked[parcel.rank] = unpack<std::vector<Handout>>(parcel.bytes);
    attempt([&] { answer(asked); });
    if (failure_) asked.clear();
    // By rising ranks, which is the order of the pieces that they hold.
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
  /// Work that may fail: the rank still takes part in the collectives, and the error is reported at the end.
  template <class Work>
  void attempt(Work&& work) {
    if (!failure_) failure_ = caught(comm_.rank(), work);
  }

  std::vector<Parcel> send(const std::map<int, std::vector<Handout>>& mail) {
    std::vector<Parcel> parcels;
    for (const auto& [rank, handouts] : mail) parcels.push_back({rank, pack(handouts)});
    return comm_.exchange(std::move(parcels));
  }

  void receive_all_lists() {
    std::vector<std::byte> bytes;
    if (comm_.is_root()) attempt([&] { bytes = pack(share_of_lists(step_.layout, {0, blocks_.elements()})); });
    comm_.broadcast(bytes);
    if (comm_.is_root()) return;
    attempt([&] {
      if (bytes.empty()) throw Error(ErrorKind::memory, "rank 0 could not send the places of the blocks");
      adopt(unpack<ListShare>(bytes));
    });
  }

  void adopt(const ListShare& share) {
    layout_ = step_.layout;
    take_share(layout_, share);
    blocks_.use(layout_);
  }

  /// If lists are shared: sets the pieces with the coefficients of the elements that were found.
  void set_pieces(const std::vector<ElementEntry>& found) {
    if (!step_.is_partial || comm_.is_root()) return;
    std::map<std::uint64_t, std::vector<KnownPiece>> of_block;
    for (const ElementEntry& entry : found) {
      if (!entry.piece) continue;
      auto& known = of_block[entry.block];
      if (known.empty() || known.back().piece.first != entry.piece->piece.first) known.push_back(*entry.piece);
    }
    for (const auto& [block, known] : of_block) {
      const FileBlock& file = blocks_.blocks()[static_cast<std::size_t>(block)];
      set_known_pieces(layout_.tables[file.values].runs.front(), known);
    }
  }

  [[nodiscard]] bool has_mixed() const {
    return std::ranges::any_of(blocks_.blocks(),
                               [](const FileBlock& file) { return file.uniform_count == 0 && !file.is_opaque; });
  }

  /// The elements that a rank examines first: without ids, those that it reads.
  [[nodiscard]] Slice share_of(int rank) const {
    const std::uint64_t all = blocks_.elements();
    if (request_.ids) return even_slice(all, rank, comm_.size());
    if (request_.partition == ElementPartition::everything) return {0, all};
    if (request_.weights.empty()) return even_slice(all, rank, comm_.size());
    if (request_.weights.size() != static_cast<std::size_t>(comm_.size())) {
      throw Error(ErrorKind::usage, "there are " + std::to_string(request_.weights.size()) + " weights for " +
                                        std::to_string(comm_.size()) + " ranks");
    }
    return weighted_slice(all, rank, request_.weights);
  }

  /// The rank that reads a piece of an opaque block for all: the one whose share contains its middle.
  [[nodiscard]] int holder_of(std::size_t block, const BlockPiece& piece) {
    const std::uint64_t middle = blocks_.blocks()[block].first + piece.rows.first + piece.rows.count / 2;
    const bool by_weight =
        !request_.ids && request_.partition == ElementPartition::contiguous && !request_.weights.empty();
    if (!by_weight) return rank_of(middle, blocks_.elements(), comm_.size());
    if (share_ends_.empty()) {
      for (int rank = 0; rank < comm_.size(); ++rank) share_ends_.push_back(share_of(rank).end());
    }
    return static_cast<int>(std::ranges::upper_bound(share_ends_, middle) - share_ends_.begin());
  }

  /// The pieces of an opaque block that this rank reads for all, and their rows.
  [[nodiscard]] std::vector<BlockPiece> held_pieces(std::size_t b) {
    const FileBlock& file = blocks_.blocks()[b];
    Slice share = share_of(comm_.rank());
    if (!request_.ids && request_.partition == ElementPartition::everything) {
      share = even_slice(blocks_.elements(), comm_.rank(), comm_.size());
    }
    const Slice part = part_of(share, file.first, file.count);
    std::vector<BlockPiece> held = blocks_.pieces(b, part);
    std::erase_if(held, [&](const BlockPiece& piece) { return holder_of(b, piece) != comm_.rank(); });
    return held;
  }

  /// The entries that this rank sends to others: the elements of its even share, and of opaque pieces that it holds.
  [[nodiscard]] std::vector<ElementEntry> entries_of_share() {
    std::vector<ElementEntry> entries;
    const Slice share = share_of(comm_.rank());
    std::vector<std::uint64_t> before(blocks_.blocks().size(), 0);
    std::vector<std::pair<ElementBlock, Slice>> read;
    const auto error = caught(comm_.rank(), [&] {
      if (failure_) throw Error(*failure_);
      for (std::size_t b = 0; b < before.size(); ++b) {
        const FileBlock& file = blocks_.blocks()[b];
        Slice rows = part_of(share, file.first, file.count);
        if (file.is_opaque) {
          const std::vector<BlockPiece> held = held_pieces(b);
          rows = {};
          if (!held.empty()) rows = {held.front().rows.first, held.back().rows.end() - held.front().rows.first};
        }
        ElementBlock block = blocks_.empty(b);
        blocks_.read_elements(b, rows, block);
        if (file.uniform_count == 0 && !file.is_opaque) before[b] = block.offsets.back();
        read.emplace_back(std::move(block), rows);
      }
    });
    if (has_mixed()) comm_.prefix(before);
    if (error) throw Error(*error);
    for (std::size_t b = 0; b < before.size(); ++b) add_entries(b, read[b].first, read[b].second, before[b], entries);
    return entries;
  }

  void add_entries(std::size_t b, const ElementBlock& block, const Slice& rows, std::uint64_t before,
                   std::vector<ElementEntry>& entries) const {
    const FileBlock& file = blocks_.blocks()[b];
    const std::size_t width = block.modes.empty() ? 0 : blocks_.directions(b);
    const std::uint64_t first = file.uniform_count == 0 ? before : rows.first * file.uniform_count;
    const Run& values = blocks_.layout().tables[file.values].runs.front();
    const bool sends_pieces = step_.is_partial && !file.is_opaque && !values.pieces.empty();
    for (std::size_t i = 0; i < block.ids.size(); ++i) {
      const auto modes = block.modes.begin() + static_cast<std::ptrdiff_t>(i * width);
      ElementEntry& entry = entries.emplace_back();
      entry.id = block.ids[i];
      entry.block = b;
      entry.row = rows.first + i;
      entry.offset = first + block.offsets[i];
      entry.count = block.offsets[i + 1] - block.offsets[i];
      entry.modes = {modes, modes + static_cast<std::ptrdiff_t>(width)};
      entry.source = comm_.rank();
      if (sends_pieces) entry.piece = piece_with(values, entry.offset);
    }
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

  /// Reads the requested rows of the pieces that this rank holds, one piece after another.
  void answer(std::map<int, std::vector<Handout>>& asked) {
    std::map<std::uint64_t, std::vector<Handout*>> of_block;
    for (auto& [rank, handouts] : asked) {
      for (Handout& handout : handouts) of_block[handout.block].push_back(&handout);
    }
    for (auto& [block, handouts] : of_block) {
      const auto b = static_cast<std::size_t>(block);
      const std::vector<BlockPiece> held = held_pieces(b);
      std::map<std::size_t, std::vector<Wish>> of_piece;
      for (Handout* handout : handouts) {
        handout->offsets.push_back(0);
        handout->values.resize(out_[b].variables.size());
        for (const Slice& rows : handout->rows) share_out(rows, held, handout, of_piece);
      }
      for (auto& [piece, wishes] : of_piece) answer_from(b, held[piece], wishes);
    }
  }

  /// Assigns requested rows to pieces.
  static void share_out(const Slice& rows, const std::vector<BlockPiece>& held, Handout* handout,
                        std::map<std::size_t, std::vector<Wish>>& of_piece) {
    const auto begin_of = [](const BlockPiece& piece) { return piece.rows.first; };
    const auto next = std::ranges::upper_bound(held, rows.first, {}, begin_of);
    if (next == held.begin()) throw Error(ErrorKind::internal, "a rank was asked for a piece that it does not hold");
    for (auto piece = next - 1; piece != held.end() && piece->rows.first < rows.end(); ++piece) {
      const Slice part = part_of(rows, piece->rows.first, piece->rows.count);
      of_piece[static_cast<std::size_t>(piece - held.begin())].push_back({handout, part});
    }
  }

  /// Variable by variable in the order of the rows, because some formats can only read forward.
  void answer_from(std::size_t b, const BlockPiece& piece, std::vector<Wish>& wishes) {
    ElementBlock all = blocks_.empty(b);
    blocks_.read_elements(b, piece.rows, all);
    std::ranges::stable_sort(wishes, {}, [](const Wish& wish) { return wish.rows.first; });
    for (const Wish& wish : wishes) copy_elements(b, all, wish);
    for (std::size_t v = 0; v < all.variables.size(); ++v) {
      for (const Wish& wish : wishes) {
        const std::uint64_t first = all.offsets[static_cast<std::size_t>(wish.rows.first)];
        const std::uint64_t count = all.offsets[static_cast<std::size_t>(wish.rows.end())] - first;
        std::vector<double>& values = wish.handout->values[v];
        const std::size_t done = values.size();
        values.resize(done + static_cast<std::size_t>(count));
        blocks_.read_opaque(b, v, {piece.coefficient + first, count}, std::span(values).subspan(done));
      }
    }
  }

  void copy_elements(std::size_t b, const ElementBlock& all, const Wish& wish) const {
    const std::size_t width = all.modes.empty() ? 0 : blocks_.directions(b);
    Handout& handout = *wish.handout;
    for (std::uint64_t row = wish.rows.first; row < wish.rows.end(); ++row) {
      const auto i = static_cast<std::size_t>(row);
      handout.ids.push_back(all.ids[i]);
      handout.offsets.push_back(handout.offsets.back() + all.offsets[i + 1] - all.offsets[i]);
      const auto modes = all.modes.begin() + static_cast<std::ptrdiff_t>(i * width);
      handout.modes.insert(handout.modes.end(), modes, modes + static_cast<std::ptrdiff_t>(width));
    }
  }

  void receive(Handout handout) {
    ElementBlock& out = out_[static_cast<std::size_t>(handout.block)];
    const std::uint64_t before = out.offsets.back();
    out.ids.insert(out.ids.end(), handout.ids.begin(), handout.ids.end());
    out.modes.insert(out.modes.end(), handout.modes.begin(), handout.modes.end());
    for (std::size_t i = 1; i < handout.offsets.size(); ++i) out.offsets.push_back(before + handout.offsets[i]);
    for (std::size_t v = 0; v < out.values.size(); ++v) {
      std::vector<double>& values = out.values[v];
      if (values.empty()) {
        values = std::move(handout.values.at(v));
      } else {
        values.insert(values.end(), handout.values.at(v).begin(), handout.values.at(v).end());
      }
    }
  }

  const ReadStep::State& step_;
  const ElementRequest& request_;
  Comm& comm_;
  ElementBlocks blocks_;
  StepLayout layout_;                       ///< on ranks other than 0, with the received lists
  std::vector<std::vector<Slice>> wanted_;  ///< elements of each block, without ids
  std::vector<std::vector<Slice>> parts_;   ///< their coefficients, of addressed blocks
  std::vector<std::uint64_t> share_ends_;   ///< of shares by weight, computed when needed
  std::map<std::pair<int, std::size_t>, std::vector<Slice>> handed_;  ///< by holder and opaque block: the elements
  std::vector<ElementBlock> out_;
  std::vector<std::uint32_t> missing_;
  std::vector<std::uint32_t> repeated_;
  std::optional<Error> failure_;
};

/// The parts of a request that must be the same on all ranks: they determine the number of collectives.
std::string in_words(const ElementRequest& request) {
  std::string words = "elements";
  if (request.ids) {
    words += " by their ids";
  } else if (request.partition == ElementPartition::everything) {
    words += " without exception";
  }
  for (const double weight : request.weights) {
    std::array<char, 32> text{};
    const auto end = std::to_chars(text.data(), text.data() + text.size(), weight).ptr;
    words += (words.find(" by weights ") == std::string::npos ? " by weights " : ", ") + std::string(text.data(), end);
  }
  for (const std::string& variable : request.variables) {
    words += (&variable == request.variables.data() ? " with \"" : ", \"") + variable + "\"";
  }
  return words;
}

/// Throws a missing error for a step of a format that holds no elements; one that holds some may have none in a step.
void refuse_without_elements(const ReadStep::State& step) {
  const auto is_expanded = [](const Table& table) { return table.expansion.has_value(); };
  const Format& format = *step.reader->format;
  if (format.holds_elements || std::ranges::any_of(step.layout.description.tables, is_expanded)) return;
  std::string names;
  for (const Format* other : formats()) {
    if (other->holds_elements) names += (names.empty() ? "format=" : " or ") + std::string(other->name);
  }
  throw Error(ErrorKind::missing, "there are no elements here: this is a file of the format " +
                                      std::string(format.name) + ", which holds none")
      .advise("if it should hold some, " + names + " reports what is wrong with it");
}

}  // namespace

Elements ReadStep::read_elements_all(const ElementRequest& request, const std::optional<Error>& refusal) const {
  Reader::State& reader = *state_->reader;
  require_open(reader);
  return in_file(reader, [&] {
    synchronize_readers(reader);
    agree_on_call(reader.comm, in_words(request), refusal);
    refuse_without_elements(*state_);
    // Depends only on what is the same on all ranks: it fails on all of them or on none.
    ElementReading reading(*state_, request);
    reading.receive_lists();
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
