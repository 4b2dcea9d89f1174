#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "format/records_columns.hpp"
#include "kernels/interleave.hpp"
#include "quire/spi/plan/plan.hpp"

namespace quire {

/// Encodes records of fixed size from the caller's columns. Accepts any position.
class FixedEncoder final : public Encoder {
 public:
  /// `columns` has one entry for each cell of the shape. `number` is the number of the first row, for messages.
  FixedEncoder(kernels::RecordShape shape, std::vector<SourceColumn> columns, std::uint64_t rows, std::uint64_t number);

  [[nodiscard]] std::size_t encode(std::uint64_t position, std::span<std::byte> out) override;

 private:
  void encode_rows(std::uint64_t first, std::size_t rows, std::byte* out);

  kernels::RecordShape shape_;
  std::vector<SourceColumn> columns_;
  std::vector<kernels::Source> sources_;
  std::uint64_t rows_;
  std::uint64_t number_;
  Scratch scratch_;
  std::vector<std::byte> carry_;  ///< a record that crosses the end of a piece
};

/// Stores the cells of records of fixed size in the caller's columns.
class RecordSink {
 public:
  /// `columns` has one entry for each cell of the shape. About `rows` rows are stored in total.
  RecordSink(kernels::RecordShape shape, std::vector<TargetColumn> columns, std::uint64_t rows);

  [[nodiscard]] const kernels::RecordShape& shape() const noexcept { return shape_; }
  [[nodiscard]] const std::vector<TargetColumn>& columns() const noexcept { return columns_; }
  /// Stores the records at `in` in rows [first, first + rows) of the columns. `number` is the number of the first
  /// record, for messages.
  void take(std::uint64_t first, std::size_t rows, const std::byte* in, std::uint64_t number);
  /// Frees scratch memory.
  void release() noexcept { scratch_.release(); }

 private:
  kernels::RecordShape shape_;
  std::vector<TargetColumn> columns_;
  std::vector<kernels::Target> targets_;
  Scratch scratch_;
  kernels::Stores stores_;
};

/// Decodes records of fixed size into a sink. Accepts any whole record.
class FixedDecoder final : public Decoder {
 public:
  /// `number` is the number of the first row, for messages.
  FixedDecoder(kernels::RecordShape shape, std::vector<TargetColumn> columns, std::uint64_t rows, std::uint64_t number);

  [[nodiscard]] std::size_t decode(std::uint64_t position, std::span<const std::byte> in) override;

 private:
  RecordSink sink_;
  std::uint64_t rows_;
  std::uint64_t number_;
};

}  // namespace quire
