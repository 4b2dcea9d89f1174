#pragma once

#include <cstdint>
#include <vector>

#include "quire/model/selection.hpp"

namespace quire {

/// The written part of a box. Adjacent parts are merged: many of them in a regular order need little memory.
class BoxCover {
 public:
  explicit BoxCover(Box whole);

  /// Throws usage errors for a part outside the box, and for one that shares an element with another one.
  void add(const Box& part);
  /// The number of elements in all parts.
  [[nodiscard]] std::uint64_t elements() const noexcept { return elements_; }
  [[nodiscard]] std::uint64_t all_elements() const noexcept { return all_elements_; }
  [[nodiscard]] bool is_complete() const noexcept { return elements_ == all_elements_; }
  /// The number of boxes in which they are stored.
  [[nodiscard]] std::size_t parts() const noexcept { return parts_.size(); }
  /// Removes all parts.
  void clear() noexcept;

 private:
  /// Merges a box with a part that touches one whole side of it; false if there is none.
  bool take_neighbour(Box& box);

  Box whole_;
  std::uint64_t all_elements_;
  std::uint64_t elements_ = 0;
  std::vector<Box> parts_;
};

}  // namespace quire
