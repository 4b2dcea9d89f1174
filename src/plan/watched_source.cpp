#include "quire/spi/plan/watched_source.hpp"

#include <algorithm>
#include <memory>
#include <variant>

namespace quire {

const std::byte* WatchedSource::memory() const noexcept {
  const auto* const memory = std::get_if<const std::byte*>(&source_);
  return memory == nullptr ? nullptr : *memory;
}

std::size_t WatchedSource::encode(std::uint64_t position, std::span<std::byte> out) {
  out = out.first(static_cast<std::size_t>(std::min<std::uint64_t>({out.size(), at_once, length_ - position})));
  std::size_t made = out.size();
  if (const std::byte* const from = memory()) {
    std::copy_n(from + position, made, out.begin());
  } else {
    made = std::get<std::shared_ptr<Encoder>>(source_)->encode(position, out);
  }
  report(position + made);
  return made;
}

const WatchedSource* watched_source(const WriteExtent& extent) noexcept {
  const auto* const encoder = std::get_if<std::shared_ptr<Encoder>>(&extent.source);
  return encoder == nullptr ? nullptr : dynamic_cast<const WatchedSource*>(encoder->get());
}

const std::byte* ready_memory(const WriteExtent& extent) noexcept {
  if (const auto* const memory = std::get_if<const std::byte*>(&extent.source)) return *memory;
  const WatchedSource* const watched = watched_source(extent);
  return watched == nullptr ? nullptr : watched->memory();
}

}  // namespace quire
