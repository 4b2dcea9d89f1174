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

/// Makes an index that has limits of columns alone; python/quire/io/sidecar.py describes the layout, and reads it.
class Sidecar {
 public:
  /// Independent. Adds the limits of all rows of a column.
  void add(std::int64_t step, const std::string& table, const std::string& column, const BlockLimits& limits);
  /// Independent. Writes the index of the file at `path`, which is complete. An older index stays until the new one is.
  /// Throws errors of the file system.
  void write(const std::string& path);

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
