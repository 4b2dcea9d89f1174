#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>

#include "quire/spi/plan/plan.hpp"

namespace quire {

/// The source of an extent, which reports how far it has been copied: what else reads the same memory soon finds it in
/// the cache. A transport that knows this class writes ready bytes from their memory; to others it is an encoder.
class WatchedSource final : public Encoder {
 public:
  /// Gets the end of what has been copied of the extent, again and again; never throws.
  using Watch = std::function<void(std::uint64_t end)>;
  using Source = decltype(WriteExtent::source);

  /// Bytes of a report: with what they are made from they fit the second-level cache. Larger reports made limits of
  /// columns dearer, by up to 10 % of the time of a write to memory; smaller ones did not make them cheaper.
  static constexpr std::size_t at_once = 256 << 10;

  WatchedSource(Source source, std::uint64_t length, Watch watch)
      : source_(std::move(source)), length_(length), watch_(std::move(watch)) {}

  /// The memory of ready bytes; null if they are encoded.
  [[nodiscard]] const std::byte* memory() const noexcept;
  void report(std::uint64_t end) const { watch_(end); }
  [[nodiscard]] std::size_t encode(std::uint64_t position, std::span<std::byte> out) override;

 private:
  Source source_;
  std::uint64_t length_;
  Watch watch_;
};

/// The source of an extent if it is watched, else null.
[[nodiscard]] const WatchedSource* watched_source(const WriteExtent& extent) noexcept;
/// The memory of ready bytes, watched or not; null for those that are encoded.
[[nodiscard]] const std::byte* ready_memory(const WriteExtent& extent) noexcept;

}  // namespace quire
