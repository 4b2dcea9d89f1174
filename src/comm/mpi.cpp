#include "quire/comm/mpi.hpp"

#include <algorithm>
#include <climits>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "comm/mpi_error.hpp"
#include "comm/mpi_exchange.hpp"
#include "comm/mpi_pending.hpp"
#include "comm/polite_wait.hpp"

namespace quire {
namespace {

using Words = std::span<std::uint64_t>;

Error too_late(const std::string& operation, std::chrono::milliseconds deadline) {
  return Error(ErrorKind::deadline, "could not " + operation + " within " + std::to_string(deadline.count()) + " ms")
      .advise("check for a rank that has ended or waits in another call");
}

/// A communicator that MPI_Comm_idup creates.
struct Duplicate {
  MPI_Comm communicator = MPI_COMM_NULL;
  MPI_Request request = MPI_REQUEST_NULL;
};

/// MPICH 4.0 compares unsigned words as if they were signed. With the highest bit flipped, the signed order equals the
/// unsigned one in every MPI.
void flip(Words words) {
  for (std::uint64_t& word : words) word ^= std::uint64_t{1} << 63;
}

/// The time until a deadline, of a wait in several parts.
class Clock {
 public:
  explicit Clock(Deadline deadline) : deadline_(deadline), begin_(std::chrono::steady_clock::now()) {}
  [[nodiscard]] Deadline left() const {
    if (!deadline_) return std::nullopt;
    const auto waited = std::chrono::steady_clock::now() - begin_;
    return std::max(std::chrono::milliseconds(0),
                    *deadline_ - std::chrono::duration_cast<std::chrono::milliseconds>(waited));
  }
  [[nodiscard]] const Deadline& whole() const noexcept { return deadline_; }
  /// The time of this rank's own work does not count: the wait for the others begins now.
  void restart() { begin_ = std::chrono::steady_clock::now(); }

 private:
  Deadline deadline_;
  std::chrono::steady_clock::time_point begin_;
};

/// The functions of rank 0 must not leave the others waiting: what they throw is kept until these have an answer.
std::exception_ptr thrown_by(const std::function<void()>& answer) {
  try {
    answer();
    return nullptr;
  } catch (...) {
    return std::current_exception();
  }
}

/// Variable lengths are counted in words, so that an int counts up to 16 GiB of all ranks together.
int words_for(std::uint64_t bytes) {
  const std::uint64_t words = (bytes + sizeof(std::uint64_t) - 1) / sizeof(std::uint64_t);
  if (words <= INT_MAX) return static_cast<int>(words);
  throw Error(ErrorKind::memory, "a message of " + std::to_string(bytes) + " bytes is too long to gather or scatter");
}

/// Bytes of all ranks in one buffer, each from a whole word on.
struct Parts {
  std::vector<int> counts;   ///< in words
  std::vector<int> offsets;  ///< likewise
  std::uint64_t words = 0;

  explicit Parts(std::span<const std::uint64_t> lengths) {
    for (const std::uint64_t bytes : lengths) {
      offsets.push_back(words_for(words * sizeof(std::uint64_t)));
      counts.push_back(words_for(bytes));
      words += static_cast<std::uint64_t>(counts.back());
    }
    static_cast<void>(words_for(words * sizeof(std::uint64_t)));
  }
  [[nodiscard]] std::span<std::byte> part(Words all, std::size_t rank, std::uint64_t bytes) const {
    return std::as_writable_bytes(all.subspan(static_cast<std::size_t>(offsets[rank])))
        .first(static_cast<std::size_t>(bytes));
  }
};

/// A duplicate of an MPI communicator. Its collectives are the nonblocking ones of MPI, with polite waits.
///
/// MPI_Comm_free of a split communicator does not wait for other ranks in the supported MPI libraries.
class MpiBackend final : public CommBackend {
 public:
  /// Takes ownership of the handle.
  explicit MpiBackend(MPI_Comm communicator) : communicator_(communicator) {
    MPI_Comm_set_errhandler(communicator_, MPI_ERRORS_RETURN);
    MPI_Comm_rank(communicator_, &rank_);
    MPI_Comm_size(communicator_, &size_);
  }
  MpiBackend(const MpiBackend&) = delete;
  MpiBackend& operator=(const MpiBackend&) = delete;

  ~MpiBackend() override {
    if (abandoned_) {
      static_cast<void>(new std::shared_ptr<MpiPending>(std::move(abandoned_)));
    } else if (mpi_is_running()) {
      MPI_Comm_free(&communicator_);
    }
  }

  [[nodiscard]] int rank() const noexcept override { return rank_; }
  [[nodiscard]] int size() const noexcept override { return size_; }
  [[nodiscard]] const void* native() const noexcept override { return &communicator_; }

  void barrier(Deadline deadline) override {
    collectively("wait for all ranks", deadline, [&](MpiCollectives& mpi, Clock& clock) {
      mpi.post([&](MPI_Request* request) { return MPI_Ibarrier(communicator_, request); });
      wait(mpi, clock);
    });
  }

  void sum(Words words, Deadline deadline) override {
    in_pieces("sum over all ranks", words, deadline,
              [&](MpiCollectives& mpi, Words piece) { reduce(mpi, piece, MPI_UINT64_T, MPI_SUM); });
  }

  void maximum(Words words, Deadline deadline) override {
    flip(words);
    in_pieces("compute the maximum over all ranks", words, deadline,
              [&](MpiCollectives& mpi, Words piece) { reduce(mpi, piece, MPI_INT64_T, MPI_MAX); });
    flip(words);
  }

  void prefix(Words words, Deadline deadline) override {
    in_pieces("sum over the lower ranks", words, deadline,
              [&](MpiCollectives& mpi, Words piece) { reduce_lower(mpi, piece, MPI_UINT64_T, MPI_SUM); });
    clear_on_root(words);
  }

  void prefix_maximum(Words words, Deadline deadline) override {
    in_pieces("compute the maximum over the lower ranks", words, deadline,
              [&](MpiCollectives& mpi, Words piece) { reduce_lower(mpi, piece, MPI_INT64_T, MPI_MAX); });
    clear_on_root(words);
  }

  void sum_and_prefix(Words words, Words lower, Words maxima, Deadline deadline) override {
    std::ranges::copy(words, lower.begin());
    if ((2 * words.size() + maxima.size()) * word_bytes > piece_bytes) {
      prefix(lower, deadline);
      sum(words, deadline);
      if (!maxima.empty()) maximum(maxima, deadline);
      return;
    }
    collectively("sum over all and over the lower ranks", deadline, [&](MpiCollectives& mpi, Clock& clock) {
      flip(maxima);
      const Words sums = held(mpi, words);
      const Words before = held(mpi, lower);
      const Words greatest = held(mpi, maxima);
      reduce(mpi, sums, MPI_UINT64_T, MPI_SUM);
      reduce_lower(mpi, before, MPI_UINT64_T, MPI_SUM);
      if (!maxima.empty()) reduce(mpi, greatest, MPI_INT64_T, MPI_MAX);
      wait(mpi, clock);
      std::ranges::copy(sums, words.begin());
      std::ranges::copy(before, lower.begin());
      std::ranges::copy(greatest, maxima.begin());
      flip(maxima);
    });
    clear_on_root(lower);
  }

  void reduce_and_answer(Words words, Words lower, Words maxima, std::span<std::byte> reply,
                         const std::function<void()>& answer, Deadline deadline) override {
    if (words.size_bytes() + maxima.size_bytes() + reply.size() > piece_bytes) {
      return CommBackend::reduce_and_answer(words, lower, maxima, reply, answer, deadline);
    }
    std::ranges::copy(words, lower.begin());
    collectively("reduce over all ranks and broadcast", deadline, [&](MpiCollectives& mpi, Clock& clock) {
      flip(maxima);
      const Words sums = held(mpi, words);
      const Words before = held(mpi, lower);
      const Words greatest = held(mpi, maxima);
      if (!words.empty()) reduce_to_root(mpi, sums, MPI_UINT64_T, MPI_SUM);
      if (!maxima.empty()) reduce_to_root(mpi, greatest, MPI_INT64_T, MPI_MAX);
      if (!words.empty()) reduce_lower(mpi, before, MPI_UINT64_T, MPI_SUM);
      // The reduced words and the answer go to all ranks in one broadcast.
      const auto message = mpi.room<std::byte>(words.size_bytes() + maxima.size_bytes() + reply.size());
      const auto summed = message.first(words.size_bytes());
      const auto compared = message.subspan(summed.size(), maxima.size_bytes());
      const auto answered = message.last(reply.size());
      std::exception_ptr failure;
      const auto take = [&] {
        std::ranges::copy(summed, std::as_writable_bytes(words).begin());
        std::ranges::copy(compared, std::as_writable_bytes(maxima).begin());
      };
      if (rank_ == 0) {
        wait(mpi, clock);
        flip(greatest);
        std::ranges::copy(std::as_bytes(sums), summed.begin());
        std::ranges::copy(std::as_bytes(greatest), compared.begin());
        take();
        std::ranges::fill(lower, 0);
        failure = thrown_by(answer);
        if (!failure) std::ranges::copy(reply, answered.begin());  // otherwise zeros: no answer
        clock.restart();
      }
      mpi.post([&](MPI_Request* request) {
        return MPI_Ibcast(message.data(), static_cast<int>(message.size()), MPI_BYTE, 0, communicator_, request);
      });
      wait(mpi, clock);
      take();
      std::ranges::copy(before, lower.begin());
      if (failure) std::rethrow_exception(failure);
      std::ranges::copy(answered, reply.begin());
    });
    clear_on_root(lower);
  }

  [[nodiscard]] std::vector<std::byte> gather_scatter(std::vector<std::byte> question, const RootReply& reply,
                                                      Deadline deadline) override {
    std::vector<std::byte> mine;
    collectively("gather at rank 0 and scatter", deadline, [&](MpiCollectives& mpi, Clock& clock) {
      auto questions = gather(mpi, clock, question);
      std::vector<std::vector<std::byte>> replies(questions.size());
      std::exception_ptr failure;
      if (rank_ == 0) {
        failure = thrown_by([&] { replies = reply(std::move(questions)); });
        clock.restart();
      }
      mine = scatter(mpi, clock, replies);
      if (failure) std::rethrow_exception(failure);
    });
    return mine;
  }

  [[nodiscard]] std::vector<Parcel> exchange(std::vector<Parcel> parcels, Deadline deadline) override {
    const std::string operation = "exchange bytes with other ranks";
    require_usable(operation);
    exchange_tag_ = 1 - exchange_tag_;
    const auto pending = std::make_shared<MpiExchange>(communicator_, exchange_tag_, std::move(parcels));
    try {
      wait(*pending, operation, Clock(deadline));
    } catch (...) {
      abandoned_ = pending;
      throw;
    }
    return pending->take();
  }

  void broadcast(std::span<std::byte> bytes, int root, Deadline deadline) override {
    if (root < 0 || root >= size_) {
      throw Error(ErrorKind::usage, "rank " + std::to_string(root) + " cannot broadcast: there are only " +
                                        std::to_string(size_) + " ranks");
    }
    in_pieces("broadcast from rank " + std::to_string(root), bytes, deadline,
              [&](MpiCollectives& mpi, std::span<std::byte> piece) {
                mpi.post([&](MPI_Request* request) {
                  return MPI_Ibcast(piece.data(), static_cast<int>(piece.size()), MPI_BYTE, root, communicator_,
                                    request);
                });
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
  static constexpr std::size_t word_bytes = sizeof(std::uint64_t);
  /// Limits the memory of the buffers, and keeps counts far below the range of int.
  static constexpr std::size_t piece_bytes = 16 << 20;

  [[nodiscard]] static Words held(MpiCollectives& mpi, Words words) {
    return mpi.hold(std::span<const std::uint64_t>(words));
  }

  void reduce(MpiCollectives& mpi, Words words, MPI_Datatype type, MPI_Op op) const {
    mpi.post([&](MPI_Request* request) {
      return MPI_Iallreduce(MPI_IN_PLACE, words.data(), static_cast<int>(words.size()), type, op, communicator_,
                            request);
    });
  }

  void reduce_to_root(MpiCollectives& mpi, Words words, MPI_Datatype type, MPI_Op op) const {
    const bool root = rank_ == 0;
    mpi.post([&](MPI_Request* request) {
      return MPI_Ireduce(root ? MPI_IN_PLACE : words.data(), root ? words.data() : nullptr,
                         static_cast<int>(words.size()), type, op, 0, communicator_, request);
    });
  }

  void reduce_lower(MpiCollectives& mpi, Words words, MPI_Datatype type, MPI_Op op) const {
    mpi.post([&](MPI_Request* request) {
      return MPI_Iexscan(MPI_IN_PLACE, words.data(), static_cast<int>(words.size()), type, op, communicator_, request);
    });
  }

  /// The result of MPI_Iexscan on rank 0 is undefined.
  void clear_on_root(Words words) const {
    if (rank_ == 0) std::ranges::fill(words, 0);
  }

  /// Rank 0 gets the bytes of each rank, the others nothing.
  [[nodiscard]] std::vector<std::vector<std::byte>> gather(MpiCollectives& mpi, Clock& clock,
                                                           std::span<const std::byte> mine) const {
    const auto ranks = static_cast<std::size_t>(rank_ == 0 ? size_ : 0);
    const Words length = mpi.room<std::uint64_t>(1);
    length[0] = mine.size();
    const Words lengths = mpi.room<std::uint64_t>(ranks);
    mpi.post([&](MPI_Request* request) {
      return MPI_Igather(length.data(), 1, MPI_UINT64_T, lengths.data(), 1, MPI_UINT64_T, 0, communicator_, request);
    });
    if (rank_ == 0) wait(mpi, clock);
    const int words = words_for(mine.size());
    const Words sent = mpi.room<std::uint64_t>(static_cast<std::size_t>(words));
    std::ranges::copy(mine, std::as_writable_bytes(sent).begin());
    const Parts parts(lengths);
    const Words all = mpi.room<std::uint64_t>(static_cast<std::size_t>(parts.words));
    const auto counts = mpi.hold(std::span<const int>(parts.counts));
    const auto offsets = mpi.hold(std::span<const int>(parts.offsets));
    mpi.post([&](MPI_Request* request) {
      return MPI_Igatherv(sent.data(), words, MPI_UINT64_T, all.data(), counts.data(), offsets.data(), MPI_UINT64_T, 0,
                          communicator_, request);
    });
    wait(mpi, clock);
    std::vector<std::vector<std::byte>> gathered;
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      const auto part = parts.part(all, rank, lengths[rank]);
      gathered.emplace_back(part.begin(), part.end());
    }
    return gathered;
  }

  /// Each rank gets its bytes from rank 0.
  [[nodiscard]] std::vector<std::byte> scatter(MpiCollectives& mpi, Clock& clock,
                                               const std::vector<std::vector<std::byte>>& from_root) const {
    const Words lengths = mpi.room<std::uint64_t>(from_root.size());
    std::ranges::transform(from_root, lengths.begin(), [](const auto& bytes) { return bytes.size(); });
    const Words length = mpi.room<std::uint64_t>(1);
    mpi.post([&](MPI_Request* request) {
      return MPI_Iscatter(lengths.data(), 1, MPI_UINT64_T, length.data(), 1, MPI_UINT64_T, 0, communicator_, request);
    });
    if (rank_ != 0) wait(mpi, clock);
    const Parts parts(lengths);
    const Words all = mpi.room<std::uint64_t>(static_cast<std::size_t>(parts.words));
    for (std::size_t rank = 0; rank < from_root.size(); ++rank) {
      std::ranges::copy(from_root[rank], parts.part(all, rank, lengths[rank]).begin());
    }
    const std::uint64_t bytes = rank_ == 0 ? lengths.front() : length.front();
    const Words received = mpi.room<std::uint64_t>(static_cast<std::size_t>(words_for(bytes)));
    const auto counts = mpi.hold(std::span<const int>(parts.counts));
    const auto offsets = mpi.hold(std::span<const int>(parts.offsets));
    mpi.post([&](MPI_Request* request) {
      return MPI_Iscatterv(all.data(), counts.data(), offsets.data(), MPI_UINT64_T, received.data(),
                           static_cast<int>(received.size()), MPI_UINT64_T, 0, communicator_, request);
    });
    wait(mpi, clock);
    const auto mine = std::as_bytes(received).first(static_cast<std::size_t>(bytes));
    return {mine.begin(), mine.end()};
  }

  void require_usable(const std::string& operation) const {
    if (!abandoned_) return;
    throw Error(ErrorKind::deadline, "cannot " + operation + ": an earlier wait on this communicator was abandoned");
  }

  /// Runs `work`, and keeps its operations and their memory if they are abandoned, after a timeout or an MPI error.
  template <class Work>
  void collectively(const std::string& operation, Deadline deadline, Work&& work) {
    require_usable(operation);
    const auto mpi = std::make_shared<MpiCollectives>(operation);
    Clock clock(deadline);
    try {
      work(*mpi, clock);
    } catch (...) {
      if (mpi->is_pending()) abandoned_ = mpi;
      throw;
    }
  }

  /// `post` starts the collectives on a copy of each piece.
  template <class Item, class Post>
  void in_pieces(const std::string& operation, std::span<Item> items, Deadline deadline, Post&& post) {
    collectively(operation, deadline, [&](MpiCollectives& mpi, Clock& clock) {
      for (; !items.empty(); mpi.release()) {
        const std::span<Item> piece = items.first(std::min(items.size(), piece_bytes / sizeof(Item)));
        const std::span<Item> copy = mpi.hold(std::span<const Item>(piece));
        post(mpi, copy);
        wait(mpi, clock);
        std::ranges::copy(copy, piece.begin());
        items = items.subspan(piece.size());
      }
    });
  }

  void wait(MpiCollectives& mpi, const Clock& clock) const { wait(mpi, mpi.operation(), clock); }

  void wait(MpiPending& pending, const std::string& operation, const Clock& clock) const {
    if (wait_politely(patience_, clock.left(), [&] { return pending.advance(); })) return;
    throw too_late(operation, *clock.whole());
  }

  MPI_Comm communicator_;
  Patience patience_ = patience_here();
  int rank_ = 0;
  int size_ = 1;
  std::shared_ptr<MpiBackend> node_;  ///< created when first requested
  int exchange_tag_ = 0;
  std::shared_ptr<MpiPending> abandoned_;  ///< abandoned operation: the communicator is unusable after it
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
