#include <array>

#include "transport/factory.hpp"

namespace quire {

std::span<const TransportFactory> linked_mpi_transports() noexcept {
  static constexpr std::array transports{TransportFactory{"mpi_independent", false, false, make_mpi_independent},
                                         TransportFactory{"mpi_collective", true, false, make_mpi_collective}};
  return transports;
}

}  // namespace quire
