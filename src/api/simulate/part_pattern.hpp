#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "quire/spi/api/workload.hpp"
#include "quire/spi/format/planner.hpp"
#include "quire/spi/plan/survey.hpp"

namespace quire {

/// An item that a placement stores at one place of the file: bytes, or the elements of a component of a field.
struct PlacedItem {
  ExtentTrain train;                 ///< of bytes; only the offset counts for a field: that of its first element
  std::optional<std::size_t> field;  ///< the elements of this one
  std::uint64_t element_bytes = 0;   ///< of the field, or of one chunk of it
  bool staged = false;               ///< its bytes are encoded
};

/// The chunks of a field, if it is chunked.
struct FieldChunking {
  std::vector<std::uint64_t> shape;   ///< empty: every element has its own place
  std::vector<std::uint64_t> counts;  ///< of chunks along each axis
  std::uint64_t bytes = 0;            ///< of one chunk
};

/// Independent. The items of a placement of a part without memory, for which whole_plan() creates extents.
[[nodiscard]] std::vector<PlacedItem> placed_items(const StepPart& part, const Placement& placement,
                                                   const std::vector<FieldChunking>& chunking);

/// Independent. The chunks along each axis that belong to a rank with these elements, if the elements of all ranks
/// cover the field: those whose first element it has.
[[nodiscard]] std::vector<AxisPart> owned_chunks(const std::vector<AxisPart>& elements, const FieldChunking& chunking);

/// Independent. Appends the extents of elements in an array that begins at an offset; `apart`: each element is one.
void append_elements(std::vector<ExtentTrain>& trains, std::uint64_t offset, const std::vector<std::uint64_t>& extents,
                     std::span<const AxisPart> axes, std::uint64_t element_bytes, bool apart, bool staged = false);

/// The shifts of the items of ranks with equal parts, as a function of what precedes them.
class PartPattern {
 public:
  /// `origin` are the items with `before`; then those for each slot increased by 1. No value if they change in other
  /// ways than by shifts.
  [[nodiscard]] static std::optional<PartPattern> learn(std::vector<PlacedItem> origin, Measure before,
                                                        const std::vector<std::vector<PlacedItem>>& moved);

  [[nodiscard]] std::vector<PlacedItem> items(const Measure& before) const;

 private:
  struct Move {
    std::size_t slot = 0;
    std::uint64_t by = 0;  ///< bytes for each
  };
  std::vector<PlacedItem> origin_;
  Measure before_;
  std::vector<std::vector<Move>> moves_;  ///< of each item
};

}  // namespace quire
