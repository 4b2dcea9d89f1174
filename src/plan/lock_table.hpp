#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace quire {

/// Counts the ranks that touch each lock unit, rank by rank. If there are more units than entries, only a sample of
/// them is kept, chosen by their hashes, half as many each time.
class LockTable {
 public:
  explicit LockTable(std::size_t most_entries);

  /// Records that a rank touches a unit. The calls for one rank must be consecutive.
  void touch(std::uint64_t unit, std::uint32_t rank) {
    const std::uint64_t hash = mixed(unit);
    if ((hash & sample_mask_) == 0) insert(unit, hash, rank);
  }

  struct Sums {
    std::uint64_t shared = 0;
    std::uint64_t conflicts = 0;
    std::uint64_t most = 0;
    double sampled = 1;
  };
  /// The counts for all units, scaled up if they were sampled.
  [[nodiscard]] Sums sums() const;

 private:
  struct Entry {
    std::uint64_t unit = 0;
    std::uint32_t last = 0;
    std::uint32_t ranks = 0;  ///< that have touched it; 0: the entry is free
  };
  static std::uint64_t mixed(std::uint64_t value) noexcept;
  void insert(std::uint64_t unit, std::uint64_t hash, std::uint32_t rank);
  [[nodiscard]] Entry& find(std::uint64_t unit, std::uint64_t hash);
  void make_room();

  std::vector<Entry> entries_;
  std::size_t used_ = 0;
  std::size_t most_;
  std::uint64_t sample_mask_ = 0;
};

}  // namespace quire
