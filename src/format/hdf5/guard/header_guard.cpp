#include "format/hdf5/guard/header_guard.hpp"

#include <algorithm>
#include <array>

namespace quire::hdf5 {
namespace {

/// Whether HDF5 may read these bytes as the begin of an object header. All its other structures begin with a signature
/// of letters.
bool may_be_header(std::span<const std::byte> begin) {
  constexpr std::array later{std::byte{'O'}, std::byte{'H'}, std::byte{'D'}, std::byte{'R'}};
  return begin.front() == std::byte{1} || std::ranges::equal(begin, later);
}

}  // namespace

bool HeaderGuard::check(const ReadBytes& read, std::uint64_t size, std::uint64_t address) {
  if (const auto known = elsewhere_.find(address); known != elsewhere_.end()) return known->second;
  const SoundHeader header = check_header(read, size, base_, address, decoded_);
  also_(header);
  std::uint64_t first = address + 1;  // a read from the address itself reads a header
  for (const HeaderPart& part : header.parts) {
    rests_[part.offset + part.length] = std::max(first, part.offset);
    first = 0;
  }
  return elsewhere_[address] = header.has_values_elsewhere;
}

void HeaderGuard::check_read(const ReadBytes& read, std::uint64_t size, std::uint64_t offset, std::uint64_t length) {
  const auto rest = rests_.find(offset + length);
  if (rest != rests_.end() && offset >= rest->second) return;
  std::array<std::byte, 4> begin{};
  if (length < begin.size() || offset > size || size - offset < begin.size()) return;
  if (read(offset, begin) == begin.size() && may_be_header(begin)) check(read, size, offset);
}

}  // namespace quire::hdf5
