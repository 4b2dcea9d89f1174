#include <array>

#include "transport/factory.hpp"

namespace quire {

std::span<const TransportFactory> transport_factories() noexcept {
  static constexpr std::array factories{
      TransportFactory{"posix", make_posix}, TransportFactory{"mpi_independent", make_mpi_independent},
      TransportFactory{"mpi_collective", make_mpi_collective}, TransportFactory{"aggregated", make_aggregated}};
  return factories;
}

}  // namespace quire
