#include "transport/factory.hpp"

namespace quire {

std::span<const TransportFactory> linked_mpi_transports() noexcept { return {}; }

}  // namespace quire
