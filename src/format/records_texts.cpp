#include "format/records_texts.hpp"

#include <algorithm>
#include <span>

namespace quire {
namespace {

void append(PackedStrings& texts, std::size_t rows, const std::byte* cells, std::size_t width) {
  for (std::size_t i = 0; i < rows; ++i) texts.push_back(text_in_cell(cells + i * width, width));
}

}  // namespace

std::string_view text_in_cell(const std::byte* cell, std::size_t width) {
  const std::string_view text(reinterpret_cast<const char*>(cell), width);
  return text.substr(0, text.find('\0'));
}

bool put_text(std::string_view text, std::byte* cell, std::size_t width) {
  if (text.size() > width || text.find('\0') != std::string_view::npos) return false;
  std::fill_n(std::ranges::copy(std::as_bytes(std::span(text)), cell).out, width - text.size(), std::byte{0});
  return true;
}

void PaddedTexts::take(std::uint64_t first, std::size_t rows, const std::byte* cells, std::size_t width) {
  if (first != next_) return append(waiting_[first], rows, cells, width);
  append(texts_, rows, cells, width);
  next_ += rows;
  for (auto follower = waiting_.find(next_); follower != waiting_.end(); follower = waiting_.find(next_)) {
    const PackedStrings& texts = follower->second;
    for (std::size_t i = 0; i < texts.size(); ++i) texts_.push_back(texts[i]);
    next_ += texts.size();
    waiting_.erase(follower);
  }
}

}  // namespace quire
