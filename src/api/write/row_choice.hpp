#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "quire/model/selection.hpp"
#include "quire/model/view.hpp"

namespace quire {

/// The rows of a table that a rank has chosen for its values.
class RowChoice {
 public:
  /// `total`: rows of the whole table, if the rank says so. Throws usage errors for rows that come twice or are not
  /// inside of it.
  RowChoice(const RowSelection& rows, std::optional<std::uint64_t> total);

  /// The rows in the order of the file.
  [[nodiscard]] const SelectionWalk& walk() const noexcept { return *walk_; }
  /// One behind the greatest row.
  [[nodiscard]] std::uint64_t end() const noexcept { return end_; }
  [[nodiscard]] const std::optional<std::uint64_t>& total() const noexcept { return total_; }

  /// Which value comes next in the file, if they do not come one after the other; else null.
  [[nodiscard]] const std::shared_ptr<const std::vector<std::size_t>>& order() const noexcept { return order_; }

  /// The next so many rows, of which there are as many, for a step in pieces.
  [[nodiscard]] SelectionWalk next(std::uint64_t rows);

  /// Once: brings the values of columns of numbers into the order of the file. Those of a list that does not rise are
  /// copied into `memory`.
  void put_in_file_order(std::vector<ConstView>& columns, std::vector<std::vector<std::byte>>& memory);

 private:
  void take_list(const std::vector<std::uint64_t>& list);

  std::optional<SelectionWalk> walk_;
  std::optional<SelectionWalk> after_;  ///< what has not been taken by next(), but for
  Line rest_;                            ///< these
  std::uint64_t end_ = 0;
  std::optional<std::uint64_t> total_;
  std::shared_ptr<const std::vector<std::size_t>> order_;
};

}  // namespace quire
