#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "driver/memory.hpp"
#include "driver/plan.hpp"

namespace quire::bench {

/// Bytes [offset, offset + length) of what one writer put down in a step.
struct Piece {
  int writer = 0;
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
};

/// Which bytes a rank reads where data are bytes of writers: its own ones, the first quantity of them, or an equal
/// share of all.
[[nodiscard]] std::vector<Piece> pieces_of(const Cell& cell, int rank, int size);

/// The offsets of the bytes of writers, all in one file or each in its own file: a writer's steps one after the
/// other, each at the beginning of a page. In the file of another method, which may end with its data, the steps are as
/// close as pages allow, and overlap by less than one.
class ByteLayout {
 public:
  ByteLayout(const Cell& cell, bool shared);

  [[nodiscard]] bool is_shared() const noexcept { return shared_; }
  /// Of a step.
  [[nodiscard]] std::uint64_t bytes_of(int writer) const { return bytes_[static_cast<std::size_t>(writer)]; }
  [[nodiscard]] std::uint64_t place(int writer, std::uint64_t step) const;
  /// Of the file that this writer writes to.
  [[nodiscard]] std::uint64_t file_size(int writer) const;
  /// Of all files.
  [[nodiscard]] std::uint64_t total_size() const;
  /// In `folder`.
  [[nodiscard]] std::string path(const std::string& folder, int writer) const;

 private:
  [[nodiscard]] std::uint64_t stride(int writer) const;
  /// The offset after the last byte of a writer.
  [[nodiscard]] std::uint64_t end(int writer) const;

  bool shared_;
  bool others_;  ///< another method's file
  std::uint64_t steps_;
  std::vector<std::uint64_t> bytes_;
  std::vector<std::uint64_t> starts_;
};

/// Memory for pieces of one step. The first byte of each has the same offset in a page as at `page_offset` said,
/// with room for whole pages around it: as direct transfers need it.
class PieceMemory {
 public:
  static constexpr std::uint64_t page = 4096;
  explicit PieceMemory(std::vector<Piece> pieces);

  [[nodiscard]] const std::vector<Piece>& pieces() const noexcept { return pieces_; }
  [[nodiscard]] std::span<std::byte> bytes(std::size_t piece) const;
  /// The whole pages that the bytes of a piece are part of.
  [[nodiscard]] std::span<std::byte> pages(std::size_t piece) const;
  void forget() const;
  /// Throws bad_file errors unless each piece holds what its writer wrote.
  void check(const Cell& cell) const;

 private:
  std::vector<Piece> pieces_;
  std::vector<std::size_t> starts_;
  Arena arena_;
};

}  // namespace quire::bench
