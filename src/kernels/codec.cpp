#include "kernels/codec.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "kernels/filter_stage.hpp"
#include "quire/base/error.hpp"

namespace quire::kernels {
namespace {

struct KnownFilter {
  std::uint32_t number;
  std::unique_ptr<FilterStage> (*make)(const Filter&);
};

constexpr std::array known_filters{KnownFilter{filter_number::deflate, deflate_stage},
                                   KnownFilter{filter_number::shuffle, shuffle_stage},
                                   KnownFilter{filter_number::fletcher32, fletcher32_stage},
                                   KnownFilter{filter_number::zstandard, zstandard_stage},
                                   KnownFilter{filter_number::lzf, lzf_stage},
                                   KnownFilter{filter_number::lz4, lz4_stage}};

/// Null for unknown filters.
std::unique_ptr<FilterStage> make_stage(const Filter& filter) {
  const auto* known = std::ranges::find(known_filters, filter.number, &KnownFilter::number);
  return known == known_filters.end() ? nullptr : known->make(filter);
}

/// Uninitialised memory, reused for the next chunk.
class Buffer {
 public:
  [[nodiscard]] std::span<std::byte> provide(std::size_t size) {
    if (size > capacity_) {
      memory_ = std::make_unique_for_overwrite<std::byte[]>(size);
      capacity_ = size;
    }
    return {memory_.get(), size};
  }

 private:
  std::unique_ptr<std::byte[]> memory_;
  std::size_t capacity_ = 0;
};

Error unknown(const Filter& filter) {
  return {ErrorKind::unsupported, "the filter number " + std::to_string(filter.number) + " is not known"};
}

bool is_left_out(std::uint32_t mask, std::size_t stage) { return (mask >> stage & 1U) != 0; }

}  // namespace

struct Codec::State {
  std::vector<std::unique_ptr<FilterStage>> stages{};
  std::array<Buffer, 2> buffers{};
};

bool decodes(const Filter& filter) noexcept {
  try {
    return make_stage(filter) != nullptr;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

bool encodes(const Filter& filter) noexcept {
  try {
    const auto stage = make_stage(filter);
    return stage != nullptr && stage->encodes();
  } catch (const std::bad_alloc&) {
    return false;
  }
}

std::uint64_t most_encoded(const std::vector<Filter>& pipeline, std::uint64_t bytes) {
  for (const Filter& filter : pipeline) {
    const auto stage = make_stage(filter);
    if (!stage) throw unknown(filter);
    bytes = std::max<std::uint64_t>(bytes, stage->most_encoded(static_cast<std::size_t>(bytes)));
  }
  return bytes;
}

Codec::Codec(std::vector<Filter> pipeline) : state_(std::make_unique<State>()) {
  // A mask has one bit for each filter.
  constexpr std::size_t most_filters = 32;
  if (pipeline.size() > most_filters)
    throw Error(ErrorKind::unsupported, "a chunk has more filters than its mask bits");
  for (const Filter& filter : pipeline) {
    auto stage = make_stage(filter);
    if (!stage) throw unknown(filter);
    state_->stages.push_back(std::move(stage));
  }
}

Codec::Codec(Codec&&) noexcept = default;
Codec& Codec::operator=(Codec&&) noexcept = default;
Codec::~Codec() = default;

std::vector<std::byte> Codec::encode(std::span<const std::byte> in) {
  std::vector<std::byte> bytes;
  if (state_->stages.empty()) bytes.assign(in.begin(), in.end());
  std::vector<std::byte> next;
  for (const auto& stage : state_->stages) {
    if (!stage->encodes()) throw Error(ErrorKind::unsupported, "chunks are not written with this filter");
    stage->encode(stage == state_->stages.front() ? in : bytes, next);
    std::swap(bytes, next);
  }
  return bytes;
}

void Codec::decode(std::uint32_t mask, std::span<const std::byte> in, std::span<std::byte> out) {
  const auto& stages = state_->stages;
  // Limit of the bytes before each filter, independent of the number of filters.
  const std::size_t most_room = 2 * out.size() + (64 << 10);
  std::vector<std::size_t> room{out.size()};
  for (std::size_t i = 0; i < stages.size(); ++i) {
    const std::size_t grown = is_left_out(mask, i) ? room.back() : stages[i]->most_encoded(room.back());
    room.push_back(std::min(grown, most_room));
  }
  std::size_t first = 0;
  while (first < stages.size() && is_left_out(mask, first)) ++first;
  std::span<const std::byte> bytes = in;
  std::size_t held = 0;  // the buffer that may hold the bytes
  try {
    for (std::size_t i = stages.size(); i-- > first;) {
      if (is_left_out(mask, i)) continue;
      const std::span<std::byte> target = i == first ? out : state_->buffers[1 - held].provide(room[i]);
      bytes = stages[i]->decode(bytes, target);
      // A filter may return a part of its input.
      if (bytes.data() == target.data()) held = 1 - held;
    }
    if (bytes.size() != out.size()) {
      throw Error(ErrorKind::bad_file, "the chunk holds " + std::to_string(bytes.size()) + " bytes instead of " +
                                           std::to_string(out.size()));
    }
  } catch (Error& error) {
    throw error.at(0);
  }
  if (bytes.data() != out.data()) std::ranges::copy(bytes, out.begin());
}

}  // namespace quire::kernels
