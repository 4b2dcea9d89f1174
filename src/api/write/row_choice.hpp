#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "quire/model/selection.hpp"

namespace quire {

/// The rows of a table that a rank has chosen for its values.
class RowChoice {
 public:
  /// `total`: rows of the whole table, if the rank states it. Throws usage errors for rows that occur twice or are
  /// outside of it.
  RowChoice(const RowSelection& rows, std::optional<std::uint64_t> total);

  /// The rows in file order.
  [[nodiscard]] const SelectionWalk& walk() const noexcept { return *walk_; }
  /// One after the greatest row.
  [[nodiscard]] std::uint64_t end() const noexcept { return end_; }
  [[nodiscard]] const std::optional<std::uint64_t>& total() const noexcept { return total_; }

  /// The file order of the values, if they are not consecutive; otherwise null.
  [[nodiscard]] const std::shared_ptr<const std::vector<std::size_t>>& order() const noexcept { return order_; }

  /// The next `rows` rows, which must exist, for a step in parts.
  [[nodiscard]] SelectionWalk next(std::uint64_t rows);

 private:
  void take_list(const std::vector<std::uint64_t>& list);

  std::optional<SelectionWalk> walk_;
  std::optional<SelectionWalk> after_;  ///< not yet returned by next(), except for
  Line rest_;                           ///< these
  std::uint64_t end_ = 0;
  std::optional<std::uint64_t> total_;
  std::shared_ptr<const std::vector<std::size_t>> order_;
};

}  // namespace quire
