#include "format/hdf5/image/read_ahead.hpp"

#include <algorithm>
#include <cstring>

namespace quire::hdf5 {

std::size_t ReadAhead::read(std::uint64_t offset, std::span<std::byte> out) {
  const std::uint64_t distance = std::max(offset, last_) - std::min(offset, last_);
  last_ = offset;
  const auto known = std::ranges::find_if(windows_, [&](const Window& w) { return w.holds(offset, out.size()); });
  if (known != windows_.end()) {
    std::memcpy(out.data(), known->bytes.data() + (offset - known->offset), out.size());
    return out.size();
  }
  // A read that extends beyond the window of its page would be repeated.
  const std::uint64_t page = offset / page_bytes * page_bytes;
  const bool fits = out.size() <= window_bytes && offset - page <= window_bytes - out.size();
  if (!fits || distance > page_bytes) return source_->read(offset, out);
  Window& window = windows_[next_];
  next_ = (next_ + 1) % windows_.size();
  window.offset = page;
  window.bytes.resize(window_bytes);
  // If the read fails, the window must not keep its old bytes with a new offset.
  std::size_t length = 0;
  try {
    length = source_->read(page, window.bytes);
  } catch (...) {
    window.bytes.clear();
    throw;
  }
  window.bytes.resize(length);
  const std::size_t skipped = static_cast<std::size_t>(offset - page);
  const std::size_t available = length > skipped ? std::min(length - skipped, out.size()) : 0;
  std::memcpy(out.data(), window.bytes.data() + skipped, available);
  return available;
}

}  // namespace quire::hdf5
