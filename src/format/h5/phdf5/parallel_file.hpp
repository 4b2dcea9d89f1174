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

/// The ranks of a file, for the little that they say to each other beside the library's own collectives.
class FileRanks {
 public:
  explicit FileRanks(const EngineRanks& ranks) : ranks_(ranks) {}
  /// Whether there are others, through MPI; a process alone needs none.
  [[nodiscard]] bool use_mpi() const noexcept { return ranks_.communicator != nullptr; }
  /// Collective. Each word becomes its maximum over the ranks.
  void maximum(std::span<std::uint64_t> words) const;
  /// Collective. How many ranks there are, and how many of them say so.
  struct Votes {
    std::uint64_t ranks = 1;
    std::uint64_t yes = 0;
  };
  [[nodiscard]] Votes count(bool yes) const;
  [[nodiscard]] bool is_root() const noexcept { return ranks_.rank == 0; }
  /// Collective. Every rank gets the bytes of rank 0.
  void share(std::vector<std::byte>& bytes) const;
  /// A file access list by which these ranks open one file together.
  [[nodiscard]] Handle access_list(const EngineSettings& settings) const;
  /// A transfer list: for one rank alone, or for all together.
  [[nodiscard]] Handle transfer_list(bool is_collective) const;

 private:
  EngineRanks ranks_;
};

}  // namespace quire::h5
