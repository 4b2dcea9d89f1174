#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/compression.hpp"

namespace quire {

/// A piece after compression.
struct CodedPiece {
  std::vector<std::byte> bytes{};
  std::uint64_t mark = 0;  ///< what the end of the file must tell of it, from which its length follows
};

/// Compresses a file in pieces, none of which depends on another: any rank can make any of them.
class PieceCoder {
 public:
  virtual ~PieceCoder() = default;
  /// What stands before the first piece.
  [[nodiscard]] virtual std::vector<std::byte> begin() = 0;
  /// Depends on nothing but the piece and the level.
  [[nodiscard]] virtual CodedPiece code(std::span<const std::byte> piece) = 0;
  /// How many bytes a piece with this mark takes.
  [[nodiscard]] virtual std::uint64_t length(std::uint64_t mark) const = 0;
  /// The rank that writes the end learns of all pieces in order.
  virtual void note(std::uint64_t mark, std::uint64_t plain_bytes) = 0;
  /// What stands behind the last piece.
  [[nodiscard]] virtual std::vector<std::byte> end() = 0;
};

/// Independent. Level 0 (fast) to 9 (small); nothing: the one that is usual for the compression.
[[nodiscard]] std::unique_ptr<PieceCoder> make_piece_coder(Compression compression, std::optional<int> level);
[[nodiscard]] std::unique_ptr<PieceCoder> make_gzip_coder(std::optional<int> level);
[[nodiscard]] std::unique_ptr<PieceCoder> make_xz_coder(std::optional<int> level);

/// What ranks compress at a time. Small enough for memory, large enough for the compression; readers start at any.
constexpr std::size_t piece_to_code = 4 << 20;

}  // namespace quire
