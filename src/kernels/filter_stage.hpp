#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "quire/spi/plan/chunks.hpp"

namespace quire::kernels {

/// One filter of a pipeline, with the state of its library that is kept between chunks.
class FilterStage {
 public:
  virtual ~FilterStage() = default;

  /// The largest plausible size of so many bytes after encoding.
  [[nodiscard]] virtual std::size_t most_encoded(std::size_t bytes) const noexcept = 0;
  [[nodiscard]] virtual bool encodes() const noexcept { return true; }
  /// Applies the filter to `in` and stores the result in `out`. Only if encodes() is true.
  virtual void encode(std::span<const std::byte> in, std::vector<std::byte>& out) = 0;
  /// Undoes the filter. The result is in `room`, all of which may be overwritten, or a part of `in`.
  [[nodiscard]] virtual std::span<const std::byte> decode(std::span<const std::byte> in, std::span<std::byte> room) = 0;
};

/// Null if the filter or its parameters are unknown.
[[nodiscard]] std::unique_ptr<FilterStage> deflate_stage(const Filter& filter);
[[nodiscard]] std::unique_ptr<FilterStage> zstandard_stage(const Filter& filter);
[[nodiscard]] std::unique_ptr<FilterStage> shuffle_stage(const Filter& filter);
[[nodiscard]] std::unique_ptr<FilterStage> fletcher32_stage(const Filter& filter);
[[nodiscard]] std::unique_ptr<FilterStage> lzf_stage(const Filter& filter);
[[nodiscard]] std::unique_ptr<FilterStage> lz4_stage(const Filter& filter);

}  // namespace quire::kernels
