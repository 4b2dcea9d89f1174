#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "kernels/block_limits.hpp"

namespace quire {

/// The name of the index of a file.
[[nodiscard]] std::string sidecar_path(const std::string& path);

/// The state of a file: another one has the path, or the file was changed, if any of these differs later.
struct FileState {
  std::uint64_t device = 0;
  std::uint64_t node = 0;
  std::uint64_t size = 0;
  std::int64_t modified = 0;  ///< in nanoseconds
  bool operator==(const FileState&) const = default;
};

/// Independent. The state of the file that has the path now. Throws errors of the file system.
[[nodiscard]] FileState state_of(const std::string& path);

/// Whether the user wanted an index, by an option or a command. A writer replaces and removes those that were not
/// asked for, and readers do not warn if such an index is outdated.
enum class Asked : std::uint8_t { no, yes };

/// Independent. Whether the file has an index that was not asked for.
[[nodiscard]] bool has_unasked_index(const std::string& path);
/// Independent. Removes the index of a file, if it was not asked for and it can be removed.
void remove_unasked_index(const std::string& path);

/// Makes an index that has limits of columns alone; python/quire/io/sidecar.py describes the layout, and reads it.
class Sidecar {
 public:
  /// Independent. Adds the limits of all rows of a column.
  void add(std::int64_t step, const std::string& table, const std::string& column, const BlockLimits& limits);
  [[nodiscard]] bool is_empty() const noexcept { return count_ == 0; }
  /// Independent. Writes the index of the file at `path`, which is complete, for this state of the file. An older index
  /// stays until the new one is complete; one that was asked for is durable first. Throws errors of the file system.
  void write(const std::string& path, const FileState& state, Asked asked);

 private:
  [[nodiscard]] std::uint32_t index_of(const std::string& name);
  /// Appends a section; returns its offset.
  std::uint64_t append(const std::vector<std::byte>& section);
  template <class Number>
  void record(Number number);

  std::map<std::string, std::uint32_t> indices_{};
  std::vector<std::string> names_{};
  std::vector<std::byte> records_{};
  std::uint64_t count_ = 0;
  std::vector<std::byte> content_{};  ///< after the header
};

}  // namespace quire
