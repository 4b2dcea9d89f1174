#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "quire/plan/plan.hpp"

namespace quire::h5 {

/// Bytes of some ranges of a file, in memory. Ranges never overlap.
class ByteMap {
 public:
  using Ranges = std::map<std::uint64_t, std::vector<std::byte>>;

  /// Later bytes replace earlier ones.
  void write(std::uint64_t offset, std::span<const std::byte> bytes);
  /// Forgets the bytes of [offset, offset + length).
  void erase(std::uint64_t offset, std::uint64_t length);
  /// Copies what is known of [offset, offset + out.size()) to its place in `out`.
  void copy(std::uint64_t offset, std::span<std::byte> out) const;
  /// How many bytes are known from `offset` on without a gap.
  [[nodiscard]] std::uint64_t known_from(std::uint64_t offset) const;

  [[nodiscard]] const Ranges& ranges() const noexcept { return ranges_; }
  [[nodiscard]] bool empty() const noexcept { return ranges_.empty(); }
  /// One behind the last known byte.
  [[nodiscard]] std::uint64_t end() const;
  void clear() { ranges_.clear(); }

  /// The ranges within [from, to), neighbours joined.
  [[nodiscard]] std::vector<PublishWrite> joined(std::uint64_t from, std::uint64_t to) const;

 private:
  /// The range that holds the byte at `offset`, or end().
  [[nodiscard]] Ranges::const_iterator holder(std::uint64_t offset) const;

  Ranges ranges_;
};

}  // namespace quire::h5
