#include <vector>

#include "transport/factory.hpp"

namespace quire {
namespace {

void insert_before_aggregated(std::vector<TransportFactory>& all, std::span<const TransportFactory> added) {
  all.insert(all.end() - 1, added.begin(), added.end());
}

std::vector<TransportFactory>& factories() noexcept {
  static std::vector<TransportFactory> all = [] {
    std::vector<TransportFactory> first{{"posix", false, true, make_posix},
                                        {"aggregated", true, false, make_aggregated}};
    insert_before_aggregated(first, linked_mpi_transports());
    return first;
  }();
  return all;
}

}  // namespace

std::span<const TransportFactory> transport_factories() noexcept { return factories(); }

void add_mpi_transports(std::span<const TransportFactory> transports) noexcept {
  insert_before_aggregated(factories(), transports);
}

}  // namespace quire
