#pragma once

#include <cstdint>
#include <vector>

#include "quire/format/options.hpp"

namespace quire::hdf5 {

/// The alignment of datasets: long ones start at multiples of the file system's block size, short ones close together.
struct Alignment {
  std::uint64_t multiple = 4096;
  std::uint64_t threshold = std::uint64_t{64} << 10;  ///< least bytes of a long dataset

  /// The options `alignment` and `alignment_threshold`.
  [[nodiscard]] static Alignment of(const CheckedOptions& options);
  /// The first place for `length` bytes at or after `offset`.
  [[nodiscard]] std::uint64_t next(std::uint64_t offset, std::uint64_t length) const;
};

/// A table of options, followed by those that Alignment::of() reads.
[[nodiscard]] std::vector<Option> with_alignment(std::vector<Option> options);

}  // namespace quire::hdf5
