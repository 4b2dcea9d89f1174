#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/compression.hpp"
#include "quire/plan/byte_source.hpp"
#include "transport/compressed_input.hpp"
#include "transport/inflater.hpp"
#include "transport/restart_points.hpp"

namespace quire {

/// What one look through a compressed file finds: enough for any rank to read it at any place.
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
  std::uint64_t memory_budget = 64ULL << 20;  ///< for what the file may demand for inflating it
  bool unconfirmed = false;  ///< let bytes be read that are inside a damaged member or block: no checksum confirms them
};

/// The inflated bytes of a compressed file at any position.
///
/// Keeps blocks of 1 MiB, up to a quarter of the memory budget and at least 16; after the look those at the beginning:
/// a file that is no larger when inflated is inflated once. Of a larger one the rest is inflated again when it is read,
/// and so is what one goes back to, from the restart point before, of which there may be none but the beginning.
class InflatedBytes final : public ByteSource {
 public:
  /// Looks through the whole file, which verifies it. What is wrong with its bytes is told in survey().
  InflatedBytes(std::shared_ptr<ByteSource> compressed, Compression compression, const SurveyOptions& options);
  /// From what another rank found.
  InflatedBytes(std::shared_ptr<ByteSource> compressed, InflationSurvey survey);

  [[nodiscard]] const InflationSurvey& survey() const noexcept { return survey_; }
  [[nodiscard]] std::uint64_t size() override { return survey_.size; }
  /// Throws bad_file errors if the file is not what the survey found, and whatever reading it throws.
  [[nodiscard]] std::size_t read(std::uint64_t offset, std::span<std::byte> out) override;

 private:
  struct Block {
    std::optional<std::uint64_t> index{};
    std::uint64_t used = 0;  ///< when it was last needed
    std::vector<std::byte> bytes{};
  };

  void look_through(const SurveyOptions& options);
  [[nodiscard]] std::span<const std::byte> block(std::uint64_t index);
  /// A block for other bytes: a new one as long as there may be more, else the one that was needed longest ago.
  [[nodiscard]] Block& free_block();
  void stand_at(std::uint64_t position);
  void fill(std::span<std::byte> out);

  static constexpr std::uint64_t block_bytes = 1 << 20;
  static constexpr std::uint64_t fewest_blocks = 16;

  [[nodiscard]] std::size_t most_blocks() const noexcept;

  std::shared_ptr<ByteSource> compressed_;
  InflationSurvey survey_;
  CompressedInput input_;
  std::unique_ptr<Inflater> inflater_{};  ///< stands where the last block ended
  std::vector<Block> blocks_{};
  std::uint64_t clock_ = 0;
};

}  // namespace quire
