#include <array>
#include <utility>

#include "base/stopwatch.hpp"
#include "quire/comm/mpi.hpp"
#include "transport/factory.hpp"
#include "transport/failure.hpp"
#include "transport/file_transport.hpp"
#include "transport/mpi_file.hpp"
#include "transport/read_pieces.hpp"
#include "transport/write_pieces.hpp"

namespace quire {
namespace {

/// Collective MPI-IO: the ranks agree on a number of rounds, and each round is one collective call in which every rank
/// has a piece or nothing. If all ranks together have less than a staging buffer, or only small pieces, each rank moves
/// its own bytes independently, because collective calls cost more than they save.
///
/// Has two handles: one on all ranks for run(), opened by the first run that moves bytes, and one of this rank alone
/// for everything else. Waits inside MPI-IO neither yield nor check the deadline.
class MpiCollectiveTransport final : public FileTransport {
 public:
  MpiCollectiveTransport(std::unique_ptr<RawFile> file, FileRequest request, Comm comm)
      : FileTransport(std::move(file)), request_(std::move(request)), comm_(std::move(comm)) {
    request_.creates = false;  // done by the independent handle of rank 0
  }

  [[nodiscard]] bool is_collective() const noexcept override { return true; }

  void run(const WritePlan& mine) override {
    FirstFailure failure(request_.path);
    std::optional<WritePieces> pieces;
    std::span<std::byte> buffer;
    failure.attempt([&] {
      pieces.emplace(mine, file().limits(), Gather::small, file().counters());
      buffer = staging().provide(pieces->buffer_bytes());
    });
    const Agreement agreement = agree_on_rounds(failure, pieces ? pieces->count() : 0, mine.bytes());
    if (!agreement.worthwhile) {
      failure.attempt([&] {
        while (const auto piece = pieces->next(buffer)) file().write(piece->offset, piece->bytes);
      });
    }
    for (std::uint64_t round = 0; agreement.worthwhile && round < agreement.rounds; ++round) {
      WritePiece piece;
      failure.attempt([&] { piece = pieces->next(buffer).value_or(WritePiece{}); });
      failure.attempt_always([&] { write_together(piece); });
    }
    failure.rethrow();
  }

  void run(const ReadPlan& mine) override {
    comes_again_ = false;
    FirstFailure failure(request_.path);
    std::optional<ReadPieces> pieces;
    failure.attempt([&] { pieces.emplace(mine, file().limits(), staging(), file().counters()); });
    const Agreement agreement = agree_on_rounds(failure, pieces ? pieces->count() : 0, mine.bytes(), mine.goes_on);
    // Further plans mostly have small pieces: if this one was too small for collective calls, they will be, too.
    comes_again_ = agreement.goes_on && agreement.worthwhile;
    if (!agreement.worthwhile) {
      failure.attempt([&] {
        while (const auto piece = pieces->next()) pieces->take(file().read(piece->offset, piece->memory));
      });
    }
    for (std::uint64_t round = 0; agreement.worthwhile && round < agreement.rounds; ++round) {
      std::optional<ReadPiece> piece;
      std::size_t read = 0;
      failure.attempt([&] { piece = pieces->next(); });
      failure.attempt_always([&] { read = read_together(piece.value_or(ReadPiece{})); });
      failure.attempt([&] {
        if (piece) pieces->take(read);
      });
    }
    failure.rethrow();
  }

  [[nodiscard]] bool comes_again() const noexcept override { return comes_again_; }

  void close() override {
    FirstFailure failure(request_.path);
    if (!is_closed_) failure.attempt([&] { close_together(); });
    is_closed_ = true;
    failure.attempt([&] { together_.close(); });
    failure.attempt_always([&] { FileTransport::close(); });
    failure.attempt_always([&] { comm_.let_go(); });
    failure.rethrow();
  }

 private:
  /// The words of the allreduce: every rank receives the maximum of each.
  enum Word : std::size_t { most_pieces, most_bytes, closing, moving, going_on, words };
  /// The result of the allreduce, the same on all ranks.
  struct Agreement {
    std::uint64_t rounds = 0;
    bool worthwhile = false;
    bool goes_on = false;
  };

  /// The largest number of pieces of any rank. Opens the file collectively if collective calls are worthwhile.
  Agreement agree_on_rounds(const FirstFailure& failure, std::uint64_t pieces, std::uint64_t bytes,
                            bool goes_on = false) {
    require_usable();
    std::array<std::uint64_t, words> most{};
    if (!failure.error()) most = {pieces, bytes};
    most[moving] = 1;
    most[going_on] = goes_on ? 1 : 0;
    comm_.maximum(most);
    if (most[closing] != 0) {
      throw Error(ErrorKind::aborted, "this rank closes the file while others move bytes of it")
          .in_file(request_.path)
          .from_rank(static_cast<int>(most[closing] - 1));
    }
    const auto ranks = static_cast<std::uint64_t>(comm_.size());
    // A collective call for each piece pays if pieces are large; small ones are moved independently.
    const bool are_large = most[most_bytes] >= most[most_pieces] * (file().limits().direct_from / 4);
    const bool worthwhile = are_large && most[most_bytes] > file().limits().staging / ranks;
    const Agreement agreement{most[most_pieces], worthwhile, most[going_on] != 0};
    if (agreement.worthwhile && !together_.is_open()) open_together();
    return agreement;
  }

  /// Returns when every rank is in close(). Ranks that still move bytes are notified that this one has closed, and
  /// throw.
  void close_together() {
    std::array<std::uint64_t, words> most{};
    do {
      most = {};
      most[closing] = static_cast<std::uint64_t>(comm_.rank()) + 1;
      comm_.maximum(most);
    } while (most[moving] != 0);
  }

  /// If the open fails on any rank, no rank transfers now or later, because the ranks would make different calls.
  void open_together() {
    // The barrier prevents ranks from spinning inside MPI while others are busy elsewhere.
    comm_.barrier();
    FirstFailure failure(request_.path);
    failure.attempt([&] {
      const Stopwatch stopwatch(file().counters().transfer_seconds);
      together_.open(mpi_handle(comm_), request_);
      ++file().counters().opens;
    });
    std::uint64_t failed = failure.error() ? 1 : 0;
    comm_.maximum(std::span(&failed, 1));
    usable_ = failed == 0;
    failure.rethrow();
    require_usable();
  }

  void require_usable() const {
    if (!usable_) throw Error(ErrorKind::io, "a rank could not open the file collectively").in_file(request_.path);
  }

  void write_together(const WritePiece& piece) {
    TransportCounters& counters = file().counters();
    const Stopwatch stopwatch(counters.transfer_seconds);
    MPI_Status status;
    file().note_change();  // even without own bytes: it may write for others
    together_.check("write",
                    MPI_File_write_at_all(together_.get(), static_cast<MPI_Offset>(piece.offset), piece.bytes.data(),
                                          static_cast<int>(piece.bytes.size()), MPI_BYTE, &status),
                    piece.offset);
    if (piece.bytes.empty()) return;
    const std::size_t written = bytes_moved(status);
    counters.count_write(written);
    if (written == piece.bytes.size()) return;
    throw Error(ErrorKind::io, "cannot write: not all bytes were written")
        .in_file(request_.path)
        .at(piece.offset + written);
  }

  std::size_t read_together(const ReadPiece& piece) {
    TransportCounters& counters = file().counters();
    const Stopwatch stopwatch(counters.transfer_seconds);
    MPI_Status status;
    together_.check("read",
                    MPI_File_read_at_all(together_.get(), static_cast<MPI_Offset>(piece.offset), piece.memory.data(),
                                         static_cast<int>(piece.memory.size()), MPI_BYTE, &status),
                    piece.offset);
    if (piece.memory.empty()) return 0;
    const std::size_t read = bytes_moved(status);
    counters.count_read(read);
    return read;
  }

  FileRequest request_;
  Comm comm_;
  MpiHandle together_;
  bool usable_ = true;
  bool is_closed_ = false;
  bool comes_again_ = false;
};

}  // namespace

std::unique_ptr<Transport> make_mpi_collective(const FileRequest& request, const Comm& comm) {
  return std::make_unique<MpiCollectiveTransport>(make_file<MpiFile>(request, comm), request, comm);
}

}  // namespace quire
