#include "api/read/row_order.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <string>

#include "api/listed_rows.hpp"
#include "quire/base/error.hpp"

namespace quire {
namespace {

void check_row(std::uint64_t row, std::uint64_t table_rows) {
  if (row < table_rows) return;
  throw Error(ErrorKind::usage,
              "row " + std::to_string(row) + " is not inside the table's " + std::to_string(table_rows));
}

bool rises(const std::vector<std::uint64_t>& list) {
  return std::ranges::adjacent_find(list, std::ranges::greater_equal{}) == list.end();
}

}  // namespace

RowOrder::RowOrder(const RowSelection& rows, std::uint64_t table_rows) {
  if (const Selection* regular = rows.regular()) {
    walk_.emplace(std::vector<std::uint64_t>{table_rows}, *regular);
    return;
  }
  const std::vector<std::uint64_t>& list = *rows.list();
  for (const std::uint64_t row : list) check_row(row, table_rows);
  if (rises(list)) {
    walk_.emplace(slices_of_rows(list.size(), [&](std::size_t i) { return list[i]; }));
    return;
  }
  std::vector<std::size_t> order(list.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return list[i]; });
  walk_.emplace(slices_of_rows(list.size(), [&](std::size_t i) { return list[order[i]]; }));
  positions_.resize(list.size());
  std::size_t distinct = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i > 0 && list[order[i]] != list[order[i - 1]]) ++distinct;
    positions_[order[i]] = distinct;
  }
}

std::vector<ReadColumn> RowOrder::columns_in_file_order(const std::vector<ReadColumn>& columns) {
  if (positions_.empty()) return columns;
  const std::uint64_t count = walk_->elements();
  for (const ReadColumn& column : columns) {
    const Type type = column.out.type;
    if (type == Type::string) {
      own_.push_back({column.name, View(strings_.emplace_back(), count)});
    } else {
      auto& bytes = numbers_.emplace_back(static_cast<std::size_t>(count) * size_of(type));
      own_.push_back({column.name, View(type, bytes.data(), count, static_cast<std::ptrdiff_t>(size_of(type)))});
    }
  }
  return own_;
}

void RowOrder::deliver(const std::vector<ReadColumn>& columns) const {
  for (std::size_t c = 0; c < own_.size(); ++c) {
    const View& from = own_[c].out;
    const View& to = columns[c].out;
    const std::size_t size = size_of(to.type);
    for (std::size_t i = 0; i < positions_.size(); ++i) {
      if (to.type == Type::string) {
        to.strings->push_back((*from.strings)[positions_[i]]);
      } else {
        std::memcpy(to.data + static_cast<std::ptrdiff_t>(i) * to.stride, from.data + positions_[i] * size, size);
      }
    }
  }
}

}  // namespace quire
