#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "quire/model/selection.hpp"

namespace quire {

/// The rows of a list as slices, with no more memory than these need: `row(i)` is the i-th of `count` rows in ascending
/// order. Repeated rows are in a slice once.
template <class RowAt>
std::shared_ptr<const std::vector<Slice>> slices_of_rows(std::size_t count, RowAt&& row) {
  const auto begins = [&](std::size_t i) { return i == 0 || row(i) > row(i - 1) + 1; };
  std::size_t size = 0;
  for (std::size_t i = 0; i < count; ++i) size += begins(i) ? 1 : 0;
  auto slices = std::make_shared<std::vector<Slice>>();
  slices->reserve(size);
  for (std::size_t i = 0; i < count; ++i) {
    if (begins(i)) slices->push_back({row(i), 0});
    slices->back().count = row(i) - slices->back().first + 1;
  }
  return slices;
}

}  // namespace quire
