#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "quire/comm/comm.hpp"
#include "quire/spi/plan/plan.hpp"

namespace quire::probe {

/// Pieces of a file that are contiguous in memory.
struct Pieces {
  std::vector<Extent> extents;
  std::span<std::byte> memory;  ///< of all of them

  [[nodiscard]] std::uint64_t bytes() const {
    std::uint64_t all = 0;
    for (const Extent& extent : extents) all += extent.length;
    return all;
  }
};

/// One way to move bytes between ranks and a file. All members are collective.
class Method {
 public:
  virtual ~Method() = default;
  /// Writes the pieces of all ranks into one file and closes it; makes it unless it exists.
  virtual void write(Comm& comm, const std::string& path, const Pieces& mine) = 0;
  /// Reads the pieces of all ranks of one file.
  virtual void read(Comm& comm, const std::string& path, const Pieces& mine) = 0;
};

using Hints = std::vector<std::pair<std::string, std::string>>;

/// A transport of the library.
[[nodiscard]] std::unique_ptr<Method> transport_method(const std::string& name);

/// Plain calls of MPI-IO, as any program makes them: "independent", "collective", "view" (one call for all pieces by a
/// file type), "cartesian" (the same on a communicator with a topology). Null without MPI.
[[nodiscard]] std::unique_ptr<Method> mpi_io_method(const std::string& calls, const Hints& hints);

/// A method with something wrong with it, for tests of what is to find that: "lie" changes a byte of what the last rank
/// writes, "late" leaves the last piece out, "hang" never comes back on the last rank.
[[nodiscard]] std::unique_ptr<Method> planted(std::unique_ptr<Method> inner, const std::string& fault);

}  // namespace quire::probe
