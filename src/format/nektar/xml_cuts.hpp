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

#include "quire/model/slice.hpp"
#include "quire/model/view.hpp"

namespace quire::nektar {

/// Elements of a block that stand in the file as a block of their own: so many, with so many coefficients of a
/// variable.
struct Cut {
  std::size_t first = 0;
  std::size_t count = 0;
  std::uint64_t offset = 0;
  std::uint64_t coefficients = 0;
  [[nodiscard]] std::uint64_t end() const noexcept { return offset + coefficients; }
};

/// Cuts a block of `variables` variables, element by element, so that no part takes more than `largest` bytes unless it
/// is a single element.
class Cutter {
 public:
  Cutter(std::size_t variables, std::uint64_t largest) : variables_(variables), largest_(largest) {}

  /// The next element has so many coefficients. Throws unsupported errors for elements of 4 GiB and more, which no
  /// reader of such files could hold: the reference counts bytes in 32 bits.
  void add(std::uint64_t coefficients);
  [[nodiscard]] std::vector<Cut> finish();

 private:
  std::size_t variables_;
  std::uint64_t largest_;
  std::size_t elements_ = 0;
  Cut cut_;
  std::vector<Cut> cuts_;
};

/// Values of some rows of a table of coefficients: where the caller has them, or gathered from several pieces.
class BlockValues {
 public:
  BlockValues() = default;
  BlockValues(std::vector<ConstView> columns, std::uint64_t first) : views_(std::move(columns)), first_(first) {}
  BlockValues(BlockValues&&) noexcept = default;
  BlockValues& operator=(BlockValues&&) noexcept = default;
  BlockValues(const BlockValues&) = delete;
  BlockValues& operator=(const BlockValues&) = delete;
  ~BlockValues() = default;

  /// Values that are to be gathered, from row `first` on: room for so many of each column.
  [[nodiscard]] static BlockValues gathered(std::size_t columns, std::uint64_t first, std::uint64_t room);
  /// Adds copies of further rows. Throws type errors, unless `lossy`, for values that are no doubles.
  void append(std::span<const ConstView> columns, std::span<const std::string> names, bool lossy);

  [[nodiscard]] std::uint64_t rows() const noexcept;
  [[nodiscard]] std::vector<ConstView> columns() const;
  /// The text that stands for them in the file, piece by piece; the same for the same values, wherever they lie. Throws
  /// as append().
  void print(std::span<const std::string> names, bool lossy, const std::function<void(std::string_view)>& take) const;

 private:
  std::vector<ConstView> views_;            ///< the caller's,
  std::vector<std::vector<double>> own_{};  ///< or copies
  std::uint64_t first_ = 0;                 ///< the row of the table, for messages
};

/// Takes the rows of a table of coefficients in order and in any pieces, and gives the values of each block as soon as
/// they are complete. Never more than those of one block are copied; those that come in one piece stay where they are.
class BlockGatherer {
 public:
  BlockGatherer(std::vector<Cut> cuts, std::vector<std::string> names)
      : cuts_(std::move(cuts)), names_(std::move(names)) {}

  [[nodiscard]] const std::vector<Cut>& cuts() const noexcept { return cuts_; }
  [[nodiscard]] const std::vector<std::string>& names() const noexcept { return names_; }
  /// How many rows have come, those behind the last block among them.
  [[nodiscard]] std::uint64_t rows() const noexcept { return rows_; }

  /// Calls `use(number of the block, its values)` for each that is complete, of those for which `is_wanted(number)`.
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
