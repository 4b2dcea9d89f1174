#include <array>
#include <cstdint>
#include <limits>
#include <string>

#include "arguments.hpp"
#include "mpi_checks.hpp"
#include "quire/comm/mpi.hpp"
#include "ranks.hpp"

namespace quire::probe {
namespace {

/// Rank 0 brings a word whose highest bit is set, the others one that is small: as words with a sign they are in the
/// other order.
template <class Word>
void examine_type(Comm& comm, MPI_Datatype type, const std::string& name) {
  constexpr Word small = 5;
  constexpr Word large = std::numeric_limits<Word>::max() - small;
  struct Reduction {
    MPI_Op operation;
    const char* title;
    Word result;
  };
  const std::array reductions{Reduction{MPI_MAX, "maximum", large}, Reduction{MPI_MIN, "minimum", small}};
  for (const auto& [operation, title, result] : reductions) {
    const Word mine = comm.is_root() ? large : small;
    Word found = 0;
    require(MPI_Allreduce(&mine, &found, 1, type, operation, mpi_handle(comm)), "reduce");
    std::uint64_t wrong = found == result ? 0 : 1;
    comm.maximum(std::span(&wrong, 1));
    report(comm, {"reduction", title + (" of " + name), wrong == 0 ? "right" : "wrong",
                  wrong == 0 ? "" : std::to_string(found) + " instead of " + std::to_string(result)});
  }
}

}  // namespace

void examine_reductions(Comm& comm) {
  if (comm.size() == 1) return report(comm, {"reduction", "unsigned", "skipped", "one rank alone reduces nothing"});
  examine_type<std::uint8_t>(comm, MPI_UINT8_T, "uint8");
  examine_type<unsigned>(comm, MPI_UNSIGNED, "unsigned");
  examine_type<unsigned long>(comm, MPI_UNSIGNED_LONG, "unsigned long");
  examine_type<unsigned long long>(comm, MPI_UNSIGNED_LONG_LONG, "unsigned long long");
}

}  // namespace quire::probe
