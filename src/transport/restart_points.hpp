#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace quire {

/// A position in compressed bytes at which inflating can begin without the bytes before it.
struct RestartPoint {
  std::uint64_t input = 0;          ///< position in the compressed bytes
  std::uint64_t output = 0;         ///< position in the inflated bytes
  std::uint32_t detail = 0;         ///< defined by the compression; 0 at the beginning of a member or stream
  std::vector<std::byte> window{};  ///< the inflated bytes before it to which later ones may refer
  template <class Archive>
  void archive(Archive& a) {
    a(input, output, detail, window);
  }
};

/// Restart points in order, spaced so that their memory is bounded.
class RestartPoints {
 public:
  /// Whether a point at this position would be kept.
  [[nodiscard]] bool wants(std::uint64_t output) const noexcept { return output >= next_; }
  /// Adds a point after all others, and thins them out if they exceed the limit.
  void add(RestartPoint point);
  [[nodiscard]] std::vector<RestartPoint> take() && { return std::move(points_); }

  /// Maximum size of all points together: also that of the message that sends them to other ranks.
  static constexpr std::size_t largest_bytes = 4 << 20;

 private:
  [[nodiscard]] static std::size_t bytes_of(const RestartPoint& point) noexcept {
    return sizeof(RestartPoint) + point.window.size();
  }
  void thin_out();

  std::vector<RestartPoint> points_;
  std::size_t bytes_ = 0;
  std::uint64_t spacing_ = 4 << 20;
  std::uint64_t next_ = 4 << 20;  ///< minimum position of the next point
};

}  // namespace quire
