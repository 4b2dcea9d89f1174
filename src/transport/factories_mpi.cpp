#include <array>

#include "transport/factory.hpp"

namespace quire {

std::span<const TransportFactory> transport_factories() noexcept {
  static constexpr std::array factories{TransportFactory{"posix", false, make_posix},
                                        TransportFactory{"mpi_independent", false, make_mpi_independent},
                                        TransportFactory{"mpi_collective", true, make_mpi_collective},
                                        TransportFactory{"aggregated", true, make_aggregated}};
  return factories;
}

}  // namespace quire
