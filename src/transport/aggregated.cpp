#include <algorithm>
#include <array>
#include <atomic>
#include <optional>
#include <utility>

#include "quire/base/archive.hpp"
#include "quire/base/checked.hpp"
#include "quire/kernels/copy.hpp"
#include "transport/alignment.hpp"
#include "transport/factory.hpp"
#include "transport/failure.hpp"
#include "transport/file_transport.hpp"
#include "transport/posix_file.hpp"
#include "transport/shared_memory.hpp"
#include "transport/write_pieces.hpp"

namespace quire {
namespace {

/// A piece in shared memory, and where it goes; before the pieces of a round one whose offset is their number.
struct Announced {
  std::uint64_t offset = 0;
  std::uint32_t begin = 0;  ///< in the buffer
  std::uint32_t length = 0;
};

/// What each rank may need of the window in any round.
struct Share {
  std::size_t buffer_bytes = 0;
  std::size_t pieces = 0;
};

/// The shared memory of a node: for each rank two announcements and two buffers, so that the next pieces are made while
/// the last ones are written. An announcement is a count and the pieces.
class Window {
 public:
  Window() = default;
  Window(SharedMemory memory, int ranks, const Share& share)
      : memory_(std::move(memory)), head_bytes_(head_bytes(ranks, share)), share_(share) {}

  static std::size_t total_bytes(int ranks, const Share& share) {
    return head_bytes(ranks, share) + 2 * static_cast<std::size_t>(ranks) * share.buffer_bytes;
  }

  [[nodiscard]] bool has_room_for(const Share& share) const noexcept {
    return !memory_.bytes().empty() && share.buffer_bytes <= share_.buffer_bytes && share.pieces <= share_.pieces;
  }
  [[nodiscard]] std::span<std::byte> buffer(int rank, std::uint64_t round) const noexcept {
    return memory_.bytes().subspan(head_bytes_ + slot(rank, round) * share_.buffer_bytes, share_.buffer_bytes);
  }

  /// Tells the writer which pieces lie in this rank's buffer of a round.
  void announce(int rank, std::uint64_t round, std::span<const WritePiece> batch) const noexcept {
    Announced* const mine = announcement(rank, round);
    const std::byte* buffer_begin = buffer(rank, round).data();
    mine->offset = batch.size();
    for (std::size_t i = 0; i < batch.size(); ++i) {
      mine[i + 1] = {batch[i].offset, static_cast<std::uint32_t>(batch[i].bytes.data() - buffer_begin),
                     static_cast<std::uint32_t>(batch[i].bytes.size())};
    }
  }
  /// Adds the pieces that a rank has announced for a round.
  void collect(int rank, std::uint64_t round, std::vector<WritePiece>& pieces) const {
    const Announced* const theirs = announcement(rank, round);
    for (const Announced& piece : std::span(theirs + 1, static_cast<std::size_t>(theirs->offset))) {
      pieces.push_back({piece.offset, buffer(rank, round).subspan(piece.begin, piece.length)});
    }
  }

 private:
  static std::size_t slot(int rank, std::uint64_t round) {
    return 2 * static_cast<std::size_t>(rank) + static_cast<std::size_t>(round % 2);
  }
  static std::size_t head_bytes(int ranks, const Share& share) {
    const std::size_t announcements = 2 * static_cast<std::size_t>(ranks);
    return static_cast<std::size_t>(round_up(announcements * (share.pieces + 1) * sizeof(Announced), page_bytes));
  }
  [[nodiscard]] Announced* announcement(int rank, std::uint64_t round) const noexcept {
    return reinterpret_cast<Announced*>(memory_.bytes().data()) + slot(rank, round) * (share_.pieces + 1);
  }

  SharedMemory memory_;
  std::size_t head_bytes_ = 0;
  Share share_;
};

/// One writer for each node, the lowest of its ranks; the others make their bytes in memory that they share with it.
/// Small pieces of many ranks that neighbour in the file, as where columns of a field lie on ranks, go in one call.
///
/// Reads are independent: they hold no lock, so every rank reads for itself as fast as a reader could read for it, and
/// a copy is saved. All waits are polite and go through the communicator of the node.
class AggregatedTransport final : public FileTransport {
 public:
  AggregatedTransport(std::unique_ptr<RawFile> file, Access access, Comm comm)
      : FileTransport(std::move(file)), writes_(access != Access::read), comm_(std::move(comm)) {}

  /// Every rank reads for itself.
  [[nodiscard]] bool is_collective() const noexcept override { return writes_; }

  void run(const WritePlan& mine) override {
    if (!node_) node_ = comm_.split_by_node();
    if (node_->size() == 1) return run_alone(mine);

    FirstFailure failure(file().path());
    std::optional<WritePieces> pieces;
    failure.attempt([&] {
      const Gather gather = is_writer() ? Gather::small : Gather::all;
      pieces.emplace(mine, file().limits(), gather, file().counters());
    });
    const WritePieces::Batches batches = pieces ? pieces->batches() : WritePieces::Batches{};
    std::array<std::uint64_t, 3> most{batches.count, batches.most_pieces, pieces ? pieces->batch_bytes() : 0};
    node_->maximum(most);
    const std::uint64_t rounds = most[0];
    if (rounds != 0) provide_window({static_cast<std::size_t>(most[2]), static_cast<std::size_t>(most[1])});
    for (std::uint64_t round = 0; round < rounds; ++round) {
      std::vector<WritePiece> batch = make_batch(round, pieces, failure);
      meet();
      if (is_writer()) failure.attempt([&] { write_round(round, std::move(batch)); });
    }
    agree_on_node(failure);
  }

  void run(const ReadPlan& mine) override { run_alone(mine); }

  void close() override {
    window_ = {};
    FirstFailure failure(file().path());
    failure.attempt([&] { FileTransport::close(); });
    node_.reset();
    failure.attempt_always([&] { comm_.let_go(); });
    failure.rethrow();
  }

 private:
  [[nodiscard]] bool is_writer() const noexcept { return node_->is_root(); }

  /// Waits for the ranks of the node; what each wrote into shared memory before, all see afterwards.
  void meet() {
    std::atomic_thread_fence(std::memory_order_seq_cst);
    node_->barrier();
    std::atomic_thread_fence(std::memory_order_seq_cst);
  }

  /// Collective over the node. At least so much for each rank.
  void provide_window(Share share) {
    const std::size_t bytes = std::max<std::size_t>(share.buffer_bytes, 1);
    share.buffer_bytes = static_cast<std::size_t>(round_up(bytes, page_bytes));
    if (window_.has_room_for(share)) return;
    window_ = {};
    const std::size_t total = Window::total_bytes(node_->size(), share);
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
    window_ = Window(std::move(memory), node_->size(), share);
  }

  /// Makes the next pieces in the buffer of this round, and announces them. The writer's own may lie in its memory.
  std::vector<WritePiece> make_batch(std::uint64_t round, std::optional<WritePieces>& pieces, FirstFailure& failure) {
    std::vector<WritePiece> batch;
    failure.attempt([&] { batch = pieces->next_batch(window_.buffer(node_->rank(), round)); });
    if (!is_writer()) window_.announce(node_->rank(), round, batch);
    return batch;
  }

  /// Writes the pieces of all ranks of the node.
  void write_round(std::uint64_t round, std::vector<WritePiece> pieces) {
    for (int rank = 1; rank < node_->size(); ++rank) window_.collect(rank, round, pieces);
    std::ranges::sort(pieces, {}, &WritePiece::offset);
    for (std::size_t first = 0; first < pieces.size();) {
      const std::size_t count = neighbours(std::span(pieces).subspan(first));
      write_joined(std::span(pieces).subspan(first, count));
      first += count;
    }
  }

  /// How many pieces from the first on are small, follow each other in the file and share a buffer; at least 1.
  [[nodiscard]] std::size_t neighbours(std::span<const WritePiece> pieces) {
    const std::uint64_t begin = pieces.front().offset;
    std::uint64_t end = begin;
    std::size_t count = 0;
    for (const WritePiece& piece : pieces) {
      const std::uint64_t next = end + piece.bytes.size();
      const bool fits = begin % page_bytes + (next - begin) <= file().limits().staging;
      if (piece.offset != end || !fits || piece.bytes.size() >= file().limits().direct_from) break;
      end = next;
      ++count;
    }
    return std::max<std::size_t>(count, 1);
  }

  void write_joined(std::span<const WritePiece> pieces) {
    const WritePiece& first = pieces.front();
    if (pieces.size() == 1) return file().write(first.offset, first.bytes);
    const std::span<std::byte> buffer = staging().provide(file().limits().staging);
    const auto begin = static_cast<std::size_t>(first.offset % page_bytes);
    std::size_t used = begin;
    for (const WritePiece& piece : pieces) {
      kernels::copy_bytes(buffer.data() + used, piece.bytes.data(), piece.bytes.size());
      used += piece.bytes.size();
    }
    file().write(first.offset, buffer.subspan(begin, used - begin));
  }

  /// The ranks of a node share one fate: what the writer could not write, its rank must know.
  void agree_on_node(const FirstFailure& failure) {
    std::optional<Error> mine = failure.error();
    if (mine && !mine->rank()) mine->from_rank(comm_.rank());
    agree(*node_, mine);
  }

  bool writes_;
  Comm comm_;
  std::optional<Comm> node_;  ///< of the ranks with this memory, from the first write on
  Window window_;
};

}  // namespace

std::unique_ptr<Transport> make_aggregated(const FileRequest& request, const Comm& comm) {
  return std::make_unique<AggregatedTransport>(make_file<PosixFile>(request, comm), request.access, comm);
}

}  // namespace quire
