#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "api/read/piece_lists.hpp"
#include "api/read/reader_state.hpp"
#include "format/records.hpp"
#include "quire/api/elements.hpp"

namespace quire {

/// A block of a step: its two tables, and the position of its elements among all.
struct FileBlock {
  std::size_t values = 0;            ///< the table of the coefficients
  std::size_t elements = 0;          ///< and of the elements
  std::uint64_t first = 0;           ///< number of elements in the blocks before
  std::uint64_t count = 0;           ///< of elements
  bool is_opaque = false;            ///< read by the format itself: one rank reads each piece for all
  std::uint64_t uniform_count = 0;   ///< coefficients of an element, if all have the same number
  std::vector<std::size_t> columns;  ///< of the requested variables
};

/// The part of an opaque block that one rank reads.
struct BlockPiece {
  Slice rows;                     ///< its elements, among those of the block
  std::uint64_t coefficient = 0;  ///< the row of its first coefficient
};

/// The reads of this rank in the blocks of a step. All calls are independent, with any transport.
class ElementBlocks {
 public:
  /// Throws missing errors for variables that no block has.
  ElementBlocks(const ReadStep::State& step, const std::vector<std::string>& variables);

  /// Reads by another layout of the step from now on, which must outlive this object: one with the parts of the
  /// withheld lists that this rank needs.
  void use(const StepLayout& layout);
  [[nodiscard]] const StepLayout& layout() const noexcept { return *layout_; }

  [[nodiscard]] const std::vector<FileBlock>& blocks() const noexcept { return blocks_; }
  [[nodiscard]] std::uint64_t elements() const noexcept { return elements_; }
  [[nodiscard]] const Expansion& expansion(std::size_t block) const;
  [[nodiscard]] std::size_t directions(std::size_t block) const;
  /// A block without elements, to be filled.
  [[nodiscard]] ElementBlock empty(std::size_t block) const;

  /// Adds elements to a block: their ids, modes, and numbers of coefficients.
  void read_elements(std::size_t block, const Slice& part, ElementBlock& out) const;
  /// Adds the reads of their coefficients: `parts` of the block's rows, rising. The plan must run before `out` moves.
  void plan_values(std::size_t block, std::vector<Slice> parts, ElementBlock& out, ReadPlan& plan) const;
  /// The pieces of an opaque block that contain some of its elements: all of it, if its format has no pieces.
  [[nodiscard]] std::vector<BlockPiece> pieces(std::size_t block, const Slice& part) const;
  /// Coefficients of one variable of a block that cannot be addressed.
  void read_opaque(std::size_t block, std::size_t variable, const Slice& rows, std::span<double> out) const;

 private:
  void read_column(std::size_t table, std::size_t column, const Slice& rows, const View& out) const;

  const ReadStep::State& step_;
  const StepLayout* layout_;
  std::uint64_t serial_;
  std::vector<FileBlock> blocks_;
  std::uint64_t elements_ = 0;
};

}  // namespace quire
