#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "format/records_columns.hpp"
#include "kernels/interleave.hpp"
#include "quire/model/selection.hpp"
#include "quire/spi/plan/plan.hpp"

namespace quire {

/// Iterates over the elements of a selection, or of packed memory, by lines. A copy keeps its own position.
class LineCursor {
 public:
  /// All elements of one line.
  explicit LineCursor(const Line& line) : rest_(line) {}
  explicit LineCursor(const SelectionWalk& walk) : walk_(walk), rest_(walk_->next().value_or(Line{})) {}
  /// The elements of the caller's memory; packed memory has `values`.
  LineCursor(const MemorySelection& memory, std::uint64_t values);
  /// The values of packed memory in another order.
  explicit LineCursor(std::shared_ptr<const std::vector<std::size_t>> order) : order_(std::move(order)) { advance(); }

  /// The next elements, at equal distances. Empty at the end.
  [[nodiscard]] const Line& rest() const noexcept { return rest_; }
  /// Skips elements, also across lines.
  void skip(std::uint64_t elements);

 private:
  void advance();

  std::optional<SelectionWalk> walk_;
  std::shared_ptr<const std::vector<std::size_t>> order_;
  std::size_t next_ = 0;  ///< of the order
  Line rest_;
};

/// Encodes consecutive records from elements that are scattered in memory. A copy continues at the position of the
/// original.
class LineGatherer {
 public:
  /// `columns` has one entry for each cell of the shape; all have their values at the same places of `memory`.
  LineGatherer(kernels::RecordShape shape, std::vector<SourceColumn> columns, LineCursor memory);

  [[nodiscard]] const kernels::RecordShape& shape() const noexcept { return shape_; }
  [[nodiscard]] const std::vector<SourceColumn>& columns() const noexcept { return columns_; }
  [[nodiscard]] const LineCursor& memory() const noexcept { return memory_; }
  /// Writes the records of the next elements to `out`. `number` is that of the first element in the file, for messages.
  void gather(std::uint64_t number, std::uint64_t elements, std::byte* out);
  /// Skips elements.
  void skip(std::uint64_t elements) { memory_.skip(elements); }
  /// Frees scratch memory.
  void release() noexcept { scratch_.release(); }

 private:
  kernels::RecordShape shape_;
  std::vector<SourceColumn> columns_;
  std::vector<kernels::Source> sources_;
  LineCursor memory_;
  Scratch scratch_;
};

/// Encodes contiguous records on demand from elements that are scattered in memory.
class GatherEncoder final : public Encoder {
 public:
  /// `number` is that of the first element in the file, for messages.
  GatherEncoder(LineGatherer values, std::uint64_t elements, std::uint64_t number);

  [[nodiscard]] std::size_t encode(std::uint64_t position, std::span<std::byte> out) override;

 private:
  LineGatherer values_;
  std::uint64_t elements_;
  std::uint64_t number_;
  std::vector<std::byte> carry_;  ///< a record that crosses the end of a piece
};

/// Some cells of records that are read.
struct LineCells {
  std::size_t record_bytes = 0;
  std::vector<kernels::CellShape> shapes;
};

/// Picks records from an extent that has gaps and stores them at their places in memory.
class LineDecoder final : public Decoder {
 public:
  /// The extent begins at the first element of `file` and ends with the last of `elements`; `columns` has one entry for
  /// each cell.
  LineDecoder(LineCells cells, std::vector<TargetColumn> columns, LineCursor file, LineCursor memory,
              std::uint64_t elements);

  [[nodiscard]] std::size_t decode(std::uint64_t position, std::span<const std::byte> in) override;

 private:
  void take(const Line& file, const Line& memory, const std::byte* in);
  [[nodiscard]] const kernels::RecordShape& shape_for(std::uint64_t step);

  LineCells cells_;
  std::vector<TargetColumn> columns_;
  std::vector<kernels::Target> targets_;
  LineCursor file_;
  LineCursor memory_;
  std::uint64_t begin_;  ///< the number of the first element of the extent
  std::uint64_t left_;
  Scratch scratch_;
  std::uint64_t step_ = 1;
  std::optional<kernels::RecordShape> single_;
  std::optional<kernels::RecordShape> strided_;  ///< records that are step_ elements long
};

}  // namespace quire
