#include "quire/model/selection.hpp"
#include "quire/spi/base/checked.hpp"

namespace quire {

Box whole(const std::vector<std::uint64_t>& extents) {
  return Box{std::vector<std::uint64_t>(extents.size(), 0), extents};
}

std::uint64_t volume(const std::vector<std::uint64_t>& extents) {
  std::uint64_t elements = 1;
  for (const std::uint64_t extent : extents) elements = checked_multiply(elements, extent);
  return elements;
}

}  // namespace quire
