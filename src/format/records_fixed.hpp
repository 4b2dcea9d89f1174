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

/// Puts the cells of records of fixed size into the callers' columns; any whole record may be given.
class FixedDecoder final : public Decoder {
 public:
  FixedDecoder(kernels::RecordShape shape, std::vector<TargetColumn> columns, std::uint64_t rows, std::uint64_t number);

  [[nodiscard]] std::size_t decode(std::uint64_t position, std::span<const std::byte> in) override;

 private:
  kernels::RecordShape shape_;
  std::vector<TargetColumn> columns_;
  std::vector<kernels::Target> targets_;
  std::uint64_t rows_;
  std::uint64_t number_;
  Scratch scratch_;
  kernels::Stores stores_;
};

}  // namespace quire
