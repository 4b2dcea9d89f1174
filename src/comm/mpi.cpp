#include "quire/comm/mpi.hpp"

#include <algorithm>
#include <deque>
#include <functional>
#include <string>
#include <utility>

#include "comm/mpi_error.hpp"
#include "comm/mpi_exchange.hpp"
#include "comm/mpi_gather_scatter.hpp"
#include "comm/mpi_pending.hpp"
#include "comm/mpi_tree.hpp"
#include "comm/polite_wait.hpp"
#include "comm/rank_tree.hpp"

namespace quire {
namespace {

/// A collective of MPI on a copy of some bytes.
class MpiCollective final : public MpiPending {
 public:
  using Post = std::function<int(void* buffer, int bytes, MPI_Request*)>;

  MpiCollective(std::string operation, std::span<const std::byte> bytes, const Post& post)
      : operation_(std::move(operation)), buffer_(bytes.begin(), bytes.end()) {
    check_mpi(operation_, post(buffer_.data(), static_cast<int>(buffer_.size()), &request_));
  }

  [[nodiscard]] bool advance() override {
    int done = 0;
    check_mpi(operation_, MPI_Test(&request_, &done, MPI_STATUS_IGNORE));
    return done != 0;
  }
  [[nodiscard]] std::span<const std::byte> result() const { return buffer_; }

 private:
  std::string operation_;
  std::vector<std::byte> buffer_;
  MPI_Request request_ = MPI_REQUEST_NULL;
};

Error too_late(const std::string& operation, std::chrono::milliseconds deadline) {
  return Error(ErrorKind::deadline, "could not " + operation + " within " + std::to_string(deadline.count()) + " ms")
      .advise("check for a rank that has ended or waits in another call");
}

/// A communicator that MPI_Comm_idup creates.
struct Duplicate {
  MPI_Comm communicator = MPI_COMM_NULL;
  MPI_Request request = MPI_REQUEST_NULL;
};

/// A duplicate of an MPI communicator.
///
/// MPI_Comm_free of a split communicator does not wait for other ranks in the supported MPI libraries.
class MpiBackend final : public CommBackend {
 public:
  /// Takes ownership of the handle.
  explicit MpiBackend(MPI_Comm communicator) : communicator_(communicator) {
    MPI_Comm_set_errhandler(communicator_, MPI_ERRORS_RETURN);
    MPI_Comm_rank(communicator_, &rank_);
    MPI_Comm_size(communicator_, &size_);
    tree_ = RankTree::of(rank_, size_);
  }
  MpiBackend(const MpiBackend&) = delete;
  MpiBackend& operator=(const MpiBackend&) = delete;

  ~MpiBackend() override {
    keep_in_transit();
    if (abandoned_) {
      static_cast<void>(new std::shared_ptr<MpiPending>(std::move(abandoned_)));
    } else if (mpi_is_running()) {
      MPI_Comm_free(&communicator_);
    }
  }

  [[nodiscard]] int rank() const noexcept override { return rank_; }
  [[nodiscard]] int size() const noexcept override { return size_; }
  [[nodiscard]] const void* native() const noexcept override { return &communicator_; }

  void barrier(Deadline deadline) override { static_cast<void>(in_tree("wait for all ranks", {}, {}, deadline)); }

  void sum(std::span<std::uint64_t> words, Deadline deadline) override {
    const std::string operation = "sum over all ranks";
    if (fits_tree(words.size())) {
      std::ranges::copy(in_tree(operation, words, {}, deadline)->of_all(), words.begin());
    } else {
      reduce(operation, words, MPI_UINT64_T, MPI_SUM, deadline);
    }
  }

  void maximum(std::span<std::uint64_t> words, Deadline deadline) override {
    const std::string operation = "compute the maximum over all ranks";
    if (fits_tree(words.size())) {
      std::ranges::copy(in_tree(operation, {}, words, deadline)->of_all(), words.begin());
      return;
    }
    // MPICH 4.0 compares unsigned words as if they were signed. With the highest bit flipped, the signed order equals
    // the unsigned one in every MPI.
    constexpr std::uint64_t highest_bit = std::uint64_t{1} << 63;
    for (std::uint64_t& word : words) word ^= highest_bit;
    reduce(operation, words, MPI_INT64_T, MPI_MAX, deadline);
    for (std::uint64_t& word : words) word ^= highest_bit;
  }

  void prefix(std::span<std::uint64_t> words, Deadline deadline) override {
    const std::string operation = "sum over the lower ranks";
    if (fits_tree(words.size())) {
      std::ranges::copy(in_tree(operation, words, {}, deadline)->of_lower(), words.begin());
    } else {
      reduce_lower(operation, words, MPI_UINT64_T, MPI_SUM, deadline);
    }
  }

  void sum_and_prefix(std::span<std::uint64_t> words, std::span<std::uint64_t> lower, std::span<std::uint64_t> maxima,
                      Deadline deadline) override {
    if (fits_tree(words.size() + maxima.size())) {
      const auto done = in_tree("sum over all and over the lower ranks", words, maxima, deadline);
      std::ranges::copy(done->of_lower().first(words.size()), lower.begin());
      std::ranges::copy(done->of_all().first(words.size()), words.begin());
      std::ranges::copy(done->of_all().subspan(words.size()), maxima.begin());
    } else {
      std::ranges::copy(words, lower.begin());
      prefix(lower, deadline);
      sum(words, deadline);
      if (!maxima.empty()) maximum(maxima, deadline);
    }
  }

  void prefix_maximum(std::span<std::uint64_t> words, Deadline deadline) override {
    const std::string operation = "compute the maximum over the lower ranks";
    if (fits_tree(words.size())) {
      std::ranges::copy(in_tree(operation, {}, words, deadline)->of_lower(), words.begin());
    } else {
      reduce_lower(operation, words, MPI_INT64_T, MPI_MAX, deadline);
    }
  }

  void reduce_and_answer(std::span<std::uint64_t> words, std::span<std::uint64_t> lower,
                         std::span<std::uint64_t> maxima, std::span<std::byte> reply,
                         const std::function<void()>& answer, Completion completion, Deadline deadline) override {
    if (!fits_tree(words.size() + maxima.size(), reply.size())) {
      return CommBackend::reduce_and_answer(words, lower, maxima, reply, answer, completion, deadline);
    }
    const auto take = [&](std::span<const std::uint64_t> of_all) {
      std::ranges::copy(of_all.first(words.size()), words.begin());
      std::ranges::copy(of_all.subspan(words.size()), maxima.begin());
    };
    const auto answer_here = [&](std::span<const std::uint64_t> of_all, std::span<std::byte> bytes) {
      take(of_all);
      answer();
      std::ranges::copy(reply, bytes.begin());
    };
    const auto done =
        in_tree("reduce over all ranks and broadcast", words, maxima, deadline, reply.size(), answer_here, completion);
    take(done->of_all());
    std::ranges::copy(done->of_lower().first(lower.size()), lower.begin());
    std::ranges::copy(done->broadcast_bytes(), reply.begin());
  }

  [[nodiscard]] std::vector<std::byte> gather_scatter(std::vector<std::byte> question, const RootReply& reply,
                                                      Completion completion, Deadline deadline) override {
    const std::string operation = "gather at rank 0 and scatter";
    require_usable(operation);
    return finished(operation, std::make_shared<TreeGatherScatter>(communicator_, tree_, question, reply, completion),
                    deadline)
        ->take();
  }

  [[nodiscard]] std::vector<Parcel> exchange(std::vector<Parcel> parcels, Deadline deadline) override {
    const std::string operation = "exchange bytes with other ranks";
    require_usable(operation);
    exchange_tag_ = 1 - exchange_tag_;
    return finished(operation, std::make_shared<MpiExchange>(communicator_, tree_, exchange_tag_, std::move(parcels)),
                    deadline)
        ->take();
  }

  void broadcast(std::span<std::byte> bytes, int root, Deadline deadline) override {
    if (root < 0 || root >= size_) {
      throw Error(ErrorKind::usage, "rank " + std::to_string(root) + " cannot broadcast: there are only " +
                                        std::to_string(size_) + " ranks");
    }
    const std::string operation = "broadcast from rank " + std::to_string(root);
    if (bytes.size() <= largest_in_tree) {
      require_usable(operation);
      const auto received =
          finished(operation,
                   std::make_shared<TreeBroadcast>(communicator_, RankTree::of((rank_ - root + size_) % size_, size_),
                                                   root, bytes),
                   deadline);
      std::ranges::copy(received->result(), bytes.begin());
      return;
    }
    run_in_pieces(operation, bytes, deadline, [&](void* buffer, int count, MPI_Request* request) {
      return MPI_Ibcast(buffer, count, MPI_BYTE, root, communicator_, request);
    });
  }

  [[nodiscard]] std::shared_ptr<CommBackend> split(int color, int key) override {
    MPI_Comm part = MPI_COMM_NULL;
    check_mpi("split the ranks", MPI_Comm_split(communicator_, color, key, &part));
    return std::make_shared<MpiBackend>(part);
  }

  [[nodiscard]] std::shared_ptr<CommBackend> split_by_node() override {
    // Ranks do not move between nodes: one split serves all files of this communicator.
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
  /// Limits the memory of the buffers, and keeps counts far below the range of int.
  static constexpr std::size_t piece_bytes = 16 << 20;

  /// A reply has twice as many words: over all and over the lower ranks.
  [[nodiscard]] static bool fits_tree(std::size_t words, std::size_t reply_bytes = 0) {
    return 2 * words * sizeof(std::uint64_t) + reply_bytes <= largest_in_tree;
  }

  [[nodiscard]] std::shared_ptr<TreeReduction> in_tree(const std::string& operation,
                                                       std::span<const std::uint64_t> summed,
                                                       std::span<const std::uint64_t> compared, Deadline deadline,
                                                       std::size_t reply_bytes = 0, TreeReduction::Answer answer = {},
                                                       Completion completion = Completion::received) {
    require_usable(operation);
    auto reduction = std::make_shared<TreeReduction>(communicator_, tree_, summed, compared, reply_bytes,
                                                     std::move(answer), completion);
    return finished(operation, std::move(reduction), deadline);
  }

  void reduce(const std::string& operation, std::span<std::uint64_t> words, MPI_Datatype type, MPI_Op op,
              Deadline deadline) {
    run_in_pieces(operation, std::as_writable_bytes(words), deadline,
                  [&](void* buffer, int bytes, MPI_Request* request) {
                    return MPI_Iallreduce(MPI_IN_PLACE, buffer, bytes / word_bytes, type, op, communicator_, request);
                  });
  }

  void reduce_lower(const std::string& operation, std::span<std::uint64_t> words, MPI_Datatype type, MPI_Op op,
                    Deadline deadline) {
    run_in_pieces(operation, std::as_writable_bytes(words), deadline,
                  [&](void* buffer, int bytes, MPI_Request* request) {
                    return MPI_Iexscan(MPI_IN_PLACE, buffer, bytes / word_bytes, type, op, communicator_, request);
                  });
    // The result of MPI_Iexscan on rank 0 is undefined.
    if (rank_ == 0) std::ranges::fill(words, 0);
  }

  void require_usable(const std::string& operation) const {
    if (!abandoned_) return;
    throw Error(ErrorKind::deadline, "cannot " + operation + ": an earlier wait on this communicator was abandoned");
  }

  void run_in_pieces(const std::string& operation, std::span<std::byte> bytes, Deadline deadline,
                     const MpiCollective::Post& post) {
    require_usable(operation);
    while (!bytes.empty()) {
      const std::span<std::byte> piece = bytes.first(std::min(bytes.size(), piece_bytes));
      const auto done = finished(operation, std::make_shared<MpiCollective>(operation, piece, post), deadline);
      std::ranges::copy(done->result(), piece.begin());
      bytes = bytes.subspan(piece.size());
    }
  }

  /// Waits until the operation is complete on this rank. Keeps it if it is abandoned, after a timeout or an MPI error.
  template <class Pending>
  [[nodiscard]] std::shared_ptr<Pending> finished(const std::string& operation, std::shared_ptr<Pending> pending,
                                                  Deadline deadline) {
    try {
      drop_received();
      const auto is_done = [&] { return pending->advance(); };
      bool done = wait_politely(patience_, deadline, is_done);
      // The time of this rank's own answer does not count; the wait for its receivers begins now.
      if (!done && pending->take_answered()) done = wait_politely(patience_, deadline, is_done);
      if (!done) throw too_late(operation, *deadline);
    } catch (...) {
      abandoned_ = std::move(pending);
      throw;
    }
    if (pending->may_be_in_transit()) in_transit_.push_back(pending);
    pending->rethrow();
    return pending;
  }

  /// Releases messages that the others have received: messages between two ranks keep their order.
  void drop_received() {
    while (!in_transit_.empty() && in_transit_.front()->is_received()) in_transit_.pop_front();
  }

  /// In the destructor: messages in transit outlive the communicator, because MPI may still read them.
  void keep_in_transit() noexcept {
    try {
      if (mpi_is_running() && !abandoned_) drop_received();
    } catch (const Error&) {
      // A destructor cannot report errors. The messages are kept.
    }
    if (!in_transit_.empty()) static_cast<void>(new std::deque(std::move(in_transit_)));
  }

  MPI_Comm communicator_;
  Patience patience_ = patience_here();
  int rank_ = 0;
  int size_ = 1;
  std::shared_ptr<MpiBackend> node_;  ///< created when first requested
  RankTree tree_;
  int exchange_tag_ = 0;
  std::deque<std::shared_ptr<MpiPending>> in_transit_;  ///< complete on this rank, but possibly not received by others
  std::shared_ptr<MpiPending> abandoned_;               ///< abandoned operation: the communicator is unusable after it
};

}  // namespace

MpiSession::MpiSession(int& argc, char**& argv) {
  if (mpi_is_running()) {
    throw Error(ErrorKind::usage, "MPI is initialised already").advise("use mpi_comm() on its communicators");
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

namespace {

/// An intercommunicator numbers the ranks of two groups separately, so none of them would be the only rank 0.
void require_one_group(MPI_Comm communicator) {
  if (communicator == MPI_COMM_NULL) {
    throw Error(ErrorKind::usage, "the communicator is MPI_COMM_NULL").advise("call only on ranks that are in it");
  }
  int is_inter = 0;
  check_mpi("test the communicator", MPI_Comm_test_inter(communicator, &is_inter));
  if (is_inter == 0) return;
  throw Error(ErrorKind::usage, "an intercommunicator connects two groups of ranks, but a file needs one group")
      .advise("merge the groups (MPI_Intercomm_merge), or pass the communicator of one of them");
}

}  // namespace

Comm mpi_comm(MPI_Comm communicator, Deadline deadline) {
  if (!mpi_is_running()) {
    throw Error(ErrorKind::usage, "MPI is not initialised, or already finalised").advise("call MPI_Init_thread first");
  }
  require_one_group(communicator);
  const std::string operation = "duplicate the communicator";
  auto made = std::make_unique<Duplicate>();
  check_mpi(operation, MPI_Comm_idup(communicator, &made->communicator, &made->request));
  const auto is_done = [&] {
    int done = 0;
    check_mpi(operation, MPI_Test(&made->request, &done, MPI_STATUS_IGNORE));
    return done != 0;
  };
  if (!wait_politely(patience_here(), deadline, is_done)) {
    // MPI may still write to it when the last rank calls.
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
  throw Error(ErrorKind::usage, "these ranks have no MPI communicator");
}

}  // namespace quire
