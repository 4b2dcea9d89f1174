#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "format/records_columns.hpp"
#include "quire/model/selection.hpp"
#include "quire/spi/plan/plan.hpp"
#include "quire/spi/plan/record.hpp"

namespace quire {

/// The places of the cells of a record whose size varies because of strings, relative to anchors. Anchor 0 is the
/// beginning of the record, anchor k the end of its k-th string.
struct VariableShape {
  struct FixedCell {
    std::size_t cell = 0;
    std::size_t anchor = 0;
    kernels::CellShape shape;  ///< offset from the anchor
  };
  struct StringCell {
    std::size_t cell = 0;
    std::size_t gap = 0;  ///< bytes of fixed cells between the anchor before it and its count
  };

  explicit VariableShape(const Run& run);

  std::vector<FixedCell> fixed;
  std::vector<StringCell> strings;
  std::vector<std::size_t> index;  ///< for each cell its position in `fixed` or `strings`
  std::size_t tail = 0;            ///< bytes of fixed cells after the last string
  ByteOrder order = native_order;

  /// The size of a record whose strings are all empty.
  [[nodiscard]] std::uint64_t least_bytes() const noexcept;
};

/// The anchors of a block of records: one list of positions per anchor, so that a cell is one loop over the block.
/// It has scratch memory for one converted cell of each record. Memory is allocated only while it is used.
class AnchorBlock {
 public:
  explicit AnchorBlock(std::size_t anchors);
  void prepare();
  void release() noexcept;
  [[nodiscard]] std::size_t most_records() const noexcept { return most_records_; }
  [[nodiscard]] std::uint64_t& at(std::size_t anchor, std::size_t record) {
    return positions_[anchor * most_records_ + record];
  }
  [[nodiscard]] std::span<const std::uint64_t> records(std::size_t anchor, std::size_t first, std::size_t count) const {
    return {positions_.data() + anchor * most_records_ + first, count};
  }
  [[nodiscard]] std::byte* scratch() noexcept { return scratch_.data(); }

 private:
  std::size_t anchors_;
  std::size_t most_records_;
  std::vector<std::uint64_t> positions_;
  std::vector<std::byte> scratch_;
};

/// The size of these rows in bytes; views are in the order of the run's cells. Throws an unsupported error for strings
/// whose size does not fit the count.
[[nodiscard]] std::uint64_t variable_bytes(const VariableShape& shape, std::span<const SourceColumn> columns,
                                           std::uint64_t rows);

/// Encodes records with strings, strictly in order.
class VariableEncoder final : public Encoder {
 public:
  VariableEncoder(VariableShape shape, std::vector<SourceColumn> columns, std::uint64_t rows, std::uint64_t number);

  [[nodiscard]] std::size_t encode(std::uint64_t position, std::span<std::byte> out) override;

 private:
  struct Fitting {
    std::size_t records = 0;
    std::size_t bytes = 0;
  };
  [[nodiscard]] Fitting fit(std::size_t room);
  void encode_block(std::size_t records, std::byte* out);
  [[nodiscard]] std::size_t encode_part(std::span<std::byte> out);
  [[nodiscard]] std::uint64_t record_bytes(std::uint64_t row) const;

  VariableShape shape_;
  std::vector<SourceColumn> columns_;
  std::uint64_t rows_;
  std::uint64_t number_;
  AnchorBlock anchors_;
  std::uint64_t row_ = 0;       ///< the next record
  std::uint64_t inside_ = 0;    ///< bytes of it that are already encoded
  std::uint64_t position_ = 0;  ///< required position of the next call
};

/// A column that is wanted from records with strings.
struct WantedColumn {
  std::size_t cell = 0;
  TargetColumn target;
};

/// The records of an extent.
struct VariableExtent {
  std::uint64_t first = 0;   ///< the record at its beginning
  std::uint64_t length = 0;  ///< bytes of the extent
};

/// Decodes records with strings, strictly in order.
class VariableDecoder final : public Decoder {
 public:
  /// `slices` are the wanted rows, ascending; they are stored in consecutive rows of the targets.
  VariableDecoder(VariableShape shape, std::vector<WantedColumn> columns, VariableExtent extent,
                  std::vector<Slice> slices);

  [[nodiscard]] std::size_t decode(std::uint64_t position, std::span<const std::byte> in) override;

 private:
  /// Finds the next record at `at`, its anchors relative to the piece; false if the piece ends inside it.
  [[nodiscard]] bool find_record(std::uint64_t position, std::span<const std::byte> in, std::size_t& at,
                                 std::size_t record);
  void deliver(std::span<const std::byte> in, std::size_t records);
  void deliver_rows(std::span<const std::byte> in, std::size_t first, std::size_t records);
  void deliver_fixed(const WantedColumn& wanted, std::span<const std::byte> in, std::size_t first, std::size_t records);
  void deliver_strings(const WantedColumn& wanted, std::span<const std::byte> in, std::size_t first,
                       std::size_t records);
  [[nodiscard]] bool finished() const noexcept { return next_slice_ == slices_.size(); }

  VariableShape shape_;
  std::vector<WantedColumn> columns_;
  VariableExtent extent_;
  std::vector<Slice> slices_;
  AnchorBlock anchors_;
  std::uint64_t record_;  ///< the next record
  std::size_t next_slice_ = 0;
  std::uint64_t delivered_ = 0;  ///< rows of the targets that are filled
};

}  // namespace quire
