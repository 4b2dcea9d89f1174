#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "base/compression.hpp"
#include "transport/compressed_input.hpp"
#include "transport/restart_points.hpp"

namespace quire {

/// Why compressed bytes cannot be inflated completely.
struct CompressionDamage {
  bool cut = false;          ///< they are truncated; otherwise they are wrong
  std::uint64_t offset = 0;  ///< in the compressed bytes, where it was detected
  std::string reason{};
  template <class Archive>
  void archive(Archive& a) {
    a(cut, offset, reason);
  }
};

/// Inflates bytes in order, beginning at a restart point.
class Inflater {
 public:
  /// Restart points on the way are added to `points` unless it is null.
  Inflater(CompressedInput& input, const RestartPoint& from, RestartPoints* points)
      : input_(input), points_(points), position_(from.output), confirmed_(from.output) {
    input_.seek(from.input);
  }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  virtual ~Inflater() = default;

  /// Fills `out`: fewer bytes only at the end or at damage. Throws memory and unsupported errors.
  [[nodiscard]] virtual std::size_t inflate(std::span<std::byte> out) = 0;

  /// The number of inflated bytes before the next one.
  [[nodiscard]] std::uint64_t position() const noexcept { return position_; }
  /// The number of these that checksums of whole members, blocks or streams have confirmed.
  [[nodiscard]] std::uint64_t confirmed() const noexcept { return confirmed_; }
  [[nodiscard]] const std::optional<CompressionDamage>& damage() const noexcept { return damage_; }
  /// The number of bytes after the end that are no compressed data.
  [[nodiscard]] std::uint64_t ignored() const noexcept { return ignored_; }

 protected:
  [[nodiscard]] CompressedInput& input() noexcept { return input_; }
  [[nodiscard]] bool has_ended() const noexcept { return ended_; }
  [[nodiscard]] RestartPoints* points() noexcept { return points_; }
  [[nodiscard]] bool wants_point() const noexcept { return points_ != nullptr && points_->wants(position_); }

  void advance(std::size_t made) noexcept { position_ += made; }
  void confirm() noexcept { confirmed_ = position_; }
  /// The remaining bytes are no compressed data.
  void end_here() {
    ignored_ = input_.left();
    ended_ = true;
  }
  void end_cut(const std::string& inside) { end_damaged(true, "the file ends inside " + inside); }
  void end_wrong(const std::string& reason) { end_damaged(false, reason); }

 private:
  void end_damaged(bool cut, std::string reason) {
    damage_ = CompressionDamage{cut, input_.position(), std::move(reason)};
    ended_ = true;
  }

  CompressedInput& input_;
  RestartPoints* points_;
  std::uint64_t position_;
  std::uint64_t confirmed_;
  std::uint64_t ignored_ = 0;
  std::optional<CompressionDamage> damage_{};
  bool ended_ = false;
};

/// Independent. `memory_budget` limits the memory for inflating.
[[nodiscard]] std::unique_ptr<Inflater> make_inflater(Compression compression, CompressedInput& input,
                                                      const RestartPoint& from, RestartPoints* points,
                                                      std::uint64_t memory_budget);
[[nodiscard]] std::unique_ptr<Inflater> make_gzip_inflater(CompressedInput& input, const RestartPoint& from,
                                                           RestartPoints* points);
[[nodiscard]] std::unique_ptr<Inflater> make_xz_inflater(CompressedInput& input, const RestartPoint& from,
                                                         RestartPoints* points, std::uint64_t memory_budget);
[[nodiscard]] std::unique_ptr<Inflater> make_lzma_inflater(CompressedInput& input, const RestartPoint& from,
                                                           std::uint64_t memory_budget);

}  // namespace quire
