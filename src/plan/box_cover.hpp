#pragma once

#include <cstdint>
#include <vector>

#include "quire/model/slice.hpp"

namespace quire {

/// How much of a box has come, part by part. Parts that touch become one: many of them in a regular order take little.
class BoxCover {
 public:
  explicit BoxCover(Box whole);

  /// Throws usage errors for a part that is not inside of the box, and for one that shares an element with another one.
  void add(const Box& part);
  /// How many elements have come, of how many.
  [[nodiscard]] std::uint64_t elements() const noexcept { return elements_; }
  [[nodiscard]] std::uint64_t all_elements() const noexcept { return all_elements_; }
  [[nodiscard]] bool is_complete() const noexcept { return elements_ == all_elements_; }
  /// In how many boxes they are remembered.
  [[nodiscard]] std::size_t parts() const noexcept { return parts_.size(); }
  /// Nothing has come.
  void clear() noexcept;

 private:
  /// Enlarges a box by a part that touches it along one whole side; false if there is none.
  bool take_neighbour(Box& box);

  Box whole_;
  std::uint64_t all_elements_;
  std::uint64_t elements_ = 0;
  std::vector<Box> parts_;
};

}  // namespace quire
