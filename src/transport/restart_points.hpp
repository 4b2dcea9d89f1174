#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace quire {

/// A place in compressed bytes from which they can be inflated without those before.
struct RestartPoint {
  std::uint64_t input = 0;          ///< position in the compressed bytes
  std::uint64_t output = 0;         ///< position in the inflated bytes
  std::uint32_t detail = 0;         ///< of the coding; 0 where a new member or stream begins
  std::vector<std::byte> window{};  ///< the inflated bytes before it that later ones may repeat
  template <class Archive>
  void archive(Archive& a) {
    a(input, output, detail, window);
  }
};

/// Restart points in order, as far apart as a bound on their memory demands.
class RestartPoints {
 public:
  /// Whether a point at this position would be kept.
  [[nodiscard]] bool wants(std::uint64_t output) const noexcept { return output >= next_; }
  /// Takes a point behind all others, and thins them out when they have become too many.
  void add(RestartPoint point);
  [[nodiscard]] std::vector<RestartPoint> take() && { return std::move(points_); }

  /// What all points together take at most: also the size of the message that tells them to other ranks.
  static constexpr std::size_t largest_bytes = 4 << 20;

 private:
  [[nodiscard]] static std::size_t bytes_of(const RestartPoint& point) noexcept {
    return sizeof(RestartPoint) + point.window.size();
  }
  void thin_out();

  std::vector<RestartPoint> points_;
  std::size_t bytes_ = 0;
  std::uint64_t spacing_ = 4 << 20;
  std::uint64_t next_ = 4 << 20;  ///< the next point must not come before
};

}  // namespace quire
