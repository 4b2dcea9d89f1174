#include "comm/mpi_part.hpp"

#include <atomic>

namespace quire {
namespace {

std::atomic<const MpiPart*>& current_part() noexcept {
  static std::atomic<const MpiPart*> part{linked_mpi()};
  return part;
}

}  // namespace

const MpiPart* mpi_part() noexcept { return current_part().load(); }

void set_mpi_part(const MpiPart& part) noexcept { current_part().store(&part); }

}  // namespace quire
