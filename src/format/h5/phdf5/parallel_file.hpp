#pragma once

#include <hdf5.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "format/h5/hdf5.hpp"
#include "format/h5/phdf5/settings.hpp"
#include "quire/format/engine.hpp"

namespace quire::h5 {

/// The ranks of a file, for the communication in addition to the library's own collectives.
class FileRanks {
 public:
  explicit FileRanks(const EngineRanks& ranks) : ranks_(ranks) {}
  /// Whether the ranks use MPI; a serial program does not.
  [[nodiscard]] bool use_mpi() const noexcept { return ranks_.communicator != nullptr; }
  /// Collective. An allreduce: each word becomes its maximum over the ranks.
  void maximum(std::span<std::uint64_t> words) const;
  /// Collective. The number of ranks, and of those with `yes`.
  struct Votes {
    std::uint64_t ranks = 1;
    std::uint64_t yes = 0;
  };
  [[nodiscard]] Votes count(bool yes) const;
  [[nodiscard]] bool is_root() const noexcept { return ranks_.rank == 0; }
  /// Collective. Broadcasts the bytes of rank 0.
  void share(std::vector<std::byte>& bytes) const;
  /// A file access list with which these ranks open one file together.
  [[nodiscard]] Handle access_list(const EngineSettings& settings) const;
  /// A transfer list, independent or collective.
  [[nodiscard]] Handle transfer_list(bool is_collective) const;

 private:
  EngineRanks ranks_;
};

}  // namespace quire::h5
