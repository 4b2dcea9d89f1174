#include "transport/cut.hpp"

#include <algorithm>

#include "transport/alignment.hpp"

namespace quire {

std::uint64_t Cut::count() const noexcept {
  if (length == 0) return 0;
  const std::uint64_t total = offset % page_bytes + length;
  const std::uint64_t rest = total % limit;
  const std::uint64_t whole = total / limit;
  if (rest == 0) return whole;
  return absorb && whole > 0 && rest < limit / 8 ? whole : whole + 1;
}

std::uint64_t Cut::piece(std::uint64_t done) const noexcept {
  const std::uint64_t left = length - done;
  const std::uint64_t next = std::min(left, limit - (offset + done) % page_bytes);
  return absorb && left - next < limit / 8 ? left : next;
}

}  // namespace quire
