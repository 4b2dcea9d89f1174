#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "quire/spi/plan/plan.hpp"

namespace quire::hdf5 {

/// Extents of a file in memory. They never overlap.
class ByteMap {
 public:
  using Ranges = std::map<std::uint64_t, std::vector<std::byte>>;

  /// Later bytes replace earlier ones.
  void write(std::uint64_t offset, std::span<const std::byte> bytes);
  /// Removes the bytes of [offset, offset + length).
  void erase(std::uint64_t offset, std::uint64_t length);
  /// Copies the known bytes of [offset, offset + out.size()) to their places in `out`.
  void copy(std::uint64_t offset, std::span<std::byte> out) const;
  /// The number of bytes from `offset` on that are known without a gap.
  [[nodiscard]] std::uint64_t known_from(std::uint64_t offset) const;
  /// Whether any byte of [offset, offset + length) is known.
  [[nodiscard]] bool has_any(std::uint64_t offset, std::uint64_t length) const;

  [[nodiscard]] const Ranges& ranges() const noexcept { return ranges_; }
  [[nodiscard]] bool empty() const noexcept { return ranges_.empty(); }
  /// The offset after the last known byte.
  [[nodiscard]] std::uint64_t end() const;
  void clear() { ranges_.clear(); }

  /// The ranges within [from, to), adjacent ranges joined.
  [[nodiscard]] std::vector<PublishWrite> joined(std::uint64_t from, std::uint64_t to) const;

 private:
  /// The range that holds the byte at `offset`, or end().
  [[nodiscard]] Ranges::const_iterator holder(std::uint64_t offset) const;

  Ranges ranges_;
};

}  // namespace quire::hdf5
