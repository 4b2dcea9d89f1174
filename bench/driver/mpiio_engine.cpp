// Plain MPI-IO as a program would call it: one file that is opened by all ranks, independent or collective calls.

#include <mpi.h>

#include <algorithm>
#include <array>
#include <limits>

#include "driver/engine.hpp"
#include "driver/pieces.hpp"
#include "driver/share_targets.hpp"
#include "quire/base/error.hpp"
#include "quire/comm/mpi.hpp"

namespace quire::bench {
namespace {

void require(int code, const std::string& action, const std::string& path) {
  if (code == MPI_SUCCESS) return;
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  MPI_Error_string(code, text.data(), &length);
  throw Error(ErrorKind::io, "cannot " + action + ": " + std::string(text.data(), static_cast<std::size_t>(length)))
      .in_file(path);
}

/// Hints for MPI-IO: all options of a method.
class Hints {
 public:
  explicit Hints(const CellMethod& method) {
    MPI_Info_create(&info_);
    for (const auto& [name, value] : method.options) MPI_Info_set(info_, name.c_str(), value.c_str());
  }
  ~Hints() { MPI_Info_free(&info_); }
  Hints(const Hints&) = delete;
  Hints& operator=(const Hints&) = delete;
  [[nodiscard]] MPI_Info get() const noexcept { return info_; }

 private:
  MPI_Info info_ = MPI_INFO_NULL;
};

/// A file of all ranks. What is collective by itself must be called by all of them.
class MpiFile {
 public:
  /// Collective.
  MpiFile(const Comm& comm, const std::string& path, int mode, const CellMethod& method)
      : path_(path), together_(method.transfer == "collective") {
    const Hints hints(method);
    require(MPI_File_open(mpi_handle(comm), path.c_str(), mode, hints.get(), &file_), "open", path);
  }
  MpiFile(const MpiFile&) = delete;
  MpiFile& operator=(const MpiFile&) = delete;
  ~MpiFile() {
    if (file_ != MPI_FILE_NULL) MPI_File_close(&file_);
  }

  /// Collective. From here on offset 0 is `first`, and only the places of the type count.
  void view(std::uint64_t first, MPI_Datatype places) {
    require(MPI_File_set_view(file_, static_cast<MPI_Offset>(first), MPI_DOUBLE, places, "native", MPI_INFO_NULL),
            "set the view", path_);
  }
  /// Collective if the method is. `count` values of a type, at an offset in those of the view.
  void write(std::uint64_t offset, const void* from, int count, MPI_Datatype type, TransportCounters& counters) {
    MPI_Status status;
    const auto at = static_cast<MPI_Offset>(offset);
    require(together_ ? MPI_File_write_at_all(file_, at, from, count, type, &status)
                      : MPI_File_write_at(file_, at, from, count, type, &status),
            "write", path_);
    if (const std::uint64_t bytes = moved(status, count, type, "written"); bytes > 0) counters.count_write(bytes);
  }
  void read(std::uint64_t offset, void* into, int count, MPI_Datatype type, TransportCounters& counters) {
    MPI_Status status;
    const auto at = static_cast<MPI_Offset>(offset);
    require(together_ ? MPI_File_read_at_all(file_, at, into, count, type, &status)
                      : MPI_File_read_at(file_, at, into, count, type, &status),
            "read", path_);
    if (const std::uint64_t bytes = moved(status, count, type, "read"); bytes > 0) counters.count_read(bytes);
  }
  /// Collective.
  void close() { require(MPI_File_close(&file_), "close", path_); }

 private:
  [[nodiscard]] std::uint64_t moved(const MPI_Status& status, int count, MPI_Datatype type, const char* what) const {
    int done = 0;
    MPI_Get_count(&status, type, &done);
    if (count > 0 && done != count) throw Error(ErrorKind::io, std::string("not all was ") + what).in_file(path_);
    int size = 0;
    MPI_Type_size(type, &size);
    return static_cast<std::uint64_t>(count) * static_cast<std::uint64_t>(size);
  }

  std::string path_;
  bool together_;
  MPI_File file_ = MPI_FILE_NULL;
};

constexpr int writing = MPI_MODE_WRONLY | MPI_MODE_CREATE;
constexpr int reading = MPI_MODE_RDONLY;

/// What both kinds of engines have in common: the file, the phases, the calls.
template <class Base>
class MpiEngine : public Base {
 public:
  using Base::Base;
  void write(const std::string& folder, Trial& trial) override {
    with_file(folder, writing, trial, [&](MpiFile& file, TransportCounters& counters) {
      this->write_each(trial, [&](std::uint64_t s) { write_step(file, s, counters); });
    });
  }
  void rewrite(const std::string& folder, Trial& trial) override { write(folder, trial); }
  void read(const std::string& folder, Trial& trial) override {
    with_file(folder, reading, trial, [&](MpiFile& file, TransportCounters& counters) {
      trial.time(Phase::data, [&] {
        for (std::uint64_t s = 0; s < this->steps(); ++s) read_step(file, s, counters);
      });
    });
  }

 protected:
  virtual void write_step(MpiFile& file, std::uint64_t step, TransportCounters& counters) = 0;
  virtual void read_step(MpiFile& file, std::uint64_t step, TransportCounters& counters) = 0;

  template <class Move>
  void with_file(const std::string& folder, int mode, Trial& trial, const Move& move) {
    TransportCounters counters;
    std::optional<MpiFile> file;
    trial.time(Phase::create, [&] { file.emplace(this->comm(), folder + "/data", mode, this->task().method); });
    ++counters.opens;
    counters.creates += mode == writing && this->comm().is_root() ? 1 : 0;
    move(*file, counters);
    trial.time(Phase::close, [&] { file->close(); });
    count_calls(trial, counters);
  }
};

/// The bytes of each writer in one place. Collective calls move 1 GiB of each rank at most.
class MpiByteEngine final : public MpiEngine<Engine> {
 public:
  explicit MpiByteEngine(Task given) : MpiEngine(std::move(given)), layout_(cell(), true) {}

  void prepare_writing() override {
    source_ = make_source(ShareMemory::Order::together);
    rounds_ = rounds_of({{comm().rank(), 0, layout_.bytes_of(comm().rank())}});
  }
  void verify(const std::string& folder) override {
    const int neighbour = (comm().rank() + 1) % comm().size();
    set_targets({{neighbour, 0, layout_.bytes_of(neighbour)}});
    Trial trial;
    read(folder, trial);
    check_read();
  }
  void prepare_reading(const std::string& /*folder*/) override {
    set_targets(pieces_of(cell(), comm().rank(), comm().size()));
  }
  void check_read() override {
    for (const auto& target : targets_) target->check(cell());
  }
  [[nodiscard]] std::optional<std::uint64_t> predicted_bytes() const override { return layout_.total_size(); }

 private:
  static constexpr std::uint64_t largest_call = 1ULL << 30;

  void write_step(MpiFile& file, std::uint64_t step, TransportCounters& counters) override {
    const std::uint64_t place = layout_.place(comm().rank(), step);
    const auto bytes = source_->bytes();
    for (std::uint64_t round = 0; round < rounds_; ++round) {
      const std::uint64_t at = std::min<std::uint64_t>(round * largest_call, bytes.size());
      const std::uint64_t length = std::min(largest_call, bytes.size() - at);
      file.write(place + at, bytes.data() + at, static_cast<int>(length), MPI_BYTE, counters);
    }
  }

  void read_step(MpiFile& file, std::uint64_t step, TransportCounters& counters) override {
    const PieceMemory& target = *targets_[step];
    std::uint64_t done = 0;
    for (std::size_t p = 0; p < target.pieces().size(); ++p) {
      const Piece& piece = target.pieces()[p];
      const auto bytes = target.bytes(p);
      for (std::uint64_t at = 0; at < piece.length; at += largest_call, ++done) {
        const std::uint64_t length = std::min(largest_call, piece.length - at);
        file.read(layout_.place(piece.writer, step) + piece.offset + at, bytes.data() + at, static_cast<int>(length),
                  MPI_BYTE, counters);
      }
    }
    // Others may have more to read together.
    for (; done < rounds_; ++done) file.read(0, nullptr, 0, MPI_BYTE, counters);
  }

  /// Collective. How many calls the rank with the most needs.
  std::uint64_t rounds_of(const std::vector<Piece>& pieces) {
    std::array<std::uint64_t, 1> rounds{};
    for (const Piece& piece : pieces) rounds[0] += (piece.length + largest_call - 1) / largest_call;
    comm().maximum(rounds);
    return rounds[0];
  }

  void set_targets(const std::vector<Piece>& pieces) {
    targets_.clear();
    for (std::uint64_t s = 0; s < steps(); ++s) {
      targets_.push_back(std::make_unique<PieceMemory>(pieces));
      targets_.back()->forget();
    }
    rounds_ = rounds_of(pieces);
  }

  ByteLayout layout_;
  std::uint64_t rounds_ = 0;
  std::shared_ptr<const ShareMemory> source_;
  std::vector<std::unique_ptr<PieceMemory>> targets_;
};

/// A rank's part of an array of numbers, as places in a file.
class Places {
 public:
  Places(const std::vector<std::uint64_t>& extents, const Share& share) {
    if (share.items > std::numeric_limits<int>::max()) {
      throw Error(ErrorKind::unsupported, "a rank has more elements of a field than a call of MPI-IO takes");
    }
    MPI_Type_dup(MPI_DOUBLE, &type_);
    if (share.items > 0) {
      const Hyperslab& slab = share.selection.parts().front();
      std::uint64_t apart = sizeof(double);
      for (std::size_t axis = extents.size(); axis-- > 0;) {
        grow(static_cast<int>(slab.count[axis]), static_cast<MPI_Aint>(slab.stride[axis] * apart));
        first_ += slab.start[axis] * apart;
        apart *= extents[axis];
      }
    }
    MPI_Type_commit(&type_);
  }
  ~Places() { MPI_Type_free(&type_); }
  Places(const Places&) = delete;
  Places& operator=(const Places&) = delete;

  [[nodiscard]] MPI_Datatype type() const noexcept { return type_; }
  /// Offset of the first element from the beginning of the array.
  [[nodiscard]] std::uint64_t first() const noexcept { return first_; }

 private:
  void grow(int count, MPI_Aint stride) {
    MPI_Datatype old = type_;
    MPI_Type_create_hvector(count, 1, stride, old, &type_);
    MPI_Type_free(&old);
  }

  MPI_Datatype type_ = MPI_DATATYPE_NULL;
  std::uint64_t first_ = 0;
};

/// Fields as consecutive arrays in the order of their elements.
class MpiFieldEngine final : public MpiEngine<ShareEngine> {
 public:
  explicit MpiFieldEngine(Task given) : MpiEngine(std::move(given), ShareMemory::Order::together) {}

  [[nodiscard]] std::optional<std::uint64_t> predicted_bytes() const override { return payload_of(cell().data); }

 private:
  void write_step(MpiFile& file, std::uint64_t step, TransportCounters& counters) override {
    const Share& share = source().share();
    const Places places(cell().data.extents, share);
    for (std::size_t q = 0; q < share.quantities(); ++q) {
      file.view(array(step, q) + places.first(), places.type());
      file.write(0, source().quantity(q).data(), static_cast<int>(share.items), MPI_DOUBLE, counters);
    }
  }
  void read_step(MpiFile& file, std::uint64_t step, TransportCounters& counters) override {
    const ShareMemory& target = targets().of_step(step);
    const Share& share = target.share();
    const Places places(cell().data.extents, share);
    for (std::size_t q = 0; q < targets().wanted(); ++q) {
      file.view(array(step, q) + places.first(), places.type());
      file.read(0, target.quantity(q).data(), static_cast<int>(share.items), MPI_DOUBLE, counters);
    }
  }

  /// Where an array begins.
  [[nodiscard]] std::uint64_t array(std::uint64_t step, std::size_t quantity) const {
    const Case& data = cell().data;
    return (step * data.fields * data.components + quantity) * volume(data.extents) * sizeof(double);
  }
};

}  // namespace

std::unique_ptr<Engine> make_mpiio_engine(Task task) {
  if (task.cell.data.kind == Case::Kind::field) return std::make_unique<MpiFieldEngine>(std::move(task));
  return std::make_unique<MpiByteEngine>(std::move(task));
}

}  // namespace quire::bench
