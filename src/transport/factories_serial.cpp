#include <array>

#include "transport/factory.hpp"

namespace quire {

std::span<const TransportFactory> transport_factories() noexcept {
  static constexpr std::array factories{TransportFactory{"posix", make_posix}};
  return factories;
}

}  // namespace quire
