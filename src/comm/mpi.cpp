#include "quire/comm/mpi.hpp"

#include <algorithm>
#include <functional>
#include <string>
#include <utility>

#include "comm/mpi_error.hpp"
#include "comm/mpi_exchange.hpp"
#include "comm/polite_wait.hpp"

namespace quire {
namespace {

/// A collective that has been posted: MPI may use the buffer until the request is complete.
struct Posted {
  std::vector<std::byte> buffer;
  MPI_Request request = MPI_REQUEST_NULL;
};

Error too_late(const std::string& operation, std::chrono::milliseconds deadline) {
  return Error(ErrorKind::deadline, "could not " + operation + " within " + std::to_string(deadline.count()) + " ms")
      .advise("look for a rank that has ended or waits elsewhere");
}

/// A communicator that MPI is making.
struct Duplicate {
  MPI_Comm communicator = MPI_COMM_NULL;
  MPI_Request request = MPI_REQUEST_NULL;
};

/// A duplicate of an MPI communicator.
///
/// The ranks of a split part are freed without waiting for each other, as every MPI in use does.
class MpiBackend final : public CommBackend {
 public:
  /// Takes over the handle.
  explicit MpiBackend(MPI_Comm communicator) : communicator_(communicator) {
    MPI_Comm_set_errhandler(communicator_, MPI_ERRORS_RETURN);
    MPI_Comm_rank(communicator_, &rank_);
    MPI_Comm_size(communicator_, &size_);
  }
  MpiBackend(const MpiBackend&) = delete;
  MpiBackend& operator=(const MpiBackend&) = delete;

  ~MpiBackend() override {
    if (is_abandoned()) {
      // MPI knows no way to take a posted collective back: its buffer and its communicator must outlive us.
      static_cast<void>(abandoned_.release());
      static_cast<void>(abandoned_exchange_.release());
    } else if (mpi_is_running()) {
      MPI_Comm_free(&communicator_);
    }
  }

  [[nodiscard]] int rank() const noexcept override { return rank_; }
  [[nodiscard]] int size() const noexcept override { return size_; }
  [[nodiscard]] const void* native() const noexcept override { return &communicator_; }

  void barrier(Deadline deadline) override {
    run("wait for all ranks", {}, deadline,
        [&](void*, int, MPI_Request* request) { return MPI_Ibarrier(communicator_, request); });
  }

  void sum(std::span<std::uint64_t> words, Deadline deadline) override {
    reduce("sum over all ranks", words, MPI_UINT64_T, MPI_SUM, deadline);
  }

  void maximum(std::span<std::uint64_t> words, Deadline deadline) override {
    // MPICH 4.0 compares unsigned words as if they were signed. With the highest bit turned the order of signed words
    // is that of the unsigned ones, whatever the MPI.
    constexpr std::uint64_t highest_bit = std::uint64_t{1} << 63;
    for (std::uint64_t& word : words) word ^= highest_bit;
    reduce("take the maximum over all ranks", words, MPI_INT64_T, MPI_MAX, deadline);
    for (std::uint64_t& word : words) word ^= highest_bit;
  }

  void prefix(std::span<std::uint64_t> words, Deadline deadline) override {
    run_in_pieces("sum over the lower ranks", std::as_writable_bytes(words), deadline,
                  [&](void* buffer, int bytes, MPI_Request* request) {
                    return MPI_Iexscan(MPI_IN_PLACE, buffer, bytes / word_bytes, MPI_UINT64_T, MPI_SUM, communicator_,
                                       request);
                  });
    // What rank 0 gets from MPI is undefined.
    if (rank_ == 0) std::ranges::fill(words, 0);
  }

  void prefix_maximum(std::span<std::uint64_t> words, Deadline deadline) override {
    run_in_pieces("take the maximum over the lower ranks", std::as_writable_bytes(words), deadline,
                  [&](void* buffer, int bytes, MPI_Request* request) {
                    return MPI_Iexscan(MPI_IN_PLACE, buffer, bytes / word_bytes, MPI_INT64_T, MPI_MAX, communicator_,
                                       request);
                  });
    if (rank_ == 0) std::ranges::fill(words, 0);
  }

  [[nodiscard]] std::vector<Parcel> exchange(std::vector<Parcel> parcels, Deadline deadline) override {
    const std::string operation = "exchange bytes with other ranks";
    require_usable(operation);
    exchange_tag_ = 1 - exchange_tag_;
    auto running = std::make_unique<MpiExchange>(communicator_, exchange_tag_, std::move(parcels));
    if (!wait_politely(patience_, deadline, [&] { return running->advance(); })) {
      abandoned_exchange_ = std::move(running);
      throw too_late(operation, *deadline);
    }
    return running->take();
  }

  void broadcast(std::span<std::byte> bytes, int root, Deadline deadline) override {
    if (root < 0 || root >= size_) {
      throw Error(ErrorKind::usage, "rank " + std::to_string(root) + " cannot broadcast: there are only " +
                                        std::to_string(size_) + " ranks");
    }
    run_in_pieces("broadcast from rank " + std::to_string(root), bytes, deadline,
                  [&](void* buffer, int count, MPI_Request* request) {
                    return MPI_Ibcast(buffer, count, MPI_BYTE, root, communicator_, request);
                  });
  }

  [[nodiscard]] std::shared_ptr<CommBackend> split(int color, int key) override {
    MPI_Comm part = MPI_COMM_NULL;
    check_mpi("split the ranks", MPI_Comm_split(communicator_, color, key, &part));
    return std::make_shared<MpiBackend>(part);
  }

  [[nodiscard]] std::shared_ptr<CommBackend> split_by_node() override {
    // Ranks do not move: one part for all files of this communicator.
    if (!node_) {
      MPI_Comm node = MPI_COMM_NULL;
      check_mpi("split the ranks by node",
                MPI_Comm_split_type(communicator_, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &node));
      node_ = std::make_shared<MpiBackend>(node);
    }
    return node_;
  }

 private:
  static constexpr int word_bytes = sizeof(std::uint64_t);
  /// Bounds the memory of the buffers, and keeps counts far below what an int holds.
  static constexpr std::size_t piece_bytes = 16 << 20;

  using Post = std::function<int(void* buffer, int bytes, MPI_Request*)>;

  void reduce(const char* operation, std::span<std::uint64_t> words, MPI_Datatype type, MPI_Op op, Deadline deadline) {
    run_in_pieces(operation, std::as_writable_bytes(words), deadline,
                  [&](void* buffer, int bytes, MPI_Request* request) {
                    return MPI_Iallreduce(MPI_IN_PLACE, buffer, bytes / word_bytes, type, op, communicator_, request);
                  });
  }

  [[nodiscard]] bool is_abandoned() const noexcept { return abandoned_ || abandoned_exchange_; }

  void require_usable(const std::string& operation) const {
    if (!is_abandoned()) return;
    throw Error(ErrorKind::deadline, "cannot " + operation + ": an earlier wait of this communicator was given up");
  }

  void run_in_pieces(const std::string& operation, std::span<std::byte> bytes, Deadline deadline, const Post& post) {
    while (bytes.size() > piece_bytes) {
      run(operation, bytes.first(piece_bytes), deadline, post);
      bytes = bytes.subspan(piece_bytes);
    }
    run(operation, bytes, deadline, post);
  }

  /// Carries out one nonblocking collective on a copy of the bytes, which stays alive if it must be abandoned.
  void run(const std::string& operation, std::span<std::byte> bytes, Deadline deadline, const Post& post) {
    require_usable(operation);
    auto posted = std::make_unique<Posted>();
    posted->buffer.assign(bytes.begin(), bytes.end());
    check_mpi(operation, post(posted->buffer.data(), static_cast<int>(bytes.size()), &posted->request));
    const auto is_done = [&] {
      int done = 0;
      check_mpi(operation, MPI_Test(&posted->request, &done, MPI_STATUS_IGNORE));
      return done != 0;
    };
    if (!wait_politely(patience_, deadline, is_done)) {
      abandoned_ = std::move(posted);
      throw too_late(operation, *deadline);
    }
    std::ranges::copy(posted->buffer, bytes.begin());
  }

  MPI_Comm communicator_;
  Patience patience_ = patience_here();
  int rank_ = 0;
  int size_ = 1;
  std::shared_ptr<MpiBackend> node_;  ///< made when first asked for
  int exchange_tag_ = 0;
  // At most one of the two: the communicator is unusable after it.
  std::unique_ptr<Posted> abandoned_;
  std::unique_ptr<MpiExchange> abandoned_exchange_;
};

}  // namespace

MpiSession::MpiSession(int& argc, char**& argv) {
  if (mpi_is_running()) {
    throw Error(ErrorKind::usage, "MPI is initialised already").advise("leave it to its owner, and use mpi_comm()");
  }
  int provided = MPI_THREAD_SINGLE;
  check_mpi("initialise MPI", MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided));
  if (provided < MPI_THREAD_FUNNELED) {
    MPI_Finalize();
    throw Error(ErrorKind::unsupported, "this MPI does not provide MPI_THREAD_FUNNELED");
  }
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &size_);
}

MpiSession::~MpiSession() { MPI_Finalize(); }

Comm mpi_comm(MPI_Comm communicator, Deadline deadline) {
  if (!mpi_is_running()) {
    throw Error(ErrorKind::usage, "MPI is not initialised, or already finalised").advise("call MPI_Init_thread first");
  }
  const std::string operation = "make a communicator of all ranks";
  auto made = std::make_unique<Duplicate>();
  check_mpi(operation, MPI_Comm_idup(communicator, &made->communicator, &made->request));
  const auto is_done = [&] {
    int done = 0;
    check_mpi(operation, MPI_Test(&made->request, &done, MPI_STATUS_IGNORE));
    return done != 0;
  };
  if (!wait_politely(patience_here(), deadline, is_done)) {
    // MPI may still write to it, whenever the last rank comes.
    static_cast<void>(made.release());
    throw too_late(operation, *deadline);
  }
  Comm comm(std::make_shared<MpiBackend>(made->communicator));
  comm.set_deadline(deadline);
  return comm;
}

Comm world() { return mpi_comm(MPI_COMM_WORLD); }

MPI_Comm mpi_handle(const Comm& comm) {
  if (const auto* native = static_cast<const MPI_Comm*>(comm.backend().native())) return *native;
  if (comm.size() == 1) return MPI_COMM_SELF;
  throw Error(ErrorKind::usage, "there is no MPI communicator behind these ranks");
}

}  // namespace quire
