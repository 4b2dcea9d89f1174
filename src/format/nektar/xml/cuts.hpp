#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "quire/model/selection.hpp"
#include "quire/model/value.hpp"

namespace quire::nektar {

/// Elements of a block that are a block of their own in the file: `count` elements with `coefficients` coefficients of
/// a variable.
struct Cut {
  std::size_t first = 0;
  std::size_t count = 0;
  std::uint64_t offset = 0;
  std::uint64_t coefficients = 0;
  [[nodiscard]] std::uint64_t end() const noexcept { return offset + coefficients; }
};

/// Splits a block of `variables` variables between elements, so that no part has more than `largest` bytes unless it is
/// a single element.
class Cutter {
 public:
  Cutter(std::size_t variables, std::uint64_t largest) : variables_(variables), largest_(largest) {}

  /// Adds an element with this number of coefficients. Throws unsupported errors for elements of 4 GiB and more, which
  /// no reader of such files can read: the reference counts bytes in 32 bits.
  void add(std::uint64_t coefficients);
  [[nodiscard]] std::vector<Cut> finish();

 private:
  std::size_t variables_;
  std::uint64_t largest_;
  std::size_t elements_ = 0;
  Cut cut_;
  std::vector<Cut> cuts_;
};

/// Values of some rows of a table of coefficients: in the memory of the caller, or copied from several pieces.
class BlockValues {
 public:
  BlockValues() = default;
  BlockValues(std::vector<ConstView> columns, std::uint64_t first) : views_(std::move(columns)), first_(first) {}
  BlockValues(BlockValues&&) noexcept = default;
  BlockValues& operator=(BlockValues&&) noexcept = default;
  BlockValues(const BlockValues&) = delete;
  BlockValues& operator=(const BlockValues&) = delete;
  ~BlockValues() = default;

  /// Values that will be appended, starting at row `first`, with memory for `room` values of each column.
  [[nodiscard]] static BlockValues gathered(std::size_t columns, std::uint64_t first, std::uint64_t room);
  /// Appends copies of further rows. Throws type errors, unless `lossy`, for values that do not fit doubles.
  void append(std::span<const ConstView> columns, std::span<const std::string> names, bool lossy);

  [[nodiscard]] std::uint64_t rows() const noexcept;
  [[nodiscard]] std::vector<ConstView> columns() const;
  /// Passes the text of the values to `take`, piece by piece. Equal values give equal text, wherever they are in
  /// memory. Throws the errors of append().
  void print(std::span<const std::string> names, bool lossy, const std::function<void(std::string_view)>& take) const;

 private:
  std::vector<ConstView> views_;            ///< the caller's,
  std::vector<std::vector<double>> own_{};  ///< or copies
  std::uint64_t first_ = 0;                 ///< the row of the table, for messages
};

/// Receives the rows of a table of coefficients in order and in any pieces, and returns the values of each block as
/// soon as they are complete. At most one block is copied; a block that is given in one piece is not.
class BlockGatherer {
 public:
  BlockGatherer(std::vector<Cut> cuts, std::vector<std::string> names)
      : cuts_(std::move(cuts)), names_(std::move(names)) {}

  [[nodiscard]] const std::vector<Cut>& cuts() const noexcept { return cuts_; }
  [[nodiscard]] const std::vector<std::string>& names() const noexcept { return names_; }
  /// The number of rows received so far, including those after the last block.
  [[nodiscard]] std::uint64_t rows() const noexcept { return rows_; }

  /// Calls `use(number of the block, its values)` for each complete block for which `is_wanted(number)` holds.
  template <class IsWanted, class Use>
  void take(std::span<const ConstView> columns, bool lossy, IsWanted&& is_wanted, Use&& use) {
    const std::uint64_t rows = columns.empty() ? 0 : columns.front().count;
    for (std::uint64_t used = 0; used < rows;) {
      if (next_ == cuts_.size()) {
        rows_ += rows - used;
        return;
      }
      const std::size_t block = next_;
      const Slice part{used, std::min(rows - used, cuts_[block].end() - rows_)};
      if (is_wanted(block)) {
        if (auto complete = completed(columns, part, lossy)) use(block, std::move(*complete));
      }
      used += part.count;
      rows_ += part.count;
      if (rows_ == cuts_[block].end()) ++next_;
    }
  }

 private:
  /// The values of the next block, if these rows of the columns complete it.
  [[nodiscard]] std::optional<BlockValues> completed(std::span<const ConstView> columns, const Slice& part, bool lossy);

  std::vector<Cut> cuts_;
  std::vector<std::string> names_;
  std::size_t next_ = 0;
  std::uint64_t rows_ = 0;
  std::optional<BlockValues> gathered_;
};

}  // namespace quire::nektar
