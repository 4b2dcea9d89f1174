#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "format/records_columns.hpp"
#include "quire/kernels/interleave.hpp"
#include "quire/plan/plan.hpp"

namespace quire {

/// Makes records of fixed size from the callers' columns; any position may be asked for.
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
  std::vector<std::byte> carry_;  ///< one record that does not fit into a piece
};

/// Puts the cells of records of fixed size into the callers' columns.
class RecordSink {
 public:
  /// `columns` has one entry for each cell of the shape. They take about `rows` rows in all.
  RecordSink(kernels::RecordShape shape, std::vector<TargetColumn> columns, std::uint64_t rows);

  [[nodiscard]] const kernels::RecordShape& shape() const noexcept { return shape_; }
  [[nodiscard]] const std::vector<TargetColumn>& columns() const noexcept { return columns_; }
  /// The records at `in` go to rows [first, first + rows) of the columns; `number` is that of the first, for messages.
  void take(std::uint64_t first, std::size_t rows, const std::byte* in, std::uint64_t number);
  /// Gives scratch memory back.
  void release() noexcept { scratch_.release(); }

 private:
  kernels::RecordShape shape_;
  std::vector<TargetColumn> columns_;
  std::vector<kernels::Target> targets_;
  Scratch scratch_;
  kernels::Stores stores_;
};

/// Puts records of fixed size into a sink; any whole record may be given.
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
