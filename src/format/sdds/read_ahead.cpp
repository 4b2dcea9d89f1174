#include "format/sdds/read_ahead.hpp"

#include <algorithm>

#include "quire/base/error.hpp"

namespace quire::sdds {
namespace {

constexpr std::size_t smallest_chunk = 4 << 10;
constexpr std::size_t largest_chunk = 1 << 20;

}  // namespace

Window ReadAhead::read(const Need& need) {
  const std::uint64_t end = offset_ + buffer_.size();
  const bool goes_on = !buffer_.empty() && need.offset >= offset_ && need.offset <= end + chunk_;
  chunk_ = goes_on ? std::min(chunk_ * 2, largest_chunk) : smallest_chunk;
  const std::uint64_t left = file_size_ > need.offset ? file_size_ - need.offset : 0;
  const std::uint64_t length = std::min(std::max<std::uint64_t>(need.length, chunk_), left);
  buffer_.resize(static_cast<std::size_t>(length));
  offset_ = need.offset;
  if (length < need.length || bytes_.read(need.offset, buffer_) < length) {
    buffer_.clear();
    throw Error(ErrorKind::io, "the file has become shorter while it was read").at(need.offset);
  }
  return last();
}

}  // namespace quire::sdds
