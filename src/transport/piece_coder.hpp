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
  std::uint64_t mark = 0;  ///< the value for the index at the end of the file, which determines its length
};

/// Compresses a file in independent pieces: any rank can compress any of them.
class PieceCoder {
 public:
  virtual ~PieceCoder() = default;
  /// The bytes before the first piece.
  [[nodiscard]] virtual std::vector<std::byte> begin() = 0;
  /// Depends only on the piece and the level.
  [[nodiscard]] virtual CodedPiece code(std::span<const std::byte> piece) = 0;
  /// The length of a piece with this mark.
  [[nodiscard]] virtual std::uint64_t length(std::uint64_t mark) const = 0;
  /// On the rank that writes the end, called for all pieces in order.
  virtual void note(std::uint64_t mark, std::uint64_t plain_bytes) = 0;
  /// The bytes after the last piece.
  [[nodiscard]] virtual std::vector<std::byte> end() = 0;
};

/// Independent. Level 0 (fast) to 9 (small); without a value the usual level of the compression.
[[nodiscard]] std::unique_ptr<PieceCoder> make_piece_coder(Compression compression, std::optional<int> level);
[[nodiscard]] std::unique_ptr<PieceCoder> make_gzip_coder(std::optional<int> level);
[[nodiscard]] std::unique_ptr<PieceCoder> make_xz_coder(std::optional<int> level);

/// Size of the pieces that ranks compress. Small enough for memory, large enough for the compression; a reader can
/// start at any piece.
constexpr std::size_t piece_to_code = 4 << 20;

}  // namespace quire
