#include "format/records_chunked.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "format/chunk_grid.hpp"
#include "format/records_fixed.hpp"
#include "format/records_runs.hpp"
#include "kernels/codec.hpp"
#include "plan/chunk_cache.hpp"
#include "quire/base/error.hpp"

namespace quire {
namespace {

/// A wanted part of a line.
struct ChunkPiece {
  std::uint64_t record = 0;    ///< number of the first record in the run
  std::uint64_t position = 0;  ///< in the chunk
  std::uint64_t row = 0;       ///< in the columns
  std::uint64_t count = 0;
};

/// Slices of records whose values are consecutive in memory.
class WantedRecords {
 public:
  explicit WantedRecords(std::span<const Slice> slices) : slices_(slices.begin(), slices.end()) {
    for (const Slice& slice : slices_) {
      first_rows_.push_back(rows_);
      rows_ += slice.count;
    }
  }

  /// The number of records.
  [[nodiscard]] std::uint64_t rows() const noexcept { return rows_; }

  /// Calls `use(ChunkPiece)` for each wanted part of a line, in order, until it returns false; then returns false, too.
  /// `cursor` is the current slice, for consecutive lines; it begins with 0.
  template <class Use>
  bool for_each_piece(const ChunkLine& line, std::size_t& cursor, Use&& use) const {
    const std::uint64_t end = line.record + line.count;
    if (cursor < slices_.size() && slices_[cursor].end() <= line.record) {
      const auto from = slices_.begin() + static_cast<std::ptrdiff_t>(cursor);
      const auto next =
          std::partition_point(from, slices_.end(), [&](const Slice& slice) { return slice.end() <= line.record; });
      cursor = static_cast<std::size_t>(next - slices_.begin());
    }
    for (std::size_t i = cursor; i < slices_.size() && slices_[i].first < end; ++i) {
      const std::uint64_t first = std::max(slices_[i].first, line.record);
      const std::uint64_t count = std::min(slices_[i].end(), end) - first;
      if (!use(ChunkPiece{first, line.position + first - line.record, first_rows_[i] + first - slices_[i].first,
                          count})) {
        return false;
      }
    }
    return true;
  }

 private:
  std::vector<Slice> slices_;
  std::vector<std::uint64_t> first_rows_;
  std::uint64_t rows_ = 0;
};

class ChunkReader;

/// The readers of one plan take turns: only one of them holds memory for a chunk.
struct Turns {
  ChunkReader* holder = nullptr;
};

/// The state that all chunks of one run share in one plan.
class ChunkReader {
 public:
  ChunkReader(const Run& run, std::span<const Slice> slices, const std::vector<WantedColumn>& columns,
              std::shared_ptr<Turns> turns, std::shared_ptr<ChunkCache> cache);
  ChunkReader(const ChunkReader&) = delete;
  ChunkReader& operator=(const ChunkReader&) = delete;
  ~ChunkReader() {
    if (turns_->holder == this) turns_->holder = nullptr;
  }

  [[nodiscard]] const ChunkGrid& grid() const noexcept { return grid_; }
  [[nodiscard]] const std::shared_ptr<Turns>& turns() const noexcept { return turns_; }

  /// Calls `use(ChunkPiece)` for each wanted part of a chunk, until it returns false.
  template <class Use>
  void for_each_piece(std::uint64_t chunk, Use&& use) const {
    if (!sinks_[static_cast<std::size_t>(chunk % grid_.cell_chunks())]) return;
    std::size_t cursor = 0;
    grid_.for_each_line(chunk, [&](const ChunkLine& line) { return records_.for_each_piece(line, cursor, use); });
  }
  [[nodiscard]] bool is_wanted(std::uint64_t chunk) const;
  /// True if the chunk is stored without filters.
  [[nodiscard]] bool is_plain(const Chunk& place) const noexcept;
  /// The caller's memory for a piece, if its bytes are the same in the file and in memory.
  [[nodiscard]] std::byte* ready_memory(const ChunkPiece& piece) const noexcept;

  /// Puts plain records of a chunk into the columns.
  void take(std::uint64_t chunk, const ChunkPiece& piece, const std::byte* in) {
    sink_of(chunk).take(piece.row, static_cast<std::size_t>(piece.count), in, piece.record);
  }
  /// Undoes the filters of a whole chunk and stores its wanted records in the columns.
  void take(std::uint64_t chunk, const Chunk& place, std::span<const std::byte> in);
  /// The same for a chunk in the cache. False if the chunk is not cached.
  [[nodiscard]] bool take_kept(std::uint64_t chunk, const Chunk& place);
  /// Sets the records of a chunk that was never written to the fill value.
  void fill(std::uint64_t chunk);

 private:
  [[nodiscard]] RecordSink& sink_of(std::uint64_t chunk) {
    return *sinks_[static_cast<std::size_t>(chunk % grid_.cell_chunks())];
  }
  void decode(std::uint64_t chunk, const Chunk& place, std::span<const std::byte> in, std::span<std::byte> out);
  /// Decodes a chunk into the cache if it fits there, else into memory of this reader.
  [[nodiscard]] std::span<const std::byte> decoded(std::uint64_t chunk, const Chunk& place,
                                                   std::span<const std::byte> in);
  /// Stores the wanted records of a decoded chunk in the columns.
  void deliver(std::uint64_t chunk, std::span<const std::byte> decoded);
  void take_turn();
  void release() noexcept {
    codec_.reset();
    decoded_ = {};
  }

  ChunkGrid grid_;
  WantedRecords records_;
  std::shared_ptr<const ChunkedLayout> array_;  ///< without its table of chunks
  std::shared_ptr<Turns> turns_;
  std::shared_ptr<ChunkCache> cache_;
  std::optional<kernels::Codec> codec_;           ///< like the memory below, only during this reader's turn
  std::vector<std::optional<RecordSink>> sinks_;  ///< for each place along the axis of the cells
  std::optional<View> ready_;                     ///< the one column, if its bytes are those of the chunks
  std::string object_;
  std::vector<std::byte> decoded_;
};

/// The cells of a record that one chunk holds, and the columns for them.
std::optional<RecordSink> make_sink(const Run& run, const ChunkGrid& grid, std::uint64_t cell_chunk,
                                    const std::vector<WantedColumn>& columns, std::uint64_t rows) {
  const bool is_split = run.record_bytes != run.chunks->element_bytes;
  const std::uint64_t first = cell_chunk * grid.chunk_cells();
  std::vector<kernels::CellShape> shapes;
  std::vector<TargetColumn> targets;
  std::size_t offset = 0;
  for (std::size_t cell = 0; cell < run.cells.size(); ++cell) {
    const bool is_here = !is_split || (cell >= first && cell - first < grid.chunk_cells());
    if (!is_here) continue;
    for (const WantedColumn& wanted : columns) {
      if (wanted.cell != cell) continue;
      shapes.push_back(cell_shape(run.cells[cell], offset, run.order));
      targets.push_back(wanted.target);
    }
    offset += static_cast<std::size_t>(bytes_of(run.cells[cell]));
  }
  if (shapes.empty()) return std::nullopt;
  return RecordSink(kernels::RecordShape(static_cast<std::size_t>(grid.record_bytes()), shapes), std::move(targets),
                    rows);
}

ChunkReader::ChunkReader(const Run& run, std::span<const Slice> slices, const std::vector<WantedColumn>& columns,
                         std::shared_ptr<Turns> turns, std::shared_ptr<ChunkCache> cache)
    : grid_(run),
      records_(slices),
      array_(cache ? cache->layout_of(*run.chunks) : without_table(*run.chunks)),
      turns_(std::move(turns)),
      cache_(std::move(cache)),
      codec_(array_->filters),
      object_(columns.front().target.object()) {
  for (std::uint64_t i = 0; i < grid_.cell_chunks(); ++i) {
    sinks_.push_back(make_sink(run, grid_, i, columns, records_.rows()));
  }
  const TargetColumn& column = columns.front().target;
  const Cell& cell = run.cells.front();
  if (run.cells.size() == 1 && columns.size() == 1 && column.scratch_bytes() == 0 && column.view().is_contiguous() &&
      kernels::code_for(cell.type, run.order) == kernels::CellCode::copy &&
      size_of(cell.type) == grid_.record_bytes()) {
    ready_ = column.view();
  }
}

bool ChunkReader::is_wanted(std::uint64_t chunk) const {
  bool found = false;
  for_each_piece(chunk, [&](const ChunkPiece& /*piece*/) { return !(found = true); });
  return found;
}

bool ChunkReader::is_plain(const Chunk& place) const noexcept {
  const std::uint64_t all = (std::uint64_t{1} << array_->filters.size()) - 1;
  return (place.filter_mask & all) == all;
}

std::byte* ChunkReader::ready_memory(const ChunkPiece& piece) const noexcept {
  return ready_ ? ready_->data + static_cast<std::ptrdiff_t>(piece.row) * ready_->stride : nullptr;
}

void ChunkReader::take_turn() {
  if (turns_->holder != nullptr && turns_->holder != this) turns_->holder->release();
  turns_->holder = this;
  if (!codec_) codec_.emplace(array_->filters);
}

void ChunkReader::decode(std::uint64_t chunk, const Chunk& place, std::span<const std::byte> in,
                         std::span<std::byte> out) {
  try {
    codec_->decode(place.filter_mask, in, out);
  } catch (const Error& error) {
    throw Error(error.kind(), grid_.name(chunk) + ": " + error.message()).on(object_).at(error.offset().value_or(0));
  }
}

std::span<const std::byte> ChunkReader::decoded(std::uint64_t chunk, const Chunk& place,
                                                std::span<const std::byte> in) {
  const auto bytes = static_cast<std::size_t>(grid_.chunk_bytes());
  const auto fill = [&](std::span<std::byte> out) { decode(chunk, place, in, out); };
  if (cache_ && cache_->takes(bytes)) return cache_->add(array_, place, bytes, fill);
  decoded_.resize(bytes);
  fill(decoded_);
  return decoded_;
}

void ChunkReader::deliver(std::uint64_t chunk, std::span<const std::byte> decoded) {
  for_each_piece(chunk, [&](const ChunkPiece& piece) {
    take(chunk, piece, decoded.data() + piece.position * grid_.record_bytes());
    return true;
  });
}

void ChunkReader::take(std::uint64_t chunk, const Chunk& place, std::span<const std::byte> in) {
  take_turn();
  bool is_done = false;
  if (ready_) {
    // A chunk whose records are read directly into the columns needs no other memory, and is read only once.
    for_each_piece(chunk, [&](const ChunkPiece& piece) {
      is_done = piece.count == grid_.chunk_records();
      if (is_done) decode(chunk, place, in, {ready_memory(piece), static_cast<std::size_t>(grid_.chunk_bytes())});
      return false;
    });
  }
  if (!is_done) deliver(chunk, decoded(chunk, place, in));
}

bool ChunkReader::take_kept(std::uint64_t chunk, const Chunk& place) {
  if (!cache_) return false;
  const auto kept = cache_->find(*array_, place);
  if (!kept) return false;
  try {
    deliver(chunk, *kept);
  } catch (Error& error) {
    // The offset is the same as if the chunk had been read.
    throw error.at(place.offset + error.offset().value_or(0));
  }
  return true;
}

void ChunkReader::fill(std::uint64_t chunk) {
  // Without memory the plan is not executed, only inspected.
  if (!std::ranges::all_of(sink_of(chunk).columns(), &TargetColumn::has_memory)) return;
  const std::vector<std::byte>& fill = array_->fill;
  constexpr std::uint64_t most_records = 1024;
  const std::uint64_t at_once = std::min(grid_.chunk_records(), most_records);
  std::vector<std::byte> block(static_cast<std::size_t>(at_once * grid_.record_bytes()), std::byte{0});
  for (std::size_t i = 0; !fill.empty() && i < block.size(); ++i) block[i] = fill[i % fill.size()];
  for_each_piece(chunk, [&](ChunkPiece piece) {
    for (std::uint64_t left = piece.count; left > 0; left -= piece.count) {
      piece.count = std::min(left, at_once);
      take(chunk, piece, block.data());
      piece.record += piece.count;
      piece.row += piece.count;
    }
    return true;
  });
}

/// One filtered chunk, or one whose records are scattered: needed as a whole.
class ChunkDecoder final : public Decoder {
 public:
  ChunkDecoder(std::shared_ptr<ChunkReader> reader, std::uint64_t chunk, const Chunk& place)
      : reader_(std::move(reader)), chunk_(chunk), place_(place), bytes_(static_cast<std::size_t>(place.bytes)) {}

  [[nodiscard]] const ChunkReader& reader() const noexcept { return *reader_; }

  [[nodiscard]] std::size_t decode(std::uint64_t position, std::span<const std::byte> in) override {
    if (position == 0 && in.size() == bytes_) {
      reader_->take(chunk_, place_, in);
      return in.size();
    }
    // The transport's pieces are smaller than the chunk.
    if (position == 0) held_.reserve(bytes_);
    held_.insert(held_.end(), in.begin(), in.end());
    if (held_.size() == bytes_) {
      reader_->take(chunk_, place_, held_);
      held_ = {};
    }
    return in.size();
  }

 private:
  std::shared_ptr<ChunkReader> reader_;
  std::uint64_t chunk_;
  Chunk place_;
  std::size_t bytes_;
  std::vector<std::byte> held_;
};

/// Records of a chunk that is stored without filters.
class PieceDecoder final : public Decoder {
 public:
  PieceDecoder(std::shared_ptr<ChunkReader> reader, std::uint64_t chunk, const ChunkPiece& piece)
      : reader_(std::move(reader)), chunk_(chunk), piece_(piece) {}

  [[nodiscard]] std::size_t decode(std::uint64_t position, std::span<const std::byte> in) override {
    const std::uint64_t record = reader_->grid().record_bytes();
    const std::uint64_t done = position / record;
    const std::uint64_t count = std::min(in.size() / record, piece_.count - done);
    reader_->take(chunk_, {piece_.record + done, piece_.position + done, piece_.row + done, count}, in.data());
    return static_cast<std::size_t>(count * record);
  }

 private:
  std::shared_ptr<ChunkReader> reader_;
  std::uint64_t chunk_;
  ChunkPiece piece_;
};

void add_plain(ReadPlan& plan, const std::shared_ptr<ChunkReader>& reader, std::uint64_t chunk, const Chunk& place) {
  const std::uint64_t record = reader->grid().record_bytes();
  reader->for_each_piece(chunk, [&](const ChunkPiece& piece) {
    const std::uint64_t offset = place.offset + piece.position * record;
    const std::uint64_t length = piece.count * record;
    if (std::byte* memory = reader->ready_memory(piece)) {
      plan.add(offset, {memory, static_cast<std::size_t>(length)});
    } else {
      plan.add(offset, length, std::make_shared<PieceDecoder>(reader, chunk, piece));
    }
    return true;
  });
}

/// The turns of the chunks that the plan reads already; new ones if it reads none.
std::shared_ptr<Turns> turns_of(const ReadPlan& plan) {
  for (std::size_t i = plan.extents.size(); i-- > 0;) {
    const auto* decoder = std::get_if<std::shared_ptr<Decoder>>(&plan.extents[i].target);
    const auto* known = decoder == nullptr ? nullptr : dynamic_cast<const ChunkDecoder*>(decoder->get());
    if (known != nullptr) return known->reader().turns();
  }
  return std::make_shared<Turns>();
}

}  // namespace

void add_chunked(ReadPlan& plan, const Run& run, std::span<const Slice> slices,
                 const std::vector<WantedColumn>& columns) {
  const auto reader = std::make_shared<ChunkReader>(run, slices, columns, turns_of(plan), plan.cache);
  const ChunkGrid& grid = reader->grid();
  const std::uint64_t end = grid.end_chunk(slices.back().end() - 1);
  for (std::uint64_t chunk = grid.first_chunk(slices.front().first); chunk < end; ++chunk) {
    if (!reader->is_wanted(chunk)) continue;
    const Chunk& place = run.chunks->chunks[static_cast<std::size_t>(chunk)];
    if (place.bytes == 0) {
      reader->fill(chunk);
    } else if (reader->is_plain(place) && grid.is_line() && place.bytes == grid.chunk_bytes()) {
      add_plain(plan, reader, chunk, place);
    } else if (!reader->take_kept(chunk, place)) {
      plan.add(place.offset, place.bytes, std::make_shared<ChunkDecoder>(reader, chunk, place));
    }
  }
}

}  // namespace quire
