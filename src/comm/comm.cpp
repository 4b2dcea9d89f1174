#include "quire/comm/comm.hpp"

#include <algorithm>
#include <array>
#include <exception>
#include <string>
#include <utility>

#include "comm/alone.hpp"
#include "comm/departed.hpp"
#include "comm/mpi_part.hpp"
#include "comm/serial.hpp"

namespace quire {
namespace {

/// A message of fixed size with the number of bytes and the first of them. Most replies are a few hundred bytes.
struct Head {
  std::uint64_t size = 0;
  std::array<std::byte, 504> bytes{};

  [[nodiscard]] std::span<std::byte> memory() { return std::as_writable_bytes(std::span(this, 1)); }
  void hold(std::span<const std::byte> all) {
    size = all.size();
    std::copy_n(all.begin(), std::min(all.size(), bytes.size()), bytes.begin());
  }
  /// Resizes `all`, and fills it if all bytes are in the head.
  [[nodiscard]] bool give(std::vector<std::byte>& all) const {
    all.resize(static_cast<std::size_t>(size));
    if (all.size() > bytes.size()) return false;
    std::copy_n(bytes.begin(), all.size(), all.begin());
    return true;
  }
};

/// Runs the work of rank 0 inside a collective and returns what it throws: the others still wait for its answer.
template <class Work>
std::exception_ptr failure_of(Work&& work) {
  try {
    work();
  } catch (...) {
    return std::current_exception();
  }
  return nullptr;
}

}  // namespace

void CommBackend::reduce_and_answer(std::span<std::uint64_t> words, std::span<std::uint64_t> lower,
                                    std::span<std::uint64_t> maxima, std::span<std::byte> reply,
                                    const std::function<void()>& answer, Deadline deadline) {
  if (words.empty()) {
    maximum(maxima, deadline);
  } else {
    sum_and_prefix(words, lower, maxima, deadline);
  }
  const std::exception_ptr failure = rank() == 0 ? failure_of(answer) : nullptr;
  // The others receive a size of zero.
  if (failure) std::ranges::fill(reply, std::byte{0});
  broadcast(reply, 0, deadline);
  if (failure) std::rethrow_exception(failure);
}

std::vector<std::byte> CommBackend::gather_scatter(std::vector<std::byte> question, const RootReply& reply,
                                                   Deadline deadline) {
  std::vector<Parcel> mine;
  if (!question.empty()) mine.push_back({0, std::move(question)});
  std::vector<Parcel> asked = exchange(std::move(mine), deadline);
  std::vector<Parcel> answers;
  const auto answer_all = [&] {
    std::vector<std::vector<std::byte>> questions(static_cast<std::size_t>(size()));
    for (Parcel& parcel : asked) questions[static_cast<std::size_t>(parcel.rank)] = std::move(parcel.bytes);
    int rank = 0;
    for (std::vector<std::byte>& bytes : reply(std::move(questions))) {
      if (!bytes.empty()) answers.push_back({rank, std::move(bytes)});
      ++rank;
    }
  };
  const std::exception_ptr failure = rank() == 0 ? failure_of(answer_all) : nullptr;
  if (failure) answers.clear();
  std::vector<Parcel> answered = exchange(std::move(answers), deadline);
  if (failure) std::rethrow_exception(failure);
  return answered.empty() ? std::vector<std::byte>() : std::move(answered.front().bytes);
}

Comm Comm::self() { return Comm(std::make_shared<SerialBackend>()); }

Comm Comm::only_process() {
  const MpiPart* mpi = mpi_part();
  const int ranks = mpi == nullptr ? 1 : mpi->world_size();
  if (ranks <= 1) return self();
  throw Error(ErrorKind::usage, "no communicator was given, and the program has " + std::to_string(ranks) + " ranks")
      .advise("pass world() if all ranks make this call together, Comm::self() if this rank works alone");
}

Comm::Comm(std::shared_ptr<CommBackend> backend) : backend_(std::move(backend)) {}

void Comm::count(std::uint64_t bytes) noexcept {
  ++traffic_.collectives;
  if (size() == 1 || bytes == 0) return;
  ++traffic_.messages;
  traffic_.bytes += bytes;
}

void Comm::barrier() {
  count(0);
  backend_->barrier(deadline_);
}

void Comm::sum(std::span<std::uint64_t> words) {
  count(words.size_bytes());
  backend_->sum(words, deadline_);
}

void Comm::maximum(std::span<std::uint64_t> words) {
  count(words.size_bytes());
  backend_->maximum(words, deadline_);
}

void Comm::prefix(std::span<std::uint64_t> words) {
  count(words.size_bytes());
  backend_->prefix(words, deadline_);
}

void Comm::sum_and_prefix(std::span<std::uint64_t> words, std::span<std::uint64_t> lower,
                          std::span<std::uint64_t> maxima) {
  count(words.size_bytes() + maxima.size_bytes());
  backend_->sum_and_prefix(words, lower, maxima, deadline_);
}

void Comm::prefix_maximum(std::span<std::uint64_t> words) {
  count(words.size_bytes());
  backend_->prefix_maximum(words, deadline_);
}

std::vector<Parcel> Comm::exchange(std::vector<Parcel> parcels) {
  std::erase_if(parcels, [](const Parcel& parcel) { return parcel.bytes.empty(); });
  std::ranges::sort(parcels, {}, &Parcel::rank);
  for (std::size_t i = 0; i < parcels.size(); ++i) {
    const int rank = parcels[i].rank;
    if (rank < 0 || rank >= size()) {
      throw Error(ErrorKind::usage, "cannot send to rank " + std::to_string(rank) + ": there are only " +
                                        std::to_string(size()) + " ranks");
    }
    if (i > 0 && parcels[i - 1].rank == rank) {
      throw Error(ErrorKind::usage, "there are two parcels for rank " + std::to_string(rank));
    }
  }
  count(0);
  for (const Parcel& parcel : parcels) {
    if (parcel.rank == rank()) continue;
    ++traffic_.messages;
    traffic_.bytes += parcel.bytes.size();
  }
  std::vector<Parcel> received = backend_->exchange(std::move(parcels), deadline_);
  std::ranges::sort(received, {}, &Parcel::rank);
  return received;
}

void Comm::broadcast(std::span<std::byte> bytes, int root) {
  count(rank() == root ? bytes.size() : 0);
  backend_->broadcast(bytes, root, deadline_);
}

void Comm::broadcast(std::vector<std::byte>& bytes, int root) {
  Head head;
  if (rank() == root) head.hold(bytes);
  broadcast(head.memory(), root);
  if (!head.give(bytes)) broadcast(std::span(bytes), root);
}

std::vector<std::byte> Comm::sum_and_answer(std::span<std::uint64_t> words, std::span<std::uint64_t> lower,
                                            std::span<std::uint64_t> maxima, const RootAnswer& answer) {
  std::vector<std::byte> bytes;
  Head head;
  count(words.size_bytes() + maxima.size_bytes());
  const auto answer_here = [&] {
    bytes = answer();
    head.hold(bytes);
  };
  backend_->reduce_and_answer(words, lower, maxima, head.memory(), answer_here, deadline_);
  if (!head.give(bytes)) broadcast(std::span(bytes));
  return bytes;
}

std::vector<std::byte> Comm::maximum_and_answer(std::span<std::uint64_t> words, const RootAnswer& answer) {
  return sum_and_answer({}, {}, words, answer);
}

std::vector<std::byte> Comm::gather_scatter(std::vector<std::byte> question, const RootReply& reply) {
  count(question.size());
  return backend_->gather_scatter(std::move(question), reply, deadline_);
}

Comm Comm::split(int color, int key) {
  count(0);
  // MPI_Comm_split cannot time out, so a barrier with the deadline is called first.
  backend_->barrier(deadline_);
  Comm part(backend_->split(color, key));
  part.set_deadline(deadline_);
  return part;
}

Comm Comm::split_by_node() {
  count(0);
  backend_->barrier(deadline_);
  Comm node(backend_->split_by_node());
  node.set_deadline(deadline_);
  return node;
}

void Comm::let_go() { backend_ = std::make_shared<DepartedBackend>(rank(), size()); }

void agree(Comm& comm, const std::optional<Error>& mine) {
  const auto size = static_cast<std::uint64_t>(comm.size());
  // The lowest failing rank has the greatest vote.
  std::uint64_t vote = mine ? size - static_cast<std::uint64_t>(comm.rank()) : 0;
  comm.maximum(std::span(&vote, 1));
  if (vote == 0) return;

  const int root = static_cast<int>(size - vote);
  std::vector<std::byte> packed;
  if (comm.rank() == root) {
    Error error = *mine;
    // An error on which a part of the ranks agreed before has the correct rank already.
    if (!error.rank()) error.from_rank(root);
    packed = error_seen_by(comm, error).pack();
  }
  comm.broadcast(packed, root);
  throw Error::unpack(packed);
}

}  // namespace quire
