#include <algorithm>
#include <array>
#include <atomic>
#include <optional>
#include <utility>

#include "quire/base/archive.hpp"
#include "quire/base/checked.hpp"
#include "transport/alignment.hpp"
#include "transport/factory.hpp"
#include "transport/failure.hpp"
#include "transport/file_transport.hpp"
#include "transport/posix_file.hpp"
#include "transport/shared_memory.hpp"
#include "transport/write_pieces.hpp"

namespace quire {
namespace {

/// Where a piece in shared memory goes.
struct Announced {
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
};

/// The shared memory of a node: for each rank two announcements and two buffers, so that the next piece is made while
/// the last one is written.
class Window {
 public:
  Window() = default;
  Window(SharedMemory memory, int ranks, std::size_t buffer_bytes)
      : memory_(std::move(memory)), head_bytes_(head_bytes(ranks)), buffer_bytes_(buffer_bytes) {}

  static std::size_t total_bytes(int ranks, std::size_t buffer_bytes) {
    return head_bytes(ranks) + 2 * static_cast<std::size_t>(ranks) * buffer_bytes;
  }

  [[nodiscard]] bool has_room_for(std::size_t buffer_bytes) const noexcept {
    return !memory_.bytes().empty() && buffer_bytes <= buffer_bytes_;
  }
  [[nodiscard]] Announced& announced(int rank, std::uint64_t round) const noexcept {
    auto* all = reinterpret_cast<Announced*>(memory_.bytes().data());
    return all[slot(rank, round)];
  }
  [[nodiscard]] std::span<std::byte> buffer(int rank, std::uint64_t round) const noexcept {
    return memory_.bytes().subspan(head_bytes_ + slot(rank, round) * buffer_bytes_, buffer_bytes_);
  }

 private:
  static std::size_t slot(int rank, std::uint64_t round) {
    return 2 * static_cast<std::size_t>(rank) + static_cast<std::size_t>(round % 2);
  }
  static std::size_t head_bytes(int ranks) {
    return static_cast<std::size_t>(round_up(2 * static_cast<std::size_t>(ranks) * sizeof(Announced), page_bytes));
  }

  SharedMemory memory_;
  std::size_t head_bytes_ = 0;
  std::size_t buffer_bytes_ = 0;
};

/// One writer for each node, the lowest of its ranks; the others make their bytes in memory that they share with it.
///
/// Reads are independent: they hold no lock, so every rank reads for itself as fast as a reader could read for it, and
/// a copy is saved. All waits are polite and go through the communicator of the node.
class AggregatedTransport final : public FileTransport {
 public:
  AggregatedTransport(std::unique_ptr<RawFile> file, Comm comm)
      : FileTransport(std::move(file)), comm_(std::move(comm)) {}

  [[nodiscard]] bool is_collective() const noexcept override { return true; }

  void run(const WritePlan& mine) override {
    if (!node_) node_ = comm_.split_by_node();
    if (node_->size() == 1) return run_alone(mine);

    FirstFailure failure(file().path());
    std::optional<WritePieces> pieces;
    failure.attempt([&] {
      const Gather gather = is_writer() ? Gather::small : Gather::all;
      pieces.emplace(mine, file().limits(), gather, file().counters());
    });
    std::array<std::uint64_t, 2> most{pieces ? pieces->count() : 0, pieces ? pieces->buffer_bytes() : 0};
    node_->maximum(most);
    const auto [rounds, buffer_bytes] = most;
    if (rounds != 0) provide_window(static_cast<std::size_t>(buffer_bytes));
    for (std::uint64_t round = 0; round < rounds; ++round) {
      const WritePiece piece = make_piece(round, pieces, failure);
      meet();
      if (is_writer()) failure.attempt([&] { write_round(round, piece); });
    }
    agree_on_node(failure);
  }

  void run(const ReadPlan& mine) override { run_alone(mine); }

  void close() override {
    window_ = {};
    FileTransport::close();
  }

 private:
  [[nodiscard]] bool is_writer() const noexcept { return node_->is_root(); }

  /// Waits for the ranks of the node; what each wrote into shared memory before, all see afterwards.
  void meet() {
    std::atomic_thread_fence(std::memory_order_seq_cst);
    node_->barrier();
    std::atomic_thread_fence(std::memory_order_seq_cst);
  }

  /// Collective over the node. Buffers of at least so many bytes.
  void provide_window(std::size_t bytes) {
    const auto buffer_bytes = static_cast<std::size_t>(round_up(std::max<std::size_t>(bytes, 1), page_bytes));
    if (window_.has_room_for(buffer_bytes)) return;
    window_ = {};
    const std::size_t total = Window::total_bytes(node_->size(), buffer_bytes);
    SharedMemory memory;
    FirstFailure failure(file().path());
    failure.attempt([&] {
      if (is_writer()) memory = SharedMemory::create(total);
    });
    agree_on_node(failure);
    std::vector<std::byte> name = pack(memory.name());
    node_->broadcast(name);
    failure.attempt([&] {
      if (!is_writer()) memory = SharedMemory::attach(unpack<std::string>(name), total);
    });
    agree_on_node(failure);
    memory.forget_name();
    window_ = Window(std::move(memory), node_->size(), buffer_bytes);
  }

  /// Makes the next piece in the buffer of this round, and announces it. The writer's own may lie in its memory.
  WritePiece make_piece(std::uint64_t round, std::optional<WritePieces>& pieces, FirstFailure& failure) {
    WritePiece piece;
    failure.attempt([&] { piece = pieces->next(window_.buffer(node_->rank(), round)).value_or(WritePiece{}); });
    window_.announced(node_->rank(), round) = {piece.offset, piece.bytes.size()};
    return piece;
  }

  /// Writes the pieces of all ranks of the node.
  void write_round(std::uint64_t round, const WritePiece& own) {
    file().write(own.offset, own.bytes);
    for (int rank = 1; rank < node_->size(); ++rank) {
      const Announced piece = window_.announced(rank, round);
      file().write(
          piece.offset,
          window_.buffer(rank, round).subspan(piece.offset % page_bytes, static_cast<std::size_t>(piece.length)));
    }
  }

  /// The ranks of a node share one fate: what the writer could not write, its rank must know.
  void agree_on_node(const FirstFailure& failure) {
    std::optional<Error> mine = failure.error();
    if (mine && !mine->rank()) mine->from_rank(comm_.rank());
    agree(*node_, mine);
  }

  Comm comm_;
  std::optional<Comm> node_;  ///< of the ranks with this memory, from the first write on
  Window window_;
};

}  // namespace

std::unique_ptr<Transport> make_aggregated(const FileRequest& request, const Comm& comm) {
  return std::make_unique<AggregatedTransport>(make_file<PosixFile>(request, comm), comm);
}

}  // namespace quire
