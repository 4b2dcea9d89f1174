#include "comm/mpi_gather_scatter.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace quire {
namespace {

/// Towards the root and away from it; other operations of a communicator use the lower tags.
enum Tag : int { up = 4, down = 5 };

void append(std::vector<std::byte>& bundle, std::span<const std::byte> bytes) {
  const std::uint64_t size = bytes.size();
  const auto number = std::as_bytes(std::span(&size, 1));
  bundle.insert(bundle.end(), number.begin(), number.end());
  bundle.insert(bundle.end(), bytes.begin(), bytes.end());
}

/// Removes the bytes of one rank from the front of a bundle.
std::span<const std::byte> take_first(std::span<const std::byte>& bundle) {
  std::uint64_t size = 0;
  std::memcpy(&size, bundle.data(), sizeof size);
  const auto bytes = bundle.subspan(sizeof size, static_cast<std::size_t>(size));
  bundle = bundle.subspan(sizeof size + bytes.size());
  return bytes;
}

/// Removes the entries of the first ranks from the front of a bundle.
std::span<const std::byte> take_ranks(std::span<const std::byte>& bundle, int ranks) {
  const std::span<const std::byte> whole = bundle;
  for (int rank = 0; rank < ranks; ++rank) static_cast<void>(take_first(bundle));
  return whole.first(whole.size() - bundle.size());
}

}  // namespace

void Bundle::send(MpiMessages& messages, MPI_Comm communicator, int rank, int tag, std::span<const std::byte> bytes) {
  all_.assign(bytes.begin(), bytes.end());
  head_.size = all_.size();
  const std::size_t at_once = std::min(all_.size(), head_.bytes.size());
  std::copy_n(all_.begin(), at_once, head_.bytes.begin());
  messages.send(communicator, rank, tag, std::as_bytes(std::span(&head_, 1)));
  messages.send_large(communicator, rank, tag, std::span(all_).subspan(at_once));
}

void Bundle::receive_head(MpiMessages& messages, MPI_Comm communicator, int rank, int tag) {
  messages.receive(communicator, rank, tag, std::as_writable_bytes(std::span(&head_, 1)));
}

void Bundle::receive_rest(MpiMessages& messages, MPI_Comm communicator, int rank, int tag) {
  all_.resize(static_cast<std::size_t>(head_.size));
  const std::size_t at_once = std::min(all_.size(), head_.bytes.size());
  std::copy_n(head_.bytes.begin(), at_once, all_.begin());
  messages.receive_large(communicator, rank, tag, std::span(all_).subspan(at_once));
}

std::span<const std::byte> Bundle::bytes() const { return all_; }

TreeGatherScatter::TreeGatherScatter(MPI_Comm communicator, const RankTree& tree, std::span<const std::byte> question,
                                     const RootReply& reply, Completion completion)
    : communicator_(communicator), tree_(tree), reply_(reply), completion_(completion), below_(tree.children.size()) {
  append(asked_, question);
}

bool TreeGatherScatter::advance() {
  if (phase_ == Phase::start) start();
  while (messages_.are_done()) {
    switch (phase_) {
      case Phase::start:
      case Phase::replying:
        return true;
      case Phase::receiving_heads:
        receive_bundles();
        break;
      case Phase::receiving:
        tree_.parent ? ask() : gather_scatter();
        break;
      case Phase::asking:
        answers_.receive_rest(messages_, communicator_, *tree_.parent, Tag::down);
        phase_ = Phase::answering;
        break;
      case Phase::answering:
        send_answers(answers_.bytes());
        break;
    }
    if (phase_ == Phase::replying && leaves_early()) return true;
  }
  return false;
}

void TreeGatherScatter::start() {
  for (std::size_t c = 0; c < below_.size(); ++c) {
    below_[c].receive_head(messages_, communicator_, tree_.children[c], Tag::up);
  }
  phase_ = Phase::receiving_heads;
}

void TreeGatherScatter::receive_bundles() {
  for (std::size_t c = 0; c < below_.size(); ++c) {
    below_[c].receive_rest(messages_, communicator_, tree_.children[c], Tag::up);
  }
  phase_ = Phase::receiving;
}

void TreeGatherScatter::ask() {
  for (const Bundle& bundle : below_) asked_.insert(asked_.end(), bundle.bytes().begin(), bundle.bytes().end());
  answers_.receive_head(messages_, communicator_, *tree_.parent, Tag::down);
  above_.send(messages_, communicator_, *tree_.parent, Tag::up, asked_);
  phase_ = Phase::asking;
}

void TreeGatherScatter::gather_scatter() {
  for (const Bundle& bundle : below_) asked_.insert(asked_.end(), bundle.bytes().begin(), bundle.bytes().end());
  std::vector<std::vector<std::byte>> questions;
  for (std::span<const std::byte> left = asked_; !left.empty();) {
    const auto question = take_first(left);
    questions.emplace_back(question.begin(), question.end());
  }
  std::vector<std::byte> answers;
  const std::size_t ranks = questions.size();
  const bool is_answered = answer([&] {
    for (const std::vector<std::byte>& bytes : reply_(std::move(questions))) append(answers, bytes);
  });
  if (!is_answered) {
    answers.clear();
    for (std::size_t rank = 0; rank < ranks; ++rank) append(answers, {});
  }
  send_answers(answers);
}

void TreeGatherScatter::send_answers(std::span<const std::byte> answers) {
  const auto mine = take_first(answers);
  answer_.assign(mine.begin(), mine.end());
  for (std::size_t c = 0; c < below_.size(); ++c) {
    // The ranks below a child are those up to the next child.
    const bool is_last = c + 1 == below_.size();
    const auto theirs = is_last ? answers : take_ranks(answers, tree_.children[c + 1] - tree_.children[c]);
    below_[c].send(messages_, communicator_, tree_.children[c], Tag::down, theirs);
    are_answers_short_ = are_answers_short_ && below_[c].is_short();
  }
  phase_ = Phase::replying;
}

}  // namespace quire
