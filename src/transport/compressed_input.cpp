#include "transport/compressed_input.hpp"

#include <algorithm>
#include <cstring>

namespace quire {

std::span<const std::byte> CompressedInput::peek(std::size_t count) {
  if (end_ - begin_ < count && position() < size_) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    offset_ += begin_;
    end_ -= begin_;
    begin_ = 0;
    const auto room = std::span(buffer_).subspan(end_);
    const std::uint64_t wanted = std::min<std::uint64_t>(room.size(), size_ - offset_ - end_);
    const std::size_t read = source_.read(offset_ + end_, room.first(static_cast<std::size_t>(wanted)));
    end_ += read;
    // A file that was truncated meanwhile ends here.
    if (read < wanted) size_ = offset_ + end_;
  }
  return std::span(buffer_).subspan(begin_, end_ - begin_);
}

void CompressedInput::seek(std::uint64_t position) noexcept {
  offset_ = std::min(position, size_);
  begin_ = 0;
  end_ = 0;
}

}  // namespace quire
