#include "format/nektar/xml/reader.hpp"

#include <algorithm>
#include <string>

#include "format/nektar/xml_scanner.hpp"
#include "quire/spi/base/checked.hpp"
#include "quire/spi/plan/member.hpp"

namespace quire::nektar {
XmlBlockReader::Entry& XmlBlockReader::entry(const XmlPlace& place) {
  const auto found = by_tag_.find(place.tag);
  if (found != by_tag_.end()) {
    entries_.splice(entries_.end(), entries_, found->second);
    return entries_.back();
  }
  const std::shared_ptr<ByteSource> part = source_(member_of(place.tag));
  const std::uint64_t length = offset_in(place.payload) - offset_in(place.tag);
  Window window(*part, offset_in(place.tag), length);
  std::vector<std::string> warnings;
  Entry made;
  made.tag = place.tag;
  // The length of the text was checked when the block was found.
  made.block = parse_tag(window.text({0, length}), part->size() - offset_in(place.payload), warnings);
  made.bytes = length + made.block.mixed_modes.size() * sizeof(std::uint64_t);
  bytes_ += made.bytes;
  entries_.push_back(std::move(made));
  by_tag_[place.tag] = std::prev(entries_.end());
  make_room();
  return entries_.back();
}

void XmlBlockReader::make_room() {
  while (bytes_ > budget_ && entries_.size() > 1) {
    bytes_ -= entries_.front().bytes;
    by_tag_.erase(entries_.front().tag);
    entries_.pop_front();
  }
}

PayloadReader& XmlBlockReader::payload(const XmlPlace& place, const XmlBlock& block) {
  if (payload_ && open_tag_ == place.tag) return *payload_;
  payload_.reset();
  part_ = source_(member_of(place.payload));
  const std::uint64_t offset = offset_in(place.payload);
  payload_.emplace(*part_, Extent{offset, std::min(place.longest, part_->size() - offset)},
                   checked_multiply(block.coefficients, block.variables.size()), block.order);
  open_tag_ = place.tag;
  return *payload_;
}

void XmlBlockReader::read_payload(const XmlPlace& place, const XmlBlock& block, std::uint64_t first,
                                  std::span<double> out) {
  try {
    payload(place, block).read(first, out);
  } catch (const Error& error) {
    throw advised_on_count(error, block.expansion);
  }
}

const XmlBlock& XmlBlockReader::block(const XmlPlace& place) { return entry(place).block; }

void XmlBlockReader::read(const XmlPlace& place, std::size_t variable, const Slice& rows, std::span<double> out) {
  Entry& found = entry(place);
  const std::uint64_t first = variable * found.block.coefficients + rows.first;
  const std::uint64_t all = found.block.coefficients * found.block.variables.size();
  if (all > budget_ / sizeof(double)) return read_payload(place, found.block, first, out);
  if (found.values.empty() && all > 0) {
    std::vector<double> values(static_cast<std::size_t>(all));
    read_payload(place, found.block, 0, values);
    payload_.reset();
    found.values = std::move(values);
    found.bytes += all * sizeof(double);
    bytes_ += all * sizeof(double);
    make_room();
  }
  std::ranges::copy(std::span(found.values).subspan(static_cast<std::size_t>(first), out.size()), out.begin());
}

void XmlBlockReader::verify(const XmlPlace& place) {
  const XmlBlock& found = block(place);
  const std::uint64_t all = found.coefficients * found.variables.size();
  std::vector<double> some;
  for (std::uint64_t done = 0; done < all; done += some.size()) {
    some.resize(static_cast<std::size_t>(std::min<std::uint64_t>(values_at_once, all - done)));
    read_payload(place, found, done, some);
  }
}

}  // namespace quire::nektar
