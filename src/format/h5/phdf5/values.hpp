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

/// Records as they stand in the file, in the machine's byte order, cell behind cell: ready in the caller's memory, or
/// made piece by piece.
class ValueStream {
 public:
  /// No records.
  ValueStream() = default;
  /// `views` has a view for each cell, which holds as many values as there are records; they and their memory must
  /// outlive the stream. Throws type errors for views that do not convert, later for values.
  ValueStream(const std::vector<Cell>& cells, std::span<const ConstView> views, bool lossy,
              std::span<const std::string> names);

  [[nodiscard]] std::uint64_t records() const noexcept { return records_; }
  [[nodiscard]] std::uint64_t record_bytes() const noexcept { return record_bytes_; }
  /// The records one behind the other, if they stand so in memory.
  [[nodiscard]] const std::byte* ready() const noexcept;
  /// Makes the next records, as many as fill `out`.
  void next(std::span<std::byte> out);

 private:
  std::uint64_t records_ = 0;
  std::uint64_t record_bytes_ = 0;
  WritePlan plan_;
  std::size_t extent_ = 0;
  std::uint64_t position_ = 0;  ///< in the extent
};

}  // namespace quire::h5
