#include "comm/mpi_tree.hpp"

#include <algorithm>
#include <utility>

#include "comm/mpi_error.hpp"

namespace quire {
namespace {

constexpr const char* operation = "send words to other ranks";

/// Towards the root and away from it. Exchanges of a communicator use 0 and 1.
enum Tag : int { up = 2, down = 3 };

/// Keeps counts far below the range of int.
constexpr std::size_t piece_bytes = std::size_t{16} << 20;

std::vector<std::uint64_t> joined(std::span<const std::uint64_t> first, std::span<const std::uint64_t> second) {
  std::vector<std::uint64_t> all(first.begin(), first.end());
  all.insert(all.end(), second.begin(), second.end());
  return all;
}

}  // namespace

void MpiMessages::send(MPI_Comm communicator, int rank, int tag, std::span<const std::byte> bytes) {
  Message& message = messages_.emplace_back(MPI_REQUEST_NULL, static_cast<int>(bytes.size()), false);
  check_mpi(operation, MPI_Isend(bytes.data(), message.length, MPI_BYTE, rank, tag, communicator, &message.request));
}

void MpiMessages::receive(MPI_Comm communicator, int rank, int tag, std::span<std::byte> bytes) {
  Message& message = messages_.emplace_back(MPI_REQUEST_NULL, static_cast<int>(bytes.size()), true);
  check_mpi(operation, MPI_Irecv(bytes.data(), message.length, MPI_BYTE, rank, tag, communicator, &message.request));
}

void MpiMessages::send_large(MPI_Comm communicator, int rank, int tag, std::span<const std::byte> bytes) {
  for (; !bytes.empty(); bytes = bytes.subspan(std::min(bytes.size(), piece_bytes))) {
    send(communicator, rank, tag, bytes.first(std::min(bytes.size(), piece_bytes)));
  }
}

void MpiMessages::receive_large(MPI_Comm communicator, int rank, int tag, std::span<std::byte> bytes) {
  for (; !bytes.empty(); bytes = bytes.subspan(std::min(bytes.size(), piece_bytes))) {
    receive(communicator, rank, tag, bytes.first(std::min(bytes.size(), piece_bytes)));
  }
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
      throw Error(ErrorKind::internal, "ranks called different collectives: received " + std::to_string(length) +
                                           " bytes instead of " + std::to_string(message.length));
    }
  }
  return true;
}

TreeReduction::TreeReduction(MPI_Comm communicator, const RankTree& tree, std::span<const std::uint64_t> summed,
                             std::span<const std::uint64_t> compared, std::size_t reply_bytes, Answer answer,
                             Completion completion)
    : communicator_(communicator),
      tree_(tree),
      sums_(summed.size()),
      count_(summed.size() + compared.size()),
      mine_(joined(summed, compared)),
      total_(mine_),
      questions_(tree.children.size() * count_),
      answer_(2 * count_ + reply_bytes / sizeof(std::uint64_t)),
      make_answer_(std::move(answer)),
      completion_(completion) {
  answers_.reserve(tree.children.size() * answer_.size());  // no reallocation while they are sent
}

bool TreeReduction::advance() {
  if (phase_ == Phase::start) collect();
  if (phase_ == Phase::collecting) {
    if (!messages_.are_done()) return false;
    ask();
  }
  if (phase_ == Phase::asking) {
    if (!messages_.are_done()) return false;
    send_answers();
  }
  return completion_ == Completion::sent || messages_.are_done();
}

std::span<std::uint64_t> TreeReduction::question_of(std::size_t child) {
  return std::span(questions_).subspan(child * count_, count_);
}

void TreeReduction::combine(std::span<std::uint64_t> into, std::span<const std::uint64_t> words) const {
  for (std::size_t i = 0; i < into.size(); ++i) {
    into[i] = i < sums_ ? into[i] + words[i] : std::max(into[i], words[i]);
  }
}

void TreeReduction::collect() {
  for (std::size_t c = 0; c < tree_.children.size(); ++c) {
    messages_.receive(communicator_, tree_.children[c], Tag::up, std::as_writable_bytes(question_of(c)));
  }
  phase_ = Phase::collecting;
}

void TreeReduction::ask() {
  for (std::size_t c = 0; c < tree_.children.size(); ++c) combine(total_, question_of(c));
  if (tree_.parent) {
    messages_.receive(communicator_, *tree_.parent, Tag::down, std::as_writable_bytes(std::span(answer_)));
    messages_.send(communicator_, *tree_.parent, Tag::up, std::as_bytes(std::span(total_)));
  } else {
    std::ranges::copy(total_, answer_.begin());
    const auto reply = std::span(answer_).subspan(2 * count_);
    // If the answer throws, the others receive a size of zero.
    if (make_answer_ && !answer([&] { make_answer_(of_all(), std::as_writable_bytes(reply)); })) {
      std::ranges::fill(reply, 0);
    }
  }
  phase_ = Phase::asking;
}

void TreeReduction::send_answers() {
  std::vector<std::uint64_t> lower(of_lower().begin(), of_lower().end());
  combine(lower, mine_);
  for (std::size_t c = 0; c < tree_.children.size(); ++c) {
    answers_.insert(answers_.end(), answer_.begin(), answer_.end());
    const auto answer = std::span(answers_).last(answer_.size());
    std::ranges::copy(lower, answer.begin() + static_cast<std::ptrdiff_t>(count_));
    messages_.send(communicator_, tree_.children[c], Tag::down, std::as_bytes(answer));
    // The words below this child belong to the lower ranks of the following children.
    combine(lower, question_of(c));
  }
  phase_ = Phase::replying;
}

TreeBroadcast::TreeBroadcast(MPI_Comm communicator, RankTree tree, int root, std::span<const std::byte> bytes)
    : communicator_(communicator), tree_(std::move(tree)), root_(root), bytes_(bytes.begin(), bytes.end()) {
  MPI_Comm_size(communicator, &size_);
}

bool TreeBroadcast::advance() {
  if (phase_ == Phase::start) {
    if (tree_.parent) messages_.receive(communicator_, rank_of(*tree_.parent), Tag::down, bytes_);
    phase_ = Phase::receiving;
  }
  if (phase_ == Phase::receiving) {
    if (!messages_.are_done()) return false;
    for (const int child : tree_.children) messages_.send(communicator_, rank_of(child), Tag::down, bytes_);
    phase_ = Phase::replying;
  }
  return messages_.are_done();
}

}  // namespace quire
