#include "format/h5/phdf5/engine.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/attempts.hpp"
#include "format/h5/phdf5/library_calls.hpp"
#include "format/h5/phdf5/parallel_file.hpp"
#include "format/h5/phdf5/spaces.hpp"
#include "format/h5/phdf5/values.hpp"
#include "format/h5/structure.hpp"
#include "format/h5/types.hpp"
#include "quire/format/records.hpp"

namespace quire::h5 {
namespace {

/// A write: elements of a dataset of the file, and their place in memory.
struct Piece {
  Handle file;
  Handle memory;
  const void* data = nullptr;
  std::uint64_t bytes = 0;
};

/// Buffers for elements of a field that are not written from the caller's memory.
struct FieldBuffers {
  std::vector<std::byte> packed;     ///< consecutive
  std::vector<std::byte> converted;  ///< as stored
};

std::vector<std::string> names_of(const Table& table) {
  std::vector<std::string> names;
  for (const Column& column : table.columns) names.push_back(column.name);
  return names;
}

class ParallelEngine final : public StepEngine {
 public:
  ParallelEngine(EngineSettings settings, std::unique_ptr<EngineLayout> layout)
      : settings_(std::move(settings)), layout_(std::move(layout)) {}

  ~ParallelEngine() override {
    // A file that close() has not closed stays open until the library is closed: closing it would wait for other ranks.
    if (file_) abandon();
  }

  void open(const EngineFile& file, const EngineRanks& ranks) override {
    request_ = file;
    ranks_ = FileRanks(ranks);
    with_library([&] {
      const Handle access = ranks_.access_list(settings_);
      alone_ = ranks_.transfer_list(false);
      together_ = ranks_.transfer_list(settings_.is_collective);
      if (!file.is_new) {
        file_ = own(H5Fopen(file.path.c_str(), H5F_ACC_RDWR, access.id()), "open the HDF5 file");
        return;
      }
      const Handle creation = own(H5Pcreate(H5P_FILE_CREATE), "create a file creation list");
      require(H5Pset_obj_track_times(creation.id(), false), "turn off time stamps");
      file_ = own(H5Fcreate(file.path.c_str(), H5F_ACC_TRUNC, creation.id(), access.id()), "create the HDF5 file");
    });
  }

  void begin(const StepPart& mine, std::span<const std::uint64_t> before,
             std::span<const std::uint64_t> total) override {
    Attempts failure;
    if (is_broken_) failure.attempt([] { throw broken(); });
    before_.assign(before.begin(), before.end());
    if (!is_broken_) {
      failure.attempt([&] {
        with_library([&] {
          targets_ = layout_->make(file_.id(), mine, {total.begin(), total.end()});
          make_ready();
        });
      });
    }
    // If all ranks fail, they leave the same file; otherwise the state of the file in the library is unknown.
    const FileRanks::Votes failed = ranks_.count(failure.have_failed());
    is_begun_ = failed.yes == 0;
    is_broken_ = is_broken_ || (failed.yes != 0 && failed.yes != failed.ranks);
    failure.rethrow();
  }

  void write_tables(const StepPart& mine) override;
  void write_fields(const StepPart& mine) override;
  void write_rows(const StepPart& mine, std::size_t table, std::uint64_t first,
                  std::span<const ConstView> columns) override;
  void write_part(const StepPart& mine, std::size_t field, const Box& part,
                  std::span<const ConstView> components) override;
  [[nodiscard]] bool takes_parts() const noexcept override { return !settings_.is_filtered; }

  void publish(const StepPart& mine) override {
    with_library([&] {
      layout_->publish(file_.id(), mine.description, layout_ranks());
      if (request_.durable) require(H5Fflush(file_.id(), H5F_SCOPE_LOCAL), "flush the HDF5 file");
      forget();
    });
    is_begun_ = false;
  }

  void discard() override {
    if (is_broken_) return;
    with_library([&] {
      forget();
      layout_->discard(file_.id());
    });
    is_begun_ = false;
  }

  void close() override {
    if (!file_) return;
    if (is_broken_) {
      abandon();
      throw broken();
    }
    Attempts failure;
    with_library([&] {
      failure.attempt([&] {
        forget();
        layout_->discard(file_.id());
        layout_->finish(file_.id(), layout_ranks());
      });
      const hid_t id = file_.id();
      failure.attempt([&] { require(H5Fclose(id), "close the HDF5 file"); });
      file_.abandon();
      failure.rethrow();
    });
  }

  [[nodiscard]] EngineCounters counters() const noexcept override { return counters_; }

 private:
  [[nodiscard]] LayoutRanks layout_ranks() const {
    return {ranks_.is_root(), [this](std::vector<std::byte>& bytes) { ranks_.share(bytes); }};
  }

  [[nodiscard]] static Error broken() {
    return Error(ErrorKind::io, "parallel HDF5 failed on some ranks only: the file may be damaged")
        .advise("write it again");
  }

  void abandon() noexcept {
    for (EngineTarget& target : targets_) target.dataset.abandon();
    layout_->abandon();
    file_.abandon();
  }

  /// The size of a buffer for whole records.
  [[nodiscard]] std::uint64_t records_at_once(std::uint64_t record_bytes) const {
    return std::max<std::uint64_t>(1, request_.staging / std::max<std::uint64_t>(1, record_bytes));
  }
  [[nodiscard]] std::uint64_t rounds_of(const ValueStream& stream) const {
    if (stream.records() == 0 || stream.ready() != nullptr) return 1;
    const std::uint64_t at_once = records_at_once(stream.record_bytes());
    return (stream.records() - 1) / at_once + 1;
  }

  /// Creates everything that a rank needs to take part in the collective writes without data. It is called before the
  /// ranks agree that all have begun: a rank that fails afterwards can still take part.
  void make_ready();
  void forget() noexcept {
    nothing_.clear();
    targets_.clear();
  }
  /// Whether any rank has failed before the first collective call; with independent transfers, whether this rank has.
  /// `rounds_` then holds what the rank with the most records needs.
  [[nodiscard]] bool is_stopped(bool has_failed);
  /// Writes the result of `make`, or nothing if it fails, returns no value, or something failed before: other ranks may
  /// write, too. Returns the number of bytes written.
  template <class Make>
  std::uint64_t put_made(std::size_t target, Attempts& failure, Make&& make);

  /// The next records of a stream that has some left. `select` selects this number of rows in the dataspace of a
  /// dataset.
  template <class Select>
  [[nodiscard]] Piece next_rows(const EngineTarget& target, ValueStream& stream, std::uint64_t done, Select&& select);
  /// These elements of a field, if not empty, in the caller's memory or in the buffers.
  [[nodiscard]] std::optional<Piece> field_piece(const EngineTarget& target, const Field& field, const FieldPart& part,
                                                 FieldBuffers& buffers);
  /// Throws unsupported errors for parts that the ranks would have to encode together.
  void require_parts() const;
  void put(const EngineTarget& target, const Piece& piece, const Handle& transfer);

  EngineSettings settings_;
  std::unique_ptr<EngineLayout> layout_;
  EngineFile request_;
  FileRanks ranks_{EngineRanks{}};
  Handle file_;
  Handle alone_;
  Handle together_;
  std::vector<EngineTarget> targets_;
  /// For each target its dataspace with an empty selection; no value for an empty dataset: the library fails if all
  /// ranks select nothing of an empty dataspace.
  std::vector<std::optional<Piece>> nothing_;
  std::vector<std::uint64_t> rounds_;  ///< for each target the number of collective writes, and a word for failures
  std::vector<std::uint64_t> before_;
  std::vector<std::byte> buffer_;
  bool is_begun_ = false;
  bool is_broken_ = false;
  EngineCounters counters_;
};

void ParallelEngine::make_ready() {
  rounds_.assign(targets_.size() + 1, 0);
  nothing_.clear();
  for (const EngineTarget& target : targets_) {
    std::optional<Piece>& piece = nothing_.emplace_back();
    Handle space = own(H5Dget_space(target.dataset.id()), "read the shape", target.name);
    const hssize_t elements = require(H5Sget_simple_extent_npoints(space.id()), "read the shape", target.name);
    if (elements == 0) continue;
    piece.emplace();
    piece->file = std::move(space);
    piece->memory = space_of({1});
    require(H5Sselect_none(piece->file.id()), "select nothing");
    require(H5Sselect_none(piece->memory.id()), "select nothing");
  }
}

bool ParallelEngine::is_stopped(bool has_failed) {
  if (!settings_.is_collective) return has_failed;
  rounds_.back() = has_failed ? 1 : 0;
  ranks_.maximum(rounds_);
  return rounds_.back() != 0;
}

template <class Make>
std::uint64_t ParallelEngine::put_made(std::size_t target, Attempts& failure, Make&& make) {
  std::optional<Piece> made;
  failure.attempt([&] {
    if (!failure.have_failed()) made = make();
  });
  const Piece& piece = made ? *made : *nothing_[target];
  failure.attempt([&] { put(targets_[target], piece, together_); });
  return piece.bytes;
}

void ParallelEngine::put(const EngineTarget& target, const Piece& piece, const Handle& transfer) {
  const std::byte none{};
  const void* data = piece.data == nullptr ? &none : piece.data;
  const hid_t type = native_type(target.cells.front().type);
  require(H5Dwrite(target.dataset.id(), type, piece.memory.id(), piece.file.id(), transfer.id(), data),
          "write the values", target.name);
  if (piece.bytes == 0) return;
  ++counters_.writes;
  counters_.bytes_written += piece.bytes;
}

template <class Select>
Piece ParallelEngine::next_rows(const EngineTarget& target, ValueStream& stream, std::uint64_t done, Select&& select) {
  Piece piece;
  std::uint64_t records = stream.records();
  piece.data = stream.ready();
  if (piece.data == nullptr) {
    records = std::min(records - done, records_at_once(stream.record_bytes()));
    buffer_.resize(static_cast<std::size_t>(records * stream.record_bytes()));
    stream.next(buffer_);
    piece.data = buffer_.data();
  }
  piece.bytes = records * stream.record_bytes();
  piece.file = own(H5Dget_space(target.dataset.id()), "read the shape", target.name);
  select(piece.file.id(), records);
  piece.memory = space_of({records * target.cells.size()});
  return piece;
}

void ParallelEngine::write_tables(const StepPart& mine) {
  if (!is_begun_) return;
  Attempts failure;
  std::vector<ValueStream> streams;
  failure.attempt([&] {
    streams.resize(targets_.size());
    for (std::size_t i = 0; i < targets_.size(); ++i) {
      const EngineTarget& target = targets_[i];
      if (target.kind != EngineTarget::Kind::rows) continue;
      std::vector<ConstView> views;
      for (const Cell& cell : target.cells) views.push_back(mine.tables[target.index][cell.column]);
      const Table& table = mine.description.tables[target.index];
      streams[i] = ValueStream(target.cells, views, request_.lossy, names_of(table));
      rounds_[i] = rounds_of(streams[i]);
    }
  });
  with_library([&] {
    if (is_stopped(failure.have_failed())) return failure.rethrow();
    for (std::size_t i = 0; i < targets_.size(); ++i) {
      const EngineTarget& target = targets_[i];
      if (target.kind != EngineTarget::Kind::rows || !nothing_[i]) continue;
      const ChosenRows* chosen = mine.rows_chosen_of(target.index);
      std::optional<LineCursor> rows;
      failure.attempt([&] {
        if (chosen != nullptr) rows.emplace(chosen->walk);
      });
      std::uint64_t done = 0;
      const auto select = [&](hid_t space, std::uint64_t records) {
        if (rows) return select_rows(space, *rows, records);
        select_rows(space, target.first + before_[target.index] + done, records);
      };
      for (std::uint64_t round = 0; round < rounds_[i]; ++round) {
        const std::uint64_t bytes = put_made(i, failure, [&]() -> std::optional<Piece> {
          if (done >= streams[i].records()) return std::nullopt;
          return next_rows(target, streams[i], done, select);
        });
        done += bytes / std::max<std::uint64_t>(1, streams[i].record_bytes());
      }
    }
    failure.rethrow();
  });
}

void ParallelEngine::require_parts() const {
  if (takes_parts() && std::ranges::none_of(targets_, &EngineTarget::is_filtered)) return;
  throw Error(ErrorKind::unsupported, "parallel HDF5 cannot compress a step that ranks write block by block")
      .advise("engine=direct");
}

void ParallelEngine::write_rows(const StepPart& mine, std::size_t table, std::uint64_t first,
                                std::span<const ConstView> columns) {
  if (!is_begun_) return;
  require_parts();
  const std::vector<std::string> names = names_of(mine.description.tables[table]);
  with_library([&] {
    for (const EngineTarget& target : targets_) {
      if (target.kind != EngineTarget::Kind::rows || target.index != table) continue;
      std::vector<ConstView> views;
      for (const Cell& cell : target.cells) views.push_back(columns[cell.column]);
      ValueStream stream(target.cells, views, request_.lossy, names);
      std::uint64_t done = 0;
      while (done < stream.records()) {
        const Piece piece = next_rows(target, stream, done, [&](hid_t space, std::uint64_t records) {
          select_rows(space, target.first + before_[table] + first + done, records);
        });
        put(target, piece, alone_);
        done += piece.bytes / stream.record_bytes();
      }
    }
  });
}

std::optional<Piece> ParallelEngine::field_piece(const EngineTarget& target, const Field& field, const FieldPart& part,
                                                 FieldBuffers& buffers) {
  const Cell& cell = target.cells.front();
  ConstView view = part.views[static_cast<std::size_t>(cell.column)];
  Piece piece;
  piece.file = own(H5Dget_space(target.dataset.id()), "read the shape", target.name);
  select_elements(piece.file.id(), target.lead, field.extents, part.selection, field.name);
  const std::uint64_t elements = part.selection.elements();
  if (elements == 0) return std::nullopt;
  piece.bytes = elements * size_of(cell.type);
  const bool is_as_stored = view.type == cell.type && view.is_contiguous();
  if (is_as_stored && !part.memory.is_packed()) {
    piece.memory = space_of(part.memory.extents);
    select_elements(piece.memory.id(), {}, part.memory.extents, part.memory.selection, field.name);
    piece.data = view.data;
    return piece;
  }
  std::vector<std::byte>& packed = buffers.packed;
  if (!part.memory.is_packed()) {
    packed.resize(static_cast<std::size_t>(elements) * size_of(view.type));
    const View target_view(view.type, packed.data(), elements, static_cast<std::ptrdiff_t>(size_of(view.type)));
    pack_memory(part.memory, view, target_view);
    view = ConstView(view.type, packed.data(), elements, target_view.stride);
  }
  const std::vector<std::string> names(static_cast<std::size_t>(cell.column) + 1, field.name);
  ValueStream stream({cell}, std::span(&view, 1), request_.lossy, names);
  piece.memory = space_of({elements});
  piece.data = stream.ready();
  if (piece.data != nullptr) return piece;
  buffers.converted.resize(static_cast<std::size_t>(piece.bytes));
  stream.next(buffers.converted);
  piece.data = buffers.converted.data();
  return piece;
}

void ParallelEngine::write_fields(const StepPart& mine) {
  if (!is_begun_) return;
  Attempts failure;
  with_library([&] {
    for (std::size_t i = 0; i < targets_.size(); ++i) {
      const EngineTarget& target = targets_[i];
      if (target.kind != EngineTarget::Kind::field || !nothing_[i]) continue;
      const FieldPart& part = mine.fields[target.index];
      if (part.declared) continue;
      FieldBuffers buffers;
      put_made(i, failure, [&] { return field_piece(target, mine.description.fields[target.index], part, buffers); });
    }
    failure.rethrow();
  });
}

void ParallelEngine::write_part(const StepPart& mine, std::size_t field, const Box& part,
                                std::span<const ConstView> components) {
  if (!is_begun_) return;
  require_parts();
  const FieldPart values{part, {components.begin(), components.end()}, {}};
  with_library([&] {
    for (const EngineTarget& target : targets_) {
      if (target.kind != EngineTarget::Kind::field || target.index != field) continue;
      FieldBuffers buffers;
      if (const auto piece = field_piece(target, mine.description.fields[field], values, buffers)) {
        put(target, *piece, alone_);
      }
    }
  });
}

}  // namespace

bool has_phdf5() noexcept { return true; }

std::unique_ptr<StepEngine> make_engine(const EngineSettings& settings, std::unique_ptr<EngineLayout> layout) {
  if (!settings.is_phdf5) return nullptr;
  return std::make_unique<ParallelEngine>(settings, std::move(layout));
}

}  // namespace quire::h5
