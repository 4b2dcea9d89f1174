#include "format/hdf5/image/byte_map.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>

namespace quire::hdf5 {

ByteMap::Ranges::const_iterator ByteMap::holder(std::uint64_t offset) const {
  auto range = ranges_.upper_bound(offset);
  if (range == ranges_.begin()) return ranges_.end();
  --range;
  return offset - range->first < range->second.size() ? range : ranges_.end();
}

void ByteMap::write(std::uint64_t offset, std::span<const std::byte> bytes) {
  if (bytes.empty()) return;
  // Metadata are usually rewritten in place.
  if (const auto range = holder(offset); range != ranges_.end()) {
    const std::uint64_t inside = offset - range->first;
    if (range->second.size() - inside >= bytes.size()) {
      std::memcpy(ranges_[range->first].data() + inside, bytes.data(), bytes.size());
      return;
    }
  }
  erase(offset, bytes.size());
  ranges_.emplace(offset, std::vector<std::byte>(bytes.begin(), bytes.end()));
}

void ByteMap::erase(std::uint64_t offset, std::uint64_t length) {
  if (length == 0) return;
  const std::uint64_t end = offset + length;
  auto range = ranges_.lower_bound(offset);
  if (range != ranges_.begin()) {
    const auto before = std::prev(range);
    if (offset - before->first < before->second.size()) range = before;
  }
  while (range != ranges_.end() && range->first < end) {
    const std::uint64_t start = range->first;
    std::vector<std::byte> bytes = std::move(range->second);
    range = ranges_.erase(range);
    if (start + bytes.size() > end) {
      const auto tail = bytes.begin() + static_cast<std::ptrdiff_t>(end - start);
      ranges_.emplace(end, std::vector<std::byte>(tail, bytes.end()));
    }
    if (start < offset) {
      bytes.resize(offset - start);
      ranges_.emplace(start, std::move(bytes));
    }
  }
}

void ByteMap::copy(std::uint64_t offset, std::span<std::byte> out) const {
  const std::uint64_t end = offset + out.size();
  auto range = holder(offset);
  if (range == ranges_.end()) range = ranges_.lower_bound(offset);
  for (; range != ranges_.end() && range->first < end; ++range) {
    const std::uint64_t first = std::max(offset, range->first);
    const std::uint64_t last = std::min(end, range->first + range->second.size());
    std::memcpy(out.data() + (first - offset), range->second.data() + (first - range->first), last - first);
  }
}

std::uint64_t ByteMap::known_from(std::uint64_t offset) const {
  std::uint64_t position = offset;
  for (auto range = holder(offset); range != ranges_.end() && range->first <= position; ++range) {
    position = range->first + range->second.size();
  }
  return position - offset;
}

bool ByteMap::has_any(std::uint64_t offset, std::uint64_t length) const {
  if (holder(offset) != ranges_.end()) return length != 0;
  const auto next = ranges_.lower_bound(offset);
  return next != ranges_.end() && next->first - offset < length;
}

std::uint64_t ByteMap::end() const {
  if (ranges_.empty()) return 0;
  const auto& last = *ranges_.rbegin();
  return last.first + last.second.size();
}

std::vector<PublishWrite> ByteMap::joined(std::uint64_t from, std::uint64_t to) const {
  std::vector<PublishWrite> writes;
  for (const auto& [start, bytes] : ranges_) {
    const std::uint64_t first = std::max(from, start);
    const std::uint64_t last = std::min(to, start + bytes.size());
    if (first >= last) continue;
    if (writes.empty() || writes.back().offset + writes.back().bytes.size() != first) writes.push_back({first, {}});
    const auto piece = bytes.begin() + static_cast<std::ptrdiff_t>(first - start);
    writes.back().bytes.insert(writes.back().bytes.end(), piece, piece + static_cast<std::ptrdiff_t>(last - first));
  }
  return writes;
}

}  // namespace quire::hdf5
