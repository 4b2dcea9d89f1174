#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "format/records_variable.hpp"
#include "format/text/row_cursor.hpp"

namespace quire::text {

/// Decodes records that are lines of text, strictly in order.
class TextDecoder final : public Decoder {
 public:
  /// `slices` are the wanted rows, ascending; they are stored in consecutive rows of the targets. `columns` are in the
  /// order of their cells.
  TextDecoder(const Run& run, std::vector<WantedColumn> columns, VariableExtent extent, std::vector<Slice> slices);

  [[nodiscard]] std::size_t decode(std::uint64_t position, std::span<const std::byte> in) override;

 private:
  /// A cell and the columns [first, last) that read it.
  struct CellPlan {
    TextCell cell;
    std::size_t first = 0;
    std::size_t last = 0;
    bool is_plain = false;  ///< a float64 token, to be tried as a plain number first
  };

  [[nodiscard]] Progress take_row();
  [[nodiscard]] Progress take(const CellPlan& plan);
  [[nodiscard]] Progress take_number(const CellPlan& plan);
  [[nodiscard]] Progress take_text(const CellPlan& plan);
  [[nodiscard]] Progress skip_row();
  void begin_block();
  void finish_block();
  void count_row();
  void forget_row();
  [[noreturn]] void fail(Progress progress) const;
  [[noreturn]] void refuse(const CellPlan& plan, std::string_view text, const char* why) const;
  [[nodiscard]] std::byte* place_of(std::size_t column) const noexcept {
    const kernels::Target& target = targets_[column];
    return target.data + static_cast<std::ptrdiff_t>(block_rows_) * target.stride;
  }
  [[nodiscard]] bool finished() const noexcept { return next_slice_ == slices_.size(); }

  std::vector<WantedColumn> columns_;
  std::vector<CellPlan> cells_;
  VariableExtent extent_;
  std::vector<Slice> slices_;
  bool stream_;
  bool strict_;
  RowCursor cursor_;
  bool inside_line_ = false;
  std::uint64_t position_ = 0;  ///< of the current piece
  std::uint64_t record_;        ///< the next record
  std::size_t next_slice_ = 0;
  std::uint64_t delivered_ = 0;           ///< rows of the targets that are filled
  std::vector<std::size_t> known_texts_;  ///< strings that each column had before the first row
  Scratch scratch_;
  std::vector<kernels::Target> targets_;  ///< of the current block
  std::size_t block_rows_ = 0;            ///< rows of it that are filled
};

}  // namespace quire::text
