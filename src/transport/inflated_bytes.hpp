#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/compression.hpp"
#include "quire/spi/plan/byte_source.hpp"
#include "transport/compressed_input.hpp"
#include "transport/inflater.hpp"
#include "transport/restart_points.hpp"

namespace quire {

/// The result of a scan through a compressed file: with it any rank can read the file at any position.
struct InflationSurvey {
  Compression compression = Compression::none;
  std::uint64_t size = 0;  ///< of the inflated bytes that may be read
  std::uint64_t memory_budget = 0;
  std::vector<RestartPoint> points{};
  std::optional<CompressionDamage> damage{};
  std::vector<std::string> warnings{};
  template <class Archive>
  void archive(Archive& a) {
    a(compression, size, memory_budget, points, damage, warnings);
  }
};

struct SurveyOptions {
  std::uint64_t memory_budget = 64ULL << 20;  ///< for the memory that inflating needs
  bool unconfirmed = false;  ///< also read bytes inside a damaged member or block, which no checksum confirms
};

/// Random access to the inflated bytes of a compressed file.
///
/// Caches blocks of 1 MiB, up to a quarter of the memory budget and at least 16; after the survey those at the
/// beginning, so a file whose inflated bytes fit is inflated once. Other blocks are inflated again when they are read,
/// from the nearest restart point before them, which may be the beginning of the file.
class InflatedBytes final : public ByteSource {
 public:
  /// Scans and verifies the whole file. Damage is reported in survey().
  InflatedBytes(std::shared_ptr<ByteSource> compressed, Compression compression, const SurveyOptions& options);
  /// From the survey of another rank.
  InflatedBytes(std::shared_ptr<ByteSource> compressed, InflationSurvey survey);

  [[nodiscard]] const InflationSurvey& survey() const noexcept { return survey_; }
  [[nodiscard]] std::uint64_t size() override { return survey_.size; }
  /// Throws bad_file errors if the file does not match the survey, and the errors of its source.
  [[nodiscard]] std::size_t read(std::uint64_t offset, std::span<std::byte> out) override;

 private:
  struct Block {
    std::optional<std::uint64_t> index{};
    std::uint64_t used = 0;  ///< time of the last use
    std::vector<std::byte> bytes{};
  };

  void look_through(const SurveyOptions& options);
  [[nodiscard]] std::span<const std::byte> block(std::uint64_t index);
  /// A block for other bytes: a new one up to the limit, then the least recently used one.
  [[nodiscard]] Block& free_block();
  void seek(std::uint64_t position);
  void fill(std::span<std::byte> out);

  static constexpr std::uint64_t block_bytes = 1 << 20;
  static constexpr std::uint64_t fewest_blocks = 16;

  [[nodiscard]] std::size_t most_blocks() const noexcept;

  std::shared_ptr<ByteSource> compressed_;
  InflationSurvey survey_;
  CompressedInput input_;
  std::unique_ptr<Inflater> inflater_{};  ///< positioned at the end of the last block
  std::vector<Block> blocks_{};
  std::uint64_t clock_ = 0;
};

}  // namespace quire
