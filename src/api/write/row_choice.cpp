#include "api/write/row_choice.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <numeric>
#include <string>
#include <utility>

#include "api/listed_rows.hpp"
#include "quire/base/error.hpp"

namespace quire {
namespace {

/// Counts of rows are signed numbers in most languages.
constexpr std::uint64_t most_rows = std::numeric_limits<std::int64_t>::max();

/// Throws usage errors for parts that overlap or share a row.
SelectionWalk checked_walk(const Selection& rows, std::uint64_t end) {
  std::vector<Hyperslab> parts;
  // An empty selection may begin anywhere: a rank without rows may name any place.
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
  std::vector<std::size_t> order;
  if (!std::ranges::is_sorted(list)) {
    order.resize(list.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, {}, [&](std::size_t i) { return list[i]; });
  }
  const auto row = [&](std::size_t i) { return list[order.empty() ? i : order[i]]; };
  for (std::size_t i = 1; i < list.size(); ++i) {
    if (row(i) != row(i - 1)) continue;
    throw Error(ErrorKind::usage, "row " + std::to_string(row(i)) + " is in the list twice")
        .advise("pass one value for every row");
  }
  walk_.emplace(slices_of_rows(list.size(), row));
  if (!order.empty()) order_ = std::make_shared<const std::vector<std::size_t>>(std::move(order));
}

SelectionWalk RowChoice::next(std::uint64_t rows) {
  if (!after_) after_ = walk_;
  auto slices = std::make_shared<std::vector<Slice>>();
  while (rows > 0) {
    if (rest_.count == 0) rest_ = after_->next().value_or(Line{.first = end_, .step = 1, .count = rows});
    const Slice slice{rest_.first, rest_.step == 1 ? std::min(rows, rest_.count) : 1};
    rest_.first += slice.count * rest_.step;
    rest_.count -= slice.count;
    rows -= slice.count;
    slices->push_back(slice);
  }
  return SelectionWalk(std::move(slices));
}

}  // namespace quire
