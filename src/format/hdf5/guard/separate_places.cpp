#include "format/hdf5/guard/separate_places.hpp"

#include <iterator>

#include "quire/base/error.hpp"
#include "quire/spi/base/checked.hpp"

namespace quire::hdf5 {

bool SeparatePlaces::insert(std::uint64_t offset, const Place& place) {
  const auto next = places_.lower_bound(offset);
  if (next != places_.end() && next->first == offset) {
    return next->second.end == place.end && next->second.owner == place.owner;
  }
  if (next != places_.end() && next->first < place.end) return false;
  if (next != places_.begin() && std::prev(next)->second.end > offset) return false;
  places_.emplace_hint(next, offset, place);
  return true;
}

void SeparatePlaces::add(std::uint64_t at, std::uint64_t offset, std::uint64_t length) {
  if (length == 0) return;
  if (!insert(offset, {.end = checked_add(offset, length)}) && allowed_ == Overlaps::none) refuse(at);
}

void SeparatePlaces::add_header(const SoundHeader& header) {
  if (header.parts.empty()) return;
  add(header.address, header.address, shortest_header);
  for (const HeaderPart& part : header.parts) {
    // The first part of a later version contains the begin of the header.
    const std::uint64_t begin = part.offset == header.address ? shortest_header : 0;
    if (part.length > begin) add(header.address, part.offset + begin, part.length - begin);
  }
}

void SeparatePlaces::add_values(const SoundHeader& header, std::uint64_t offset, std::uint64_t length) {
  if (length == 0) return;
  if (!insert(offset, {.end = checked_add(offset, length), .owner = header.address})) {
    throw Error(ErrorKind::bad_file, "the values of the dataset overlap other parts of the file").at(header.address);
  }
  if (allowed_ != Overlaps::none) places_.erase(offset);
}

void SeparatePlaces::refuse(std::uint64_t at) {
  throw Error(ErrorKind::bad_file, "the file has structures that overlap: a change would overwrite one of them")
      .at(at)
      .advise("convert what can be read into another file");
}

}  // namespace quire::hdf5
