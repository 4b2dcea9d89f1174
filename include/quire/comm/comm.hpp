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

/// How long a wait for the other ranks may take; nothing means for ever.
using Deadline = std::optional<std::chrono::milliseconds>;

/// Bytes for another rank, or from one.
struct Parcel {
  int rank = 0;
  std::vector<std::byte> bytes;
};

/// What a rank has handed to others through one handle of a communicator.
struct Traffic {
  std::uint64_t collectives = 0;
  /// One for each parcel to another rank, and one for each sum, maximum, prefix or broadcast of its own that this rank
  /// brings words to: how a library passes them on is its own affair.
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;  ///< in these messages
};

/// What rank 0 says in a meeting once it has heard of all ranks. It meets nobody else; if it throws, rank 0 throws that
/// when the others have been told nothing. A deadline of theirs is one for the last rank to come and for what rank 0
/// does.
using RootAnswer = std::function<std::vector<std::byte>()>;
/// The same with what each rank has asked, by rank; an answer for each.
using RootReply = std::function<std::vector<std::vector<std::byte>>(std::vector<std::vector<std::byte>> questions)>;

/// When a meeting is over for a rank that passes on to others what rank 0 says.
enum class Parting : std::uint8_t {
  received,  ///< once the others have it
  sent,      ///< once it has sent it: for meetings that another one follows. Whoever waits for listeners gives way to
             ///< them, and where ranks outnumber the cores it gets its next turn when they have done their work
};

/// What a communicator must be able to do. One implementation is serial, one is MPI.
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
  /// As sum_and_prefix(); `answer` runs on rank 0 when all words have their values there, then every rank gets what
  /// `told` is on rank 0. Without words that are summed `lower` is empty, too. Here it is made of the others.
  virtual void reduce_and_answer(std::span<std::uint64_t> words, std::span<std::uint64_t> lower,
                                 std::span<std::uint64_t> maxima, std::span<std::byte> told,
                                 const std::function<void()>& answer, Parting, Deadline);
  /// The same.
  [[nodiscard]] virtual std::vector<std::byte> gather_scatter(std::vector<std::byte> question, const RootReply& reply,
                                                              Parting, Deadline);
  [[nodiscard]] virtual std::vector<Parcel> exchange(std::vector<Parcel> parcels, Deadline) = 0;
  [[nodiscard]] virtual std::shared_ptr<CommBackend> split(int color, int key) = 0;
  [[nodiscard]] virtual std::shared_ptr<CommBackend> split_by_node() = 0;
  /// What libraries that move bytes themselves ask for: with MPI a pointer to the MPI_Comm, which lives as long as
  /// this; null for a process alone.
  [[nodiscard]] virtual const void* native() const noexcept { return nullptr; }
};

/// The ranks that work on one file together. A cheap handle: copies share the communicator.
///
/// All waits are polite (test, yield, sleep: performance.md section 5.6) and throw a deadline error when the set
/// deadline passes; after that the communicator must not be used again.
class Comm {
 public:
  /// Independent. The calling process alone: rank 0 of 1.
  [[nodiscard]] static Comm self();
  explicit Comm(std::shared_ptr<CommBackend> backend);

  [[nodiscard]] int rank() const noexcept { return backend_->rank(); }
  [[nodiscard]] int size() const noexcept { return backend_->size(); }
  [[nodiscard]] bool is_root() const noexcept { return rank() == 0; }

  /// Independent. How long each later wait on this handle may take.
  void set_deadline(Deadline deadline) noexcept { deadline_ = deadline; }
  [[nodiscard]] Deadline deadline() const noexcept { return deadline_; }

  /// Collective. Returns when every rank has come.
  void barrier();
  /// Collective. Each word becomes its sum over all ranks, modulo 2^64. Same number of words on every rank.
  void sum(std::span<std::uint64_t> words);
  /// Collective. Each word becomes its maximum over all ranks.
  void maximum(std::span<std::uint64_t> words);
  /// Collective. Each word becomes its sum over the lower ranks (0 on rank 0), modulo 2^64.
  void prefix(std::span<std::uint64_t> words);
  /// Collective. Both in one meeting: each word becomes its sum over all ranks, and the same word of `lower`, which has
  /// as many, its sum over the lower ranks. Each word of `maxima` becomes its maximum over all ranks.
  void sum_and_prefix(std::span<std::uint64_t> words, std::span<std::uint64_t> lower,
                      std::span<std::uint64_t> maxima = {});
  /// Collective. Each word, below 2^63, becomes its maximum over the lower ranks (0 on rank 0).
  void prefix_maximum(std::span<std::uint64_t> words);
  /// Collective. Everyone gets rank `root`'s bytes; the sizes must agree.
  void broadcast(std::span<std::byte> bytes, int root = 0);
  /// Collective. The same when only `root` knows the size; a second broadcast of more than 504 bytes.
  void broadcast(std::vector<std::byte>& bytes, int root = 0);
  /// Collective. As sum_and_prefix(), and in the same meeting rank 0 runs `answer` when it knows all words: every rank
  /// returns its bytes. One meeting more for over 504 bytes.
  [[nodiscard]] std::vector<std::byte> sum_and_answer(std::span<std::uint64_t> words, std::span<std::uint64_t> lower,
                                                      std::span<std::uint64_t> maxima, const RootAnswer& answer,
                                                      Parting parting = Parting::received);
  /// Collective. The same with maximum().
  [[nodiscard]] std::vector<std::byte> maximum_and_answer(std::span<std::uint64_t> words, const RootAnswer& answer,
                                                          Parting parting = Parting::received);
  /// Collective. Rank 0 gets a question of every rank and gives each its answer, all in one meeting: for what only
  /// rank 0 can know, and what takes it bytes of every rank.
  [[nodiscard]] std::vector<std::byte> gather_scatter(std::vector<std::byte> question, const RootReply& reply,
                                                      Parting parting = Parting::received);
  /// Collective. Sends each parcel to its rank, which need not know who sends: returns what was sent to this rank,
  /// ordered by the rank it comes from. One parcel for a rank at most; empty ones are not sent. What it takes grows
  /// with the parcels of a rank, not with the number of ranks. Throws usage errors for ranks that do not exist.
  [[nodiscard]] std::vector<Parcel> exchange(std::vector<Parcel> parcels);

  /// Collective. A communicator of the ranks with the same color, ordered by key.
  [[nodiscard]] Comm split(int color, int key);
  /// Collective. A communicator of the ranks that share this rank's memory. Every call gives the same one.
  [[nodiscard]] Comm split_by_node();

  /// Independent. How many collective calls this handle has made: tests count them.
  [[nodiscard]] std::uint64_t collectives() const noexcept { return traffic_.collectives; }
  /// Independent. The same with what this rank has handed to others.
  [[nodiscard]] const Traffic& traffic() const noexcept { return traffic_; }
  [[nodiscard]] CommBackend& backend() const noexcept { return *backend_; }

  /// Independent. Gives the communicator up: the last handle of it frees it. Rank, size and what was counted stay
  /// known; every later collective call of this handle throws a usage error.
  void let_go();

 private:
  /// Counts one collective that this rank brings so many bytes to.
  void count(std::uint64_t bytes) noexcept;

  std::shared_ptr<CommBackend> backend_;
  Deadline deadline_;
  Traffic traffic_;
};

/// Collective. If any rank brings an error, every rank throws the error of the lowest such rank, with its
/// rank filled in unless an earlier agreement did; otherwise returns. One collective on the success path.
void agree(Comm& comm, const std::optional<Error>& mine);

}  // namespace quire
