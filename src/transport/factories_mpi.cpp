#include <array>

#include "transport/factory.hpp"

namespace quire {

std::span<const TransportFactory> transport_factories() noexcept {
  static constexpr std::array factories{TransportFactory{"posix", false, true, make_posix},
                                        TransportFactory{"mpi_independent", false, false, make_mpi_independent},
                                        TransportFactory{"mpi_collective", true, false, make_mpi_collective},
                                        TransportFactory{"aggregated", true, false, make_aggregated}};
  return factories;
}

}  // namespace quire
