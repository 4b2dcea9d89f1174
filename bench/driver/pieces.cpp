#include "driver/pieces.hpp"

#include <algorithm>

#include "driver/share.hpp"
#include "quire/comm/partition.hpp"
#include "quire/spi/base/checked.hpp"

namespace quire::bench {

std::vector<Piece> pieces_of(const Cell& cell, int rank, int size) {
  if (cell.operation == "read-subset") return {{rank, 0, Share::of(cell.data, rank, size).subset_bytes()}};
  if (cell.operation != "read-other" && cell.operation != "convert") {
    return {{rank, 0, bytes_of_rank(cell.data, rank, size)}};
  }
  const Slice mine = even_slice(payload_of(cell.data) / cell.data.steps, rank, size);
  std::vector<Piece> pieces;
  std::uint64_t before = 0;
  for (int writer = 0; writer < cell.ranks; ++writer) {
    const std::uint64_t bytes = bytes_of_rank(cell.data, writer, cell.ranks);
    const std::uint64_t first = std::max(mine.first, before);
    const std::uint64_t end = std::min(mine.end(), before + bytes);
    if (first < end) pieces.push_back({writer, first - before, end - first});
    before += bytes;
  }
  return pieces;
}

ByteLayout::ByteLayout(const Cell& cell, bool shared)
    : shared_(shared), others_(cell.maker.has_value()), steps_(cell.data.steps) {
  std::uint64_t next = 0;
  for (int writer = 0; writer < cell.ranks; ++writer) {
    bytes_.push_back(bytes_of_rank(cell.data, writer, cell.ranks));
    starts_.push_back(shared ? next : 0);
    next += steps_ * stride(writer);
  }
}

std::uint64_t ByteLayout::stride(int writer) const {
  if (others_) return bytes_of(writer) / PieceMemory::page * PieceMemory::page;
  return round_up(bytes_of(writer), PieceMemory::page);
}

std::uint64_t ByteLayout::place(int writer, std::uint64_t step) const {
  return starts_[static_cast<std::size_t>(writer)] + step * stride(writer);
}

std::uint64_t ByteLayout::end(int writer) const {
  return bytes_of(writer) == 0 ? 0 : place(writer, steps_ - 1) + bytes_of(writer);
}

std::uint64_t ByteLayout::file_size(int writer) const { return shared_ ? total_size() : end(writer); }

std::uint64_t ByteLayout::total_size() const {
  std::uint64_t sum = 0;
  std::uint64_t last = 0;
  for (int writer = 0; writer < static_cast<int>(bytes_.size()); ++writer) {
    sum += end(writer);
    last = std::max(last, end(writer));
  }
  return shared_ ? last : sum;
}

std::string ByteLayout::path(const std::string& folder, int writer) const {
  return folder + (shared_ ? "/data" : "/data." + std::to_string(writer));
}

PieceMemory::PieceMemory(std::vector<Piece> pieces)
    : pieces_(std::move(pieces)),
      starts_([&] {
        std::vector<std::size_t> starts{0};
        for (const Piece& piece : pieces_) starts.push_back(starts.back() + round_up(piece.length, page) + page);
        return starts;
      }()),
      arena_(starts_.back()) {}

std::span<std::byte> PieceMemory::bytes(std::size_t piece) const {
  return arena_.bytes().subspan(starts_[piece] + pieces_[piece].offset % page, pieces_[piece].length);
}

std::span<std::byte> PieceMemory::pages(std::size_t piece) const {
  const std::uint64_t length = round_up(pieces_[piece].offset % page + pieces_[piece].length, page);
  return arena_.bytes().subspan(starts_[piece], length);
}

void PieceMemory::forget() const { std::ranges::fill(arena_.bytes(), std::byte{0xA5}); }

void PieceMemory::check(const Cell& cell) const {
  for (std::size_t p = 0; p < pieces_.size(); ++p) {
    check_bytes(Share::of(cell.data, pieces_[p].writer, cell.ranks), pieces_[p].offset, bytes(p));
  }
}

}  // namespace quire::bench
