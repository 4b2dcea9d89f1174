// Reads described values through the parallel HDF5 library, which finds them by the paths of their datasets.

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <utility>
#include <variant>

#include "base/attempts.hpp"
#include "format/h5/chunking.hpp"
#include "format/h5/chunks.hpp"
#include "format/h5/datasets.hpp"
#include "format/h5/phdf5/engine.hpp"
#include "format/h5/phdf5/library_calls.hpp"
#include "format/h5/phdf5/parallel_file.hpp"
#include "format/h5/phdf5/spaces.hpp"
#include "format/h5/types.hpp"
#include "quire/base/checked.hpp"
#include "quire/format/records.hpp"
#include "quire/kernels/copy.hpp"

namespace quire::h5 {
namespace {

/// The size of a buffer for records that are read at once and then unpacked.
constexpr std::uint64_t buffer_bytes = std::uint64_t{8} << 20;

/// The position of a column or component in a dataset.
struct Axes {
  std::vector<std::uint64_t> shape;  ///< of the dataset
  std::vector<std::uint64_t> lead;   ///< the indices on leading axes
  bool is_cell = false;              ///< it is one of the cells along a last axis
};

/// A selection of elements of a dataset, and their place in memory.
struct Prepared {
  const EngineRead* read = nullptr;
  Handle dataset;
  Handle file;
  Handle memory;
  std::uint64_t elements = 0;
  bool is_together = false;             ///< all ranks read it in one collective call
  std::unique_ptr<std::byte[]> buffer;  ///< values as stored, if they must be converted
  std::byte* data = nullptr;            ///< the buffer, or the destination

  [[nodiscard]] std::uint64_t bytes() const noexcept { return elements * size_of(read->type); }
};

/// Rows of a dataset whose last axis are cells: some columns, and those between them.
struct Records {
  Handle dataset;
  std::vector<std::uint64_t> shape;
  std::vector<const EngineRead*> reads;  ///< of the same rows
  std::uint64_t first = 0;               ///< of the cells
  std::uint64_t cells = 0;
  bool is_together = false;  ///< all ranks read it in one collective call

  [[nodiscard]] const EngineRead& any() const noexcept { return *reads.front(); }
  [[nodiscard]] std::uint64_t rows() const { return any().selection.elements(); }
  [[nodiscard]] std::uint64_t record_bytes() const noexcept { return cells * size_of(any().type); }
  [[nodiscard]] std::uint64_t rows_at_once() const noexcept {
    return std::max<std::uint64_t>(1, buffer_bytes / record_bytes());
  }
  void add(const EngineRead& read) {
    const std::uint64_t end = reads.empty() ? read.part + 1 : std::max(first + cells, read.part + 1);
    first = reads.empty() ? read.part : std::min(first, read.part);
    cells = end - first;
    reads.push_back(&read);
  }
};

/// Takes a number of rows from a walk, or the remaining ones if there are fewer.
class RowTaker {
 public:
  explicit RowTaker(SelectionWalk walk) : walk_(std::move(walk)) {}
  [[nodiscard]] Selection take(std::uint64_t count) {
    std::vector<Hyperslab> parts;
    while (count > 0) {
      if (left_.count == 0) {
        const auto line = walk_.next();
        if (!line) break;
        left_ = *line;
      }
      const std::uint64_t some = std::min(count, left_.count);
      parts.push_back({.start = {left_.first}, .stride = {left_.step}, .count = {some}, .block = {1}});
      left_.first += some * left_.step;
      left_.count -= some;
      count -= some;
    }
    return Selection(std::move(parts));
  }

 private:
  SelectionWalk walk_;
  Line left_;
};

/// Copies values from a buffer to their destinations.
void unpack(const ReadPlan& plan, const std::byte* buffer) {
  for (const ReadExtent& extent : plan.extents) {
    const std::span<const std::byte> bytes(buffer + extent.offset, static_cast<std::size_t>(extent.length));
    if (const auto* memory = std::get_if<std::byte*>(&extent.target)) {
      kernels::copy_bytes(*memory, bytes.data(), bytes.size());
      continue;
    }
    Decoder& decoder = *std::get<std::shared_ptr<Decoder>>(extent.target);
    for (std::size_t done = 0; done < bytes.size();) {
      const std::size_t taken = decoder.decode(done, bytes.subspan(done));
      if (taken == 0) throw Error(ErrorKind::internal, "a decoder takes no bytes");
      done += taken;
    }
  }
}

/// Describes records of equal cells as stored in a buffer.
Run run_of(Type type, std::uint64_t records, std::uint64_t cells) {
  Run run;
  run.records = records;
  run.record_bytes = cells * size_of(type);
  run.bytes = run.records * run.record_bytes;
  for (std::uint64_t cell = 0; cell < cells; ++cell) run.cells.push_back({.column = cell, .type = type});
  return run;
}

/// Whether the dataset has exactly this type, and the library can decode it.
bool is_readable(hid_t dataset, const EngineRead& read) {
  const Handle type = own(H5Dget_type(dataset), "read the type", read.object);
  const H5T_class_t kind = H5Tget_class(type.id());
  if ((kind != H5T_INTEGER && kind != H5T_FLOAT) || H5Tget_size(type.id()) != size_of(read.type)) return false;
  const Handle space = own(H5Dget_space(dataset), "read the shape", read.object);
  if (H5Sget_simple_extent_type(space.id()) != H5S_SIMPLE) return false;
  const Handle creation = own(H5Dget_create_plist(dataset), "read the layout", read.object);
  const int filters = require(H5Pget_nfilters(creation.id()), "read the filters", read.object);
  for (int i = 0; i < filters; ++i) {
    unsigned flags = 0;
    std::size_t parameters = 0;
    const H5Z_filter_t filter = require(
        H5Pget_filter2(creation.id(), static_cast<unsigned>(i), &flags, &parameters, nullptr, 0, nullptr, nullptr),
        "read the filters", read.object);
    if (H5Zfilter_avail(filter) <= 0) return false;
  }
  return true;
}

/// No value if the dataset has another shape.
std::optional<Axes> axes_of(std::vector<std::uint64_t> shape, const EngineRead& read) {
  const std::vector<std::uint64_t>& extents = read.extents;
  if (shape.size() < extents.size()) return std::nullopt;
  const std::size_t more = shape.size() - extents.size();
  Axes axes{std::move(shape), {}};
  if (read.is_cell && more == 1 && axes.shape.front() == extents.front() && read.part < axes.shape.back()) {
    axes.is_cell = true;
    return axes;
  }
  if (!std::equal(extents.begin(), extents.end(), axes.shape.begin() + static_cast<std::ptrdiff_t>(more))) {
    return std::nullopt;
  }
  axes.lead.assign(more, 0);
  const auto in_front = std::span(axes.shape).first(more);
  if (std::ranges::all_of(in_front, [](std::uint64_t extent) { return extent == 1; })) return axes;
  if (read.is_cell || more != 1 || read.part >= axes.shape.front()) return std::nullopt;
  axes.lead = {read.part};
  return axes;
}

class ParallelReader final : public ReadEngine {
 public:
  explicit ParallelReader(EngineSettings settings) : settings_(std::move(settings)) {}

  ~ParallelReader() override {
    // A file that close() has not closed stays open until the library is closed: closing it would wait for other ranks.
    const Quiet quiet;
    forget();
    file_.abandon();
  }

  void open(const EngineSource& source, const EngineRanks& ranks) override {
    source_ = source;
    const Quiet quiet;
    ranks_ = FileRanks(ranks);
    register_filters();
    const Handle access = ranks_.access_list(settings_);
    together_ = ranks_.transfer_list(settings_.is_collective);
    alone_ = ranks_.transfer_list(false);
    file_ = own(H5Fopen(source.path.c_str(), H5F_ACC_RDONLY, access.id()), "open the HDF5 file");
  }

  [[nodiscard]] bool is_collective() const noexcept override { return settings_.is_collective; }

  [[nodiscard]] std::vector<bool> prepare(std::span<const EngineRead> reads) override {
    const Quiet quiet;
    forget();
    std::vector<bool> taken(reads.size());
    Attempts failure;
    for (std::size_t i = 0; i < reads.size(); ++i) {
      failure.attempt([&] {
        Handle dataset =
            own(H5Dopen2(file_.id(), reads[i].path.c_str(), H5P_DEFAULT), "open the dataset", reads[i].object);
        if (!is_readable(dataset.id(), reads[i])) return;
        auto axes = axes_of(extents_of(dataset.id(), reads[i].object), reads[i]);
        if (!axes) return;
        taken[i] = true;
        // The library fails if all ranks select nothing of an empty dataspace.
        if (volume(axes->shape) == 0) return;
        if (axes->is_cell) return add_to_records(reads[i], std::move(dataset), *axes);
        prepared_.push_back(prepared(reads[i], std::move(dataset), *axes));
      });
    }
    failure.attempt([&] {
      std::uint64_t most = 0;
      for (const Records& one : records_) {
        most = std::max(most, std::min(one.rows(), one.rows_at_once()) * one.record_bytes());
      }
      buffer_.resize(static_cast<std::size_t>(std::max<std::uint64_t>(1, most)));
    });
    failure.rethrow();
    return taken;
  }

  void read() override {
    const Quiet quiet;
    Attempts failure;
    for (const Prepared& one : prepared_) {
      failure.attempt([&] { transfer(one); });
    }
    for (const Prepared& one : prepared_) {
      if (one.buffer && !failure.have_failed()) failure.attempt([&] { convert(one); });
    }
    read_records(failure);
    forget();
    failure.rethrow();
  }

  void close() override {
    if (!file_) return;
    const Quiet quiet;
    forget();
    const hid_t id = file_.id();
    file_.abandon();
    require(H5Fclose(id), "close the HDF5 file");
  }

  [[nodiscard]] EngineCounters counters() const noexcept override { return counters_; }

 private:
  /// Whether ranks may read a dataset collectively. HDF5 1.10 uses the undefined address of missing chunks: MPI fails
  /// on the ranks that read them, and the other ranks wait forever.
  [[nodiscard]] bool reads_together(hid_t dataset, const EngineRead& read) const {
    return settings_.is_collective && !lacks_chunks(dataset, read.object);
  }
  [[nodiscard]] hid_t transfer_list(bool is_together) const noexcept {
    return is_together ? together_.id() : alone_.id();
  }

  void forget() noexcept {
    prepared_.clear();
    records_.clear();
  }

  [[nodiscard]] Prepared prepared(const EngineRead& read, Handle dataset, const Axes& axes) const {
    Prepared one;
    one.read = &read;
    one.is_together = reads_together(dataset.id(), read);
    one.dataset = std::move(dataset);
    one.file = own(H5Dget_space(one.dataset.id()), "read the shape", read.object);
    select_elements(one.file.id(), axes.lead, read.extents, read.selection, read.object);
    one.elements = read.selection.elements();
    if (one.elements == 0) {
      one.memory = space_of({1});
      require(H5Sselect_none(one.memory.id()), "select nothing");
      return one;
    }
    const bool is_as_stored = read.out.type == read.type && read.out.is_contiguous();
    one.data = read.out.data;
    if (is_as_stored && !read.memory.is_packed()) {
      one.memory = space_of(read.memory.extents);
      select_elements(one.memory.id(), {}, read.memory.extents, read.memory.selection, read.object);
      return one;
    }
    one.memory = space_of({one.elements});
    if (is_as_stored) return one;
    if (checked_multiply(one.elements, size_of(read.type)) > source_.memory_budget) {
      throw Error(ErrorKind::memory, "the values to be converted take more than the memory budget")
          .on(read.object)
          .advise("read them as they are stored, or in parts, or by engine=direct");
    }
    one.buffer = std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(one.bytes()));
    one.data = one.buffer.get();
    return one;
  }

  void transfer(const Prepared& one) {
    if (one.elements == 0 && !one.is_together) return;
    std::byte none{};
    void* data = one.elements == 0 ? &none : one.data;
    require(H5Dread(one.dataset.id(), native_type(one.read->type), one.memory.id(), one.file.id(),
                    transfer_list(one.is_together), data),
            "read the values", one.read->object);
    if (one.elements == 0) return;
    ++counters_.reads;
    counters_.bytes_read += one.bytes();
  }

  /// Copies values from the buffer to their destinations, treating the buffer as a file.
  void convert(const Prepared& one) const {
    const ColumnTarget target{.column = 0, .view = one.read->out, .object = one.read->object};
    ReadPlan plan;
    add_selection(plan, {{run_of(one.read->type, one.elements, 1)}},
                  SelectionWalk({one.elements}, Box{{0}, {one.elements}}), std::span(&target, 1), one.read->memory,
                  source_.lossy);
    unpack(plan, one.buffer.get());
  }

  void add_to_records(const EngineRead& read, Handle dataset, const Axes& axes) {
    read.selection.check(read.extents);
    auto found = std::ranges::find_if(records_, [&](const Records& one) { return one.any().path == read.path; });
    if (found == records_.end()) {
      Records& fresh = records_.emplace_back();
      fresh.is_together = reads_together(dataset.id(), read);
      fresh.dataset = std::move(dataset);
      fresh.shape = axes.shape;
      fresh.add(read);
    } else {
      found->add(read);
    }
  }

  /// Reads records block by block. If ranks read collectively, all of them read as many blocks as the rank with the
  /// most.
  void read_records(Attempts& failure) {
    std::vector<std::uint64_t> rounds;
    for (const Records& one : records_) {
      const std::uint64_t rows = one.rows();
      rounds.push_back(rows == 0 ? 0 : (rows - 1) / one.rows_at_once() + 1);
    }
    if (settings_.is_collective && !rounds.empty()) ranks_.maximum(rounds);
    for (std::size_t i = 0; i < records_.size(); ++i) {
      RowTaker taker(SelectionWalk(records_[i].any().extents, records_[i].any().selection));
      std::uint64_t done = 0;
      for (std::uint64_t round = 0; round < rounds[i]; ++round) {
        failure.attempt([&] { done += read_block(records_[i], taker, done, failure.have_failed()); });
      }
    }
  }

  /// Reads the next rows, `done` of which are already in memory, and returns their number. After a failure they stay in
  /// the buffer.
  std::uint64_t read_block(const Records& records, RowTaker& taker, std::uint64_t done, bool has_failed) {
    const EngineRead& any = records.any();
    const Selection rows = taker.take(records.rows_at_once());
    const std::uint64_t count = rows.elements();
    const Handle file = own(H5Dget_space(records.dataset.id()), "read the shape", any.object);
    std::vector<Hyperslab> parts = rows.parts();
    for (Hyperslab& part : parts) {
      part.start.push_back(records.first);
      part.stride.push_back(records.cells);
      part.count.push_back(1);
      part.block.push_back(records.cells);
    }
    select_elements(file.id(), {}, records.shape, Selection(std::move(parts)), any.object);
    const Handle memory = space_of({std::max<std::uint64_t>(1, count * records.cells)});
    if (count == 0) require(H5Sselect_none(memory.id()), "select nothing");
    require(H5Dread(records.dataset.id(), native_type(any.type), memory.id(), file.id(),
                    transfer_list(records.is_together), buffer_.data()),
            "read the values", any.object);
    if (count == 0) return 0;
    ++counters_.reads;
    counters_.bytes_read += count * records.record_bytes();
    if (has_failed) return count;
    std::vector<ColumnTarget> targets;
    for (const EngineRead* read : records.reads) {
      View out = read->out;
      out.data += static_cast<std::ptrdiff_t>(done) * out.stride;
      out.count = count;
      targets.push_back({.column = read->part - records.first, .view = out, .object = read->object});
    }
    ReadPlan plan;
    add_rows(plan, {{run_of(any.type, count, records.cells)}}, {0, count}, targets, source_.lossy);
    unpack(plan, buffer_.data());
    return count;
  }

  EngineSettings settings_;
  EngineSource source_;
  FileRanks ranks_{EngineRanks{}};
  Handle file_;
  Handle together_;
  Handle alone_;
  std::vector<Prepared> prepared_;
  std::vector<Records> records_;
  std::vector<std::byte> buffer_;
  EngineCounters counters_;
};

}  // namespace

std::unique_ptr<ReadEngine> make_read_engine(const EngineSettings& settings) {
  if (!settings.is_phdf5) return nullptr;
  return std::make_unique<ParallelReader>(settings);
}

}  // namespace quire::h5
