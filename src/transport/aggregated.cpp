#include <algorithm>
#include <array>
#include <atomic>
#include <optional>
#include <utility>

#include "kernels/copy.hpp"
#include "quire/spi/base/archive.hpp"
#include "quire/spi/base/checked.hpp"
#include "transport/alignment.hpp"
#include "transport/factory.hpp"
#include "transport/failure.hpp"
#include "transport/file_transport.hpp"
#include "transport/posix_file.hpp"
#include "transport/shared_memory.hpp"
#include "transport/write_pieces.hpp"

namespace quire {
namespace {

/// A piece in shared memory and its file offset. The first entry of a list holds the number of pieces as its offset.
struct SharedPiece {
  std::uint64_t offset = 0;
  std::uint32_t begin = 0;  ///< in the buffer
  std::uint32_t length = 0;
};

/// The part of the window that each rank needs in any round.
struct Share {
  std::size_t buffer_bytes = 0;
  std::size_t pieces = 0;
};

/// The shared memory of a node: two lists of pieces and two buffers for each rank, so that the next pieces are encoded
/// while the previous ones are written.
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

  /// Passes the pieces in this rank's buffer of a round to the writer.
  void publish(int rank, std::uint64_t round, std::span<const WritePiece> batch) const noexcept {
    SharedPiece* const mine = list_of(rank, round);
    const std::byte* buffer_begin = buffer(rank, round).data();
    mine->offset = batch.size();
    for (std::size_t i = 0; i < batch.size(); ++i) {
      mine[i + 1] = {batch[i].offset, static_cast<std::uint32_t>(batch[i].bytes.data() - buffer_begin),
                     static_cast<std::uint32_t>(batch[i].bytes.size())};
    }
  }
  /// Adds the pieces that a rank has published for a round.
  void collect(int rank, std::uint64_t round, std::vector<WritePiece>& pieces) const {
    const SharedPiece* const theirs = list_of(rank, round);
    for (const SharedPiece& piece : std::span(theirs + 1, static_cast<std::size_t>(theirs->offset))) {
      pieces.push_back({piece.offset, buffer(rank, round).subspan(piece.begin, piece.length)});
    }
  }

 private:
  static std::size_t slot(int rank, std::uint64_t round) {
    return 2 * static_cast<std::size_t>(rank) + static_cast<std::size_t>(round % 2);
  }
  static std::size_t head_bytes(int ranks, const Share& share) {
    const std::size_t lists = 2 * static_cast<std::size_t>(ranks);
    return static_cast<std::size_t>(round_up(lists * (share.pieces + 1) * sizeof(SharedPiece), page_bytes));
  }
  [[nodiscard]] SharedPiece* list_of(int rank, std::uint64_t round) const noexcept {
    return reinterpret_cast<SharedPiece*>(memory_.bytes().data()) + slot(rank, round) * (share_.pieces + 1);
  }

  SharedMemory memory_;
  std::size_t head_bytes_ = 0;
  Share share_;
};

/// One writer for each node, the lowest of its ranks; the others encode their bytes in memory that they share with it.
/// Small pieces of many ranks that are neighbours in the file, as for fields whose columns are split over the ranks,
/// are written by one call.
///
/// Reads are independent: they need no lock, so every rank reads as fast as a reader could read for it, and a copy is
/// saved. All waits use the communicator of the node, and yield and sleep.
class AggregatedTransport final : public FileTransport {
 public:
  AggregatedTransport(std::unique_ptr<RawFile> file, Access access, Comm comm)
      : FileTransport(std::move(file)), writes_(access != Access::read), comm_(std::move(comm)) {}

  /// Reads are independent.
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
      synchronize();
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

  /// A barrier on the node, after which all ranks see the writes of the others to shared memory.
  void synchronize() {
    std::atomic_thread_fence(std::memory_order_seq_cst);
    node_->barrier();
    std::atomic_thread_fence(std::memory_order_seq_cst);
  }

  /// Collective over the node. Provides at least this share for each rank.
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

  /// Encodes the next pieces in the buffer of this round and publishes them. The writer's own may be in its memory.
  std::vector<WritePiece> make_batch(std::uint64_t round, std::optional<WritePieces>& pieces, FirstFailure& failure) {
    std::vector<WritePiece> batch;
    failure.attempt([&] { batch = pieces->next_batch(window_.buffer(node_->rank(), round)); });
    if (!is_writer()) window_.publish(node_->rank(), round, batch);
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

  /// The number of small pieces, from the first one on, that are consecutive in the file and share a buffer; at
  /// least 1.
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

  /// If the writer fails, the other ranks of the node must throw its error.
  void agree_on_node(const FirstFailure& failure) {
    std::optional<Error> mine = failure.error();
    if (mine && !mine->rank()) mine->from_rank(comm_.rank());
    agree(*node_, mine);
  }

  bool writes_;
  Comm comm_;
  std::optional<Comm> node_;  ///< the ranks of this node, from the first write on
  Window window_;
};

}  // namespace

std::unique_ptr<Transport> make_aggregated(const FileRequest& request, const Comm& comm) {
  return std::make_unique<AggregatedTransport>(make_file<PosixFile>(request, comm), request.access, comm);
}

}  // namespace quire
