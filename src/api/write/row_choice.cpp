#include "api/write/row_choice.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>
#include <numeric>
#include <string>
#include <utility>

#include "quire/base/error.hpp"

namespace quire {
namespace {

/// What counts rows has a sign in most languages.
constexpr std::uint64_t most_rows = std::numeric_limits<std::int64_t>::max();

void add_row(std::vector<Slice>& slices, std::uint64_t row) {
  if (!slices.empty() && slices.back().end() == row) {
    ++slices.back().count;
  } else {
    slices.push_back({row, 1});
  }
}

/// Throws usage errors for parts that overlap or share a row.
SelectionWalk checked_walk(const Selection& rows, std::uint64_t end) {
  std::vector<Hyperslab> parts;
  // Where nothing begins means nothing: a rank without rows may name any place.
  for (const Hyperslab& part : rows.parts()) {
    if (!Selection(part).is_empty()) parts.push_back(part);
  }
  SelectionWalk walk({end}, Selection(parts));
  SelectionWalk first_look = walk;
  while (parts.size() > 1 && first_look.next()) {
  }
  return walk;
}

}  // namespace

RowChoice::RowChoice(const RowSelection& rows, std::optional<std::uint64_t> total) : end_(rows.end()), total_(total) {
  if (end_ > total_.value_or(most_rows)) {
    throw Error(ErrorKind::usage, "row " + std::to_string(end_ - 1) + " is not inside the table's " +
                                      std::to_string(total_.value_or(most_rows)) + " rows");
  }
  if (total_ && *total_ > most_rows) {
    throw Error(ErrorKind::usage, "a table cannot have " + std::to_string(*total_) + " rows");
  }
  if (const Selection* regular = rows.regular()) {
    walk_.emplace(checked_walk(*regular, end_));
  } else {
    take_list(*rows.list());
  }
}

void RowChoice::take_list(const std::vector<std::uint64_t>& list) {
  if (!std::ranges::is_sorted(list)) {
    order_.resize(list.size());
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::ranges::sort(order_, {}, [&](std::size_t i) { return list[i]; });
  }
  auto slices = std::make_shared<std::vector<Slice>>();
  for (std::size_t i = 0; i < list.size(); ++i) {
    const std::uint64_t row = list[order_.empty() ? i : order_[i]];
    if (!slices->empty() && slices->back().end() > row) {
      throw Error(ErrorKind::usage, "row " + std::to_string(row) + " is in the list twice")
          .advise("give every row one value");
    }
    add_row(*slices, row);
  }
  walk_.emplace(std::move(slices));
}

void RowChoice::put_in_file_order(std::vector<ConstView>& columns, std::vector<std::vector<std::byte>>& memory) {
  const std::vector<std::size_t> order = std::exchange(order_, {});
  if (order.empty()) return;
  for (ConstView& column : columns) {
    const std::size_t size = size_of(column.type);
    std::vector<std::byte>& bytes = memory.emplace_back(order.size() * size);
    for (std::size_t i = 0; i < order.size(); ++i) {
      std::memcpy(bytes.data() + i * size, column.data + static_cast<std::ptrdiff_t>(order[i]) * column.stride, size);
    }
    column = ConstView(column.type, bytes.data(), order.size(), static_cast<std::ptrdiff_t>(size));
  }
}

}  // namespace quire
