#include "api/write/row_groups.hpp"

#include <algorithm>
#include <utility>

#include "api/write/converted_values.hpp"
#include "quire/base/error.hpp"

namespace quire {

std::uint64_t GroupedRows::front() const {
  const std::uint64_t group = grouping.rows;
  if (rank == 0 || group == 0) return 0;
  const std::uint64_t into_group = (grouping.open_rows + before) % group;
  return into_group == 0 ? 0 : std::min(mine, group - into_group);
}

bool GroupedRows::begins_group() const { return mine > front() || (rank == 0 && grouping.open_rows > 0); }

RowGroups::RowGroups(const RowGroupCodec& codec, const StepDescription& step, std::size_t table,
                     const GroupedRows& rows, bool lossy, bool keep_bytes)
    : codec_(codec), step_(step), table_(table), rows_(rows), lossy_(lossy), keep_bytes_(keep_bytes) {
  const std::size_t columns = step.tables[table].columns.size();
  front_.resize(columns);
  pending_.resize(columns);
  groups_.resize(columns);
}

void RowGroups::begin_with(std::vector<std::vector<std::byte>> open_values) {
  pending_ = std::move(open_values);
  pending_rows_ = rows_.grouping.open_rows;
}

std::span<const std::byte> RowGroups::values(std::size_t column, const ConstView& part, std::uint64_t row) {
  const Column& accepted = table().columns[column];
  if (without_values_) {
    scratch_.assign(static_cast<std::size_t>(part.count * bytes_of(accepted)), std::byte{});
    return scratch_;
  }
  return converted_values(part, accepted, row, table().rows, lossy_, scratch_);
}

void RowGroups::copy(std::vector<std::vector<std::byte>>& target, std::span<const ConstView> columns,
                     std::uint64_t from, std::uint64_t rows) {
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const auto bytes = values(c, columns[c].part(from, rows), added_ + from);
    target[c].insert(target[c].end(), bytes.begin(), bytes.end());
  }
}

void RowGroups::add(std::span<const ConstView> columns) {
  const std::uint64_t rows = columns.empty() ? 0 : columns.front().count;
  if (rows > rows_.mine - added_) throw Error(ErrorKind::usage, "there are more rows than were declared");
  for (const ConstView& column : columns) without_values_ = without_values_ || (rows > 0 && !column.has_memory());
  const std::uint64_t group = rows_.grouping.rows;
  std::uint64_t done = 0;
  if (added_ < rows_.front()) {
    done = std::min(rows, rows_.front() - added_);
    copy(front_, columns, 0, done);
  }
  while (done < rows) {
    if (pending_rows_ == 0 && rows - done >= group) {
      for (std::size_t c = 0; c < columns.size(); ++c) {
        pack(c, values(c, columns[c].part(done, group), added_ + done), keep_bytes_);
      }
      done += group;
      continue;
    }
    const std::uint64_t part = std::min(group - pending_rows_, rows - done);
    copy(pending_, columns, done, part);
    pending_rows_ += part;
    done += part;
    if (pending_rows_ == group) pack_pending(keep_bytes_);
  }
  added_ += rows;
}

void RowGroups::complete(const std::vector<std::vector<std::byte>>& values) {
  if (values.size() != pending_.size()) throw Error(ErrorKind::internal, "received rows with different columns");
  for (std::size_t c = 0; c < values.size(); ++c) {
    pending_[c].insert(pending_[c].end(), values[c].begin(), values[c].end());
  }
  if (values.empty()) return;
  pending_rows_ += values[0].size() / bytes_of(table().columns[0]);
  if (pending_rows_ > rows_.grouping.rows) throw Error(ErrorKind::internal, "received rows of another rank");
}

void RowGroups::finish() {
  if (pending_rows_ > 0) pack_pending(true);
}

void RowGroups::pack_pending(bool keep) {
  for (std::size_t c = 0; c < pending_.size(); ++c) {
    pack(c, pending_[c], keep);
    pending_[c].clear();
  }
  pending_rows_ = 0;
}

void RowGroups::pack(std::size_t column, std::span<const std::byte> values, bool keep) {
  PackedGroup group;
  if (without_values_) {
    group.length = rows_.grouping.rows * bytes_of(table().columns[column]);
  } else {
    group = codec_.pack_group(step_, table_, column, values);
  }
  if (!keep) group.bytes = {};
  groups_[column].push_back(std::move(group));
}

std::vector<std::vector<PackedGroup>> RowGroups::take() {
  return std::exchange(groups_, std::vector<std::vector<PackedGroup>>(groups_.size()));
}

}  // namespace quire
