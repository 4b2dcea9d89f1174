#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "quire/base/error.hpp"

namespace quire {

/// How long a wait for the other ranks may take; without a value there is no limit.
using Deadline = std::optional<std::chrono::milliseconds>;

/// Bytes that are sent to, or were received from, another rank.
struct Parcel {
  int rank = 0;
  std::vector<std::byte> bytes;
};

/// What a rank has sent through one handle of a communicator.
struct Traffic {
  std::uint64_t collectives = 0;
  /// One for each parcel to another rank, and one for each reduction, exscan or broadcast to which this rank
  /// contributes words. The messages inside such an operation are not counted.
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;  ///< in these messages
};

/// Called on rank 0 inside a collective, after it has received the contributions of all ranks. It must not call
/// collectives itself. If it throws, the other ranks return no bytes and rank 0 rethrows its error. A deadline of the
/// other ranks covers the wait for the last rank and the run time of this function.
using RootAnswer = std::function<std::vector<std::byte>()>;
/// The same with the gathered bytes of all ranks, by rank; returns the bytes to scatter, one entry for each rank.
using RootReply = std::function<std::vector<std::vector<std::byte>>(std::vector<std::vector<std::byte>> questions)>;

/// The interface of a communicator. One implementation is serial, one uses MPI.
class CommBackend {
 public:
  virtual ~CommBackend() = default;
  [[nodiscard]] virtual int rank() const noexcept = 0;
  [[nodiscard]] virtual int size() const noexcept = 0;
  virtual void barrier(Deadline) = 0;
  virtual void sum(std::span<std::uint64_t> words, Deadline) = 0;
  virtual void maximum(std::span<std::uint64_t> words, Deadline) = 0;
  virtual void prefix(std::span<std::uint64_t> words, Deadline) = 0;
  virtual void sum_and_prefix(std::span<std::uint64_t> words, std::span<std::uint64_t> lower,
                              std::span<std::uint64_t> maxima, Deadline) = 0;
  virtual void prefix_maximum(std::span<std::uint64_t> words, Deadline) = 0;
  virtual void broadcast(std::span<std::byte> bytes, int root, Deadline) = 0;
  /// As sum_and_prefix(). `answer` runs on rank 0 when all words have their values there; then `reply` is broadcast
  /// from rank 0. `lower` is empty if no words are summed. The default implementation uses the other functions.
  virtual void reduce_and_answer(std::span<std::uint64_t> words, std::span<std::uint64_t> lower,
                                 std::span<std::uint64_t> maxima, std::span<std::byte> reply,
                                 const std::function<void()>& answer, Deadline);
  /// Gathers the questions on rank 0 and scatters its replies. The default implementation uses the other functions.
  [[nodiscard]] virtual std::vector<std::byte> gather_scatter(std::vector<std::byte> question, const RootReply& reply,
                                                              Deadline);
  [[nodiscard]] virtual std::vector<Parcel> exchange(std::vector<Parcel> parcels, Deadline) = 0;
  [[nodiscard]] virtual std::shared_ptr<CommBackend> split(int color, int key) = 0;
  [[nodiscard]] virtual std::shared_ptr<CommBackend> split_by_node() = 0;
  /// For libraries that do their own I/O: with MPI a pointer to the MPI_Comm, which lives as long as this object; null
  /// for a serial communicator.
  [[nodiscard]] virtual const void* native() const noexcept { return nullptr; }
};

/// The ranks that work on one file together. A cheap handle: copies share the communicator.
///
/// All waits yield and sleep between tests (performance.md section 5.6), and throw a deadline error when the deadline
/// passes; after that the communicator must not be used again.
class Comm {
 public:
  /// Independent. The calling process alone: rank 0 of 1.
  [[nodiscard]] static Comm self();
  /// Independent. self(), the default of calls without a communicator. Throws a usage error if MPI is initialised on
  /// several ranks: each must then pass world() or self(), to state whether it works with the others or alone.
  [[nodiscard]] static Comm only_process();
  explicit Comm(std::shared_ptr<CommBackend> backend);

  [[nodiscard]] int rank() const noexcept { return backend_->rank(); }
  [[nodiscard]] int size() const noexcept { return backend_->size(); }
  [[nodiscard]] bool is_root() const noexcept { return rank() == 0; }

  /// Independent. How long each later wait on this handle may take.
  void set_deadline(Deadline deadline) noexcept { deadline_ = deadline; }
  [[nodiscard]] Deadline deadline() const noexcept { return deadline_; }

  /// Collective. Returns when every rank has called it.
  void barrier();
  /// Collective. Each word becomes its sum over all ranks, modulo 2^64. The number of words is the same on all ranks.
  void sum(std::span<std::uint64_t> words);
  /// Collective. Each word becomes its maximum over all ranks.
  void maximum(std::span<std::uint64_t> words);
  /// Collective. Each word becomes its sum over the lower ranks (0 on rank 0), modulo 2^64.
  void prefix(std::span<std::uint64_t> words);
  /// Collective. sum() and prefix() in one operation: each word becomes its sum over all ranks, and the same word of
  /// `lower`, which has equal length, its sum over the lower ranks. Each word of `maxima` becomes its maximum.
  void sum_and_prefix(std::span<std::uint64_t> words, std::span<std::uint64_t> lower,
                      std::span<std::uint64_t> maxima = {});
  /// Collective. Each word, below 2^63, becomes its maximum over the lower ranks (0 on rank 0).
  void prefix_maximum(std::span<std::uint64_t> words);
  /// Collective. All ranks get the bytes of rank `root`; the sizes must agree.
  void broadcast(std::span<std::byte> bytes, int root = 0);
  /// Collective. The same if only `root` knows the size. More than 504 bytes need a second broadcast.
  void broadcast(std::vector<std::byte>& bytes, int root = 0);
  /// Collective. As sum_and_prefix(), and in the same operation rank 0 runs `answer`, after it has received all words,
  /// and the bytes that it returns are broadcast. More than 504 bytes need one more broadcast.
  [[nodiscard]] std::vector<std::byte> sum_and_answer(std::span<std::uint64_t> words, std::span<std::uint64_t> lower,
                                                      std::span<std::uint64_t> maxima, const RootAnswer& answer);
  /// Collective. The same with maximum().
  [[nodiscard]] std::vector<std::byte> maximum_and_answer(std::span<std::uint64_t> words, const RootAnswer& answer);
  /// Collective. Gathers a question of every rank on rank 0 and scatters its replies, in one operation: for results
  /// that only rank 0 can compute, from bytes of every rank.
  [[nodiscard]] std::vector<std::byte> gather_scatter(std::vector<std::byte> question, const RootReply& reply);
  /// Collective. Sends each parcel to its rank and returns the parcels for this rank, ordered by sender; receivers need
  /// not know their senders. At most one parcel for each rank; empty ones are not sent. The cost grows with the parcels
  /// of a rank, not with the number of ranks. Throws usage errors for ranks that do not exist.
  [[nodiscard]] std::vector<Parcel> exchange(std::vector<Parcel> parcels);

  /// Collective. A communicator of the ranks with the same color, ordered by key.
  [[nodiscard]] Comm split(int color, int key);
  /// Collective. A communicator of the ranks that share memory with this one. Every call returns the same one.
  [[nodiscard]] Comm split_by_node();

  /// Independent. How many collective calls this handle has made.
  [[nodiscard]] std::uint64_t collectives() const noexcept { return traffic_.collectives; }
  /// Independent. The same, with the messages and bytes that this rank has sent.
  [[nodiscard]] const Traffic& traffic() const noexcept { return traffic_; }
  [[nodiscard]] CommBackend& backend() const noexcept { return *backend_; }

  /// Independent. Releases the communicator; the last handle frees it. Rank, size and traffic stay available; every
  /// later collective call of this handle throws a usage error.
  void let_go();

 private:
  /// Counts one collective to which this rank contributes so many bytes.
  void count(std::uint64_t bytes) noexcept;

  std::shared_ptr<CommBackend> backend_;
  Deadline deadline_;
  Traffic traffic_;
};

/// Collective. If any rank passes an error, every rank throws the error of the lowest such rank, with its rank
/// set unless an earlier agreement set it; otherwise returns. Costs one collective if there is no error.
void agree(Comm& comm, const std::optional<Error>& mine);

}  // namespace quire
