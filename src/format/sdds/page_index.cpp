#include "format/sdds/page_index.hpp"

#include <algorithm>
#include <iterator>

namespace quire::sdds {

PagePlace PageIndex::Run::at(std::uint64_t position) const noexcept {
  const std::uint64_t moved = position * distance;
  const auto number = static_cast<std::int64_t>(static_cast<std::uint64_t>(page.number) + position * rise);
  return {page.offset + moved, page.end + moved, number};
}

void PageIndex::push_back(const PagePlace& page) {
  if (!runs_.empty()) {
    Run& run = runs_.back();
    if (run.count == 1) {
      run.distance = page.offset - run.page.offset;
      run.rise = static_cast<std::uint64_t>(page.number) - static_cast<std::uint64_t>(run.page.number);
    }
    const PagePlace next = run.at(run.count);
    if (next.offset == page.offset && next.end == page.end && next.number == page.number) {
      ++run.count;
      return;
    }
  }
  runs_.push_back({.first = size(), .count = 1, .page = page});
}

void PageIndex::truncate(std::uint64_t pages) {
  while (!runs_.empty() && runs_.back().first >= pages) runs_.pop_back();
  if (!runs_.empty()) runs_.back().count = std::min(runs_.back().count, pages - runs_.back().first);
}

PagePlace PageIndex::operator[](std::uint64_t index) const {
  const auto after = std::ranges::upper_bound(runs_, index, {}, &Run::first);
  const Run& run = *std::prev(after);
  return run.at(index - run.first);
}

}  // namespace quire::sdds
