#pragma once

#include <optional>
#include <vector>

#include "driver/scratch.hpp"
#include "quire/comm/comm.hpp"

namespace quire::bench {

/// Above this share of a file in memory a read is not cold.
inline constexpr double cold_until = 0.01;

/// The page caches of the nodes, as far as some files are concerned. The ranks of a node share the work.
class PageCache {
 public:
  /// Collective.
  explicit PageCache(Comm& comm) : comm_(comm), node_(comm.split_by_node()) {}

  /// Collective. Which share of the files is in memory, over all nodes; nothing if the system does not report it.
  [[nodiscard]] std::optional<double> resident(const std::vector<FileEntry>& files);
  /// Collective. Makes the files durable, and with `entries` their names.
  void sync(const std::vector<FileEntry>& files, bool entries);
  /// Collective. Syncs the files and advises the system to forget them, until it has or will not.
  [[nodiscard]] std::optional<double> evict(const std::vector<FileEntry>& files);
  /// Collective. Reads the files once.
  void warm(const std::vector<FileEntry>& files);

 private:
  template <class Use>
  void for_mine(const std::vector<FileEntry>& files, const Use& use);

  Comm& comm_;
  Comm node_;
};

}  // namespace quire::bench
