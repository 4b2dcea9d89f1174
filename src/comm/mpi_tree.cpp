#include "comm/mpi_tree.hpp"

#include <algorithm>
#include <utility>

#include "comm/mpi_error.hpp"

namespace quire {
namespace {

constexpr const char* operation = "pass words on to other ranks";

/// Towards the root and away from it. Other exchanges of a communicator use 0 and 1.
enum Tag : int { up = 2, down = 3 };

}  // namespace

void MpiMessages::send(MPI_Comm communicator, int rank, int tag, std::span<const std::byte> bytes) {
  Message& message = messages_.emplace_back(MPI_REQUEST_NULL, static_cast<int>(bytes.size()), false);
  check_mpi(operation, MPI_Isend(bytes.data(), message.length, MPI_BYTE, rank, tag, communicator, &message.request));
}

void MpiMessages::receive(MPI_Comm communicator, int rank, int tag, std::span<std::byte> bytes) {
  Message& message = messages_.emplace_back(MPI_REQUEST_NULL, static_cast<int>(bytes.size()), true);
  check_mpi(operation, MPI_Irecv(bytes.data(), message.length, MPI_BYTE, rank, tag, communicator, &message.request));
}

bool MpiMessages::are_done() {
  for (; done_ < messages_.size(); ++done_) {
    Message& message = messages_[done_];
    int is_done = 0;
    MPI_Status status{};
    check_mpi(operation, MPI_Test(&message.request, &is_done, &status));
    if (is_done == 0) return false;
    if (!message.is_incoming) continue;
    int length = 0;
    check_mpi(operation, MPI_Get_count(&status, MPI_BYTE, &length));
    if (length != message.length) {
      throw Error(ErrorKind::internal, "ranks have met in different calls: " + std::to_string(length) +
                                           " bytes came instead of " + std::to_string(message.length));
    }
  }
  return true;
}

TreeReduction::TreeReduction(MPI_Comm communicator, const RankTree& tree, Kind kind,
                             std::span<const std::uint64_t> words)
    : communicator_(communicator),
      tree_(tree),
      kind_(kind),
      mine_(words.begin(), words.end()),
      total_(mine_),
      children_(tree.children.size() * words.size()),
      result_(words.size()) {}

bool TreeReduction::advance() {
  if (phase_ == Phase::start) collect();
  if (phase_ == Phase::collecting) {
    if (!messages_.are_done()) return false;
    ask();
  }
  if (phase_ == Phase::asking) {
    if (!messages_.are_done()) return false;
    tell();
  }
  return messages_.are_done();
}

std::span<std::uint64_t> TreeReduction::of_child(std::size_t child) {
  return std::span(children_).subspan(child * mine_.size(), mine_.size());
}

void TreeReduction::combine(std::span<std::uint64_t> into, std::span<const std::uint64_t> words) const {
  const bool sums = kind_ == Kind::sum || kind_ == Kind::prefix_sum;
  for (std::size_t i = 0; i < into.size(); ++i) into[i] = sums ? into[i] + words[i] : std::max(into[i], words[i]);
}

void TreeReduction::collect() {
  for (std::size_t c = 0; c < tree_.children.size(); ++c) {
    messages_.receive(communicator_, tree_.children[c], Tag::up, std::as_writable_bytes(of_child(c)));
  }
  phase_ = Phase::collecting;
}

void TreeReduction::ask() {
  for (std::size_t c = 0; c < tree_.children.size(); ++c) combine(total_, of_child(c));
  if (tree_.parent) {
    messages_.receive(communicator_, *tree_.parent, Tag::down, std::as_writable_bytes(std::span(result_)));
    messages_.send(communicator_, *tree_.parent, Tag::up, std::as_bytes(std::span(total_)));
  } else if (!is_prefix()) {
    result_ = total_;
  }
  phase_ = Phase::asking;
}

void TreeReduction::tell() {
  std::vector<std::uint64_t> before = result_;
  if (is_prefix()) combine(before, mine_);
  for (std::size_t c = 0; c < tree_.children.size(); ++c) {
    const std::span<std::uint64_t> words = of_child(c);
    // What lies below this child counts for those behind it.
    const std::vector<std::uint64_t> below(words.begin(), words.end());
    std::ranges::copy(before, words.begin());
    if (is_prefix()) combine(before, below);
    messages_.send(communicator_, tree_.children[c], Tag::down, std::as_bytes(words));
  }
  phase_ = Phase::telling;
}

TreeBroadcast::TreeBroadcast(MPI_Comm communicator, RankTree tree, int root, std::span<const std::byte> bytes)
    : communicator_(communicator), tree_(std::move(tree)), root_(root), bytes_(bytes.begin(), bytes.end()) {
  MPI_Comm_size(communicator, &size_);
}

bool TreeBroadcast::advance() {
  if (phase_ == Phase::start) {
    if (tree_.parent) messages_.receive(communicator_, rank_of(*tree_.parent), Tag::down, bytes_);
    phase_ = Phase::hearing;
  }
  if (phase_ == Phase::hearing) {
    if (!messages_.are_done()) return false;
    for (const int child : tree_.children) messages_.send(communicator_, rank_of(child), Tag::down, bytes_);
    phase_ = Phase::telling;
  }
  return messages_.are_done();
}

}  // namespace quire
