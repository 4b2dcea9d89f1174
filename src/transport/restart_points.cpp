#include "transport/restart_points.hpp"

#include <utility>

namespace quire {

void RestartPoints::add(RestartPoint point) {
  bytes_ += bytes_of(point);
  next_ = point.output + spacing_;
  points_.push_back(std::move(point));
  while (bytes_ > largest_bytes) thin_out();
}

void RestartPoints::thin_out() {
  spacing_ *= 2;
  std::vector<RestartPoint> kept;
  std::uint64_t next = spacing_;
  bytes_ = 0;
  for (RestartPoint& point : points_) {
    if (point.output < next) continue;
    next = point.output + spacing_;
    bytes_ += bytes_of(point);
    kept.push_back(std::move(point));
  }
  points_ = std::move(kept);
  next_ = next;
}

}  // namespace quire
