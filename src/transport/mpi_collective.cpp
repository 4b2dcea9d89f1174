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

/// Collective transfers of MPI: the ranks agree on a number of rounds, and each round is one collective call in which
/// every rank has a piece or nothing. Where all ranks together have less than a staging buffer holds, each moves its
/// own: no server is worth the meetings inside MPI for that. The same where pieces are small.
///
/// Has two handles: one on all ranks for run(), opened by the first run that moves anything, and one of this rank alone
/// for everything else. Waits inside MPI are MPI's own: neither polite nor bounded by the deadline.
class MpiCollectiveTransport final : public FileTransport {
 public:
  MpiCollectiveTransport(std::unique_ptr<RawFile> file, FileRequest request, Comm comm)
      : FileTransport(std::move(file)), request_(std::move(request)), comm_(std::move(comm)) {
    request_.creates = false;  // the handle of rank 0 alone has done it
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
    const Meeting meeting = meet(failure, pieces ? pieces->count() : 0, mine.bytes());
    if (!meeting.worthwhile) {
      failure.attempt([&] {
        while (const auto piece = pieces->next(buffer)) file().write(piece->offset, piece->bytes);
      });
    }
    for (std::uint64_t round = 0; meeting.worthwhile && round < meeting.rounds; ++round) {
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
    const Meeting meeting = meet(failure, pieces ? pieces->count() : 0, mine.bytes(), mine.goes_on);
    // Further plans are of small pieces in the main: unless this one was worth it, they will hardly be.
    comes_again_ = meeting.goes_on && meeting.worthwhile;
    if (!meeting.worthwhile) {
      failure.attempt([&] {
        while (const auto piece = pieces->next()) pieces->take(file().read(piece->offset, piece->memory));
      });
    }
    for (std::uint64_t round = 0; meeting.worthwhile && round < meeting.rounds; ++round) {
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
    if (!is_closed_) failure.attempt([&] { leave_together(); });
    is_closed_ = true;
    failure.attempt([&] { together_.close(); });
    failure.attempt_always([&] { FileTransport::close(); });
    failure.attempt_always([&] { comm_.let_go(); });
    failure.rethrow();
  }

 private:
  /// What a rank tells the others when they meet: the greatest of each is known to all.
  enum Word : std::size_t { most_pieces, most_bytes, leaving, staying, going_on, words };
  /// What the ranks have before them, the same on all of them.
  struct Meeting {
    std::uint64_t rounds = 0;
    bool worthwhile = false;
    bool goes_on = false;
  };

  /// The greatest number of pieces of any rank. Opens the file together if they shall be moved together.
  Meeting meet(const FirstFailure& failure, std::uint64_t pieces, std::uint64_t bytes, bool goes_on = false) {
    require_usable();
    std::array<std::uint64_t, words> most{};
    if (!failure.error()) most = {pieces, bytes};
    most[staying] = 1;
    most[going_on] = goes_on ? 1 : 0;
    comm_.maximum(most);
    if (most[leaving] != 0) {
      throw Error(ErrorKind::aborted, "this rank closes the file while others move bytes of it")
          .in_file(request_.path)
          .from_rank(static_cast<int>(most[leaving] - 1));
    }
    const auto ranks = static_cast<std::uint64_t>(comm_.size());
    // A meeting for each piece pays where pieces are large: small ones are moved by every rank for itself.
    const bool are_large = most[most_bytes] >= most[most_pieces] * (file().limits().direct_from / 4);
    const bool worthwhile = are_large && most[most_bytes] > file().limits().staging / ranks;
    const Meeting meeting{most[most_pieces], worthwhile, most[going_on] != 0};
    if (meeting.worthwhile && !together_.is_open()) open_together();
    return meeting;
  }

  /// Returns when every rank is in close(). Those that still move bytes hear that this one has left them, and throw.
  void leave_together() {
    std::array<std::uint64_t, words> most{};
    do {
      most = {};
      most[leaving] = static_cast<std::uint64_t>(comm_.rank()) + 1;
      comm_.maximum(most);
    } while (most[staying] != 0);
  }

  /// If any rank cannot open, none transfers, now or later: the ranks would not make the same calls.
  void open_together() {
    // So that no rank spins inside MPI while others are still busy elsewhere.
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
    if (!usable_) throw Error(ErrorKind::io, "a rank could not open the file for all").in_file(request_.path);
  }

  void write_together(const WritePiece& piece) {
    TransportCounters& counters = file().counters();
    const Stopwatch stopwatch(counters.transfer_seconds);
    MPI_Status status;
    file().note_change();  // also where this rank brings nothing: it may write for others
    together_.check("write",
                    MPI_File_write_at_all(together_.get(), static_cast<MPI_Offset>(piece.offset), piece.bytes.data(),
                                          static_cast<int>(piece.bytes.size()), MPI_BYTE, &status),
                    piece.offset);
    if (piece.bytes.empty()) return;
    const std::size_t written = bytes_moved(status);
    counters.count_write(written);
    if (written == piece.bytes.size()) return;
    throw Error(ErrorKind::io, "cannot write: not all bytes were taken")
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
