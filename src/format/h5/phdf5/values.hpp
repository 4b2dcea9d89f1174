#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "quire/model/selection.hpp"
#include "quire/model/view.hpp"
#include "quire/plan/plan.hpp"
#include "quire/plan/record.hpp"

namespace quire::h5 {

/// Records as stored in the file, in native byte order, with consecutive cells: used from the caller's memory, or
/// encoded piece by piece.
class ValueStream {
 public:
  /// No records.
  ValueStream() = default;
  /// `views` has a view for each cell, with one value for each record; the views and their memory must outlive the
  /// stream. Throws type errors for views that cannot be converted; errors of values are thrown by next().
  ValueStream(const std::vector<Cell>& cells, std::span<const ConstView> views, bool lossy,
              std::span<const std::string> names);

  [[nodiscard]] std::uint64_t records() const noexcept { return records_; }
  [[nodiscard]] std::uint64_t record_bytes() const noexcept { return record_bytes_; }
  /// The records, if they are consecutive in memory; otherwise null.
  [[nodiscard]] const std::byte* ready() const noexcept;
  /// Encodes the next records, as many as fill `out`.
  void next(std::span<std::byte> out);

 private:
  std::uint64_t records_ = 0;
  std::uint64_t record_bytes_ = 0;
  WritePlan plan_;
  std::size_t extent_ = 0;
  std::uint64_t position_ = 0;  ///< in the extent
};

}  // namespace quire::h5
