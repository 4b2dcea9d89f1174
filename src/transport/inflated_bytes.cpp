#include "transport/inflated_bytes.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "quire/base/error.hpp"

namespace quire {

InflatedBytes::InflatedBytes(std::shared_ptr<ByteSource> compressed, Compression compression,
                             const SurveyOptions& options)
    : compressed_(std::move(compressed)), input_(*compressed_) {
  survey_.compression = compression;
  survey_.memory_budget = options.memory_budget;
  look_through(options);
}

InflatedBytes::InflatedBytes(std::shared_ptr<ByteSource> compressed, InflationSurvey survey)
    : compressed_(std::move(compressed)), survey_(std::move(survey)), input_(*compressed_) {}

void InflatedBytes::look_through(const SurveyOptions& options) {
  RestartPoints points;
  const auto inflater = make_inflater(survey_.compression, input_, {}, &points, options.memory_budget);
  bool more = true;
  for (std::uint64_t index = 0; more; ++index) {
    // The first blocks are kept, because readers begin with them; the others share the last place.
    if (blocks_.size() < most_blocks()) blocks_.emplace_back();
    Block& block = blocks_.back();
    block.bytes.resize(block_bytes);
    const std::size_t made = inflater->inflate(block.bytes);
    block.bytes.resize(made);
    block.index = index;
    block.used = ++clock_;
    more = made == block_bytes;
  }
  survey_.damage = inflater->damage();
  // A truncated file is correct up to its end. Wrong bytes may be anywhere after the last confirmed checksum.
  const bool all = !survey_.damage || survey_.damage->cut || options.unconfirmed;
  survey_.size = all ? inflater->position() : inflater->confirmed();
  survey_.points = std::move(points).take();
  std::erase_if(survey_.points, [this](const RestartPoint& point) { return point.output >= survey_.size; });
  if (inflater->ignored() != 0) {
    survey_.warnings.push_back(std::to_string(inflater->ignored()) + " bytes after the compressed data are ignored");
  }
}

std::size_t InflatedBytes::read(std::uint64_t offset, std::span<std::byte> out) {
  if (offset >= survey_.size) return 0;
  const auto total = static_cast<std::size_t>(std::min<std::uint64_t>(out.size(), survey_.size - offset));
  std::size_t done = 0;
  while (done < total) {
    const std::uint64_t position = offset + done;
    const auto bytes = block(position / block_bytes).subspan(static_cast<std::size_t>(position % block_bytes));
    const std::size_t count = std::min(bytes.size(), total - done);
    std::memcpy(out.data() + done, bytes.data(), count);
    done += count;
  }
  return total;
}

std::span<const std::byte> InflatedBytes::block(std::uint64_t index) {
  const std::uint64_t begin = index * block_bytes;
  const auto found = std::ranges::find(blocks_, std::optional(index), &Block::index);
  if (found != blocks_.end()) {
    found->used = ++clock_;
    return found->bytes;
  }
  Block& block = free_block();
  block.index.reset();
  block.bytes.resize(static_cast<std::size_t>(std::min(block_bytes, survey_.size - begin)));
  seek(begin);
  fill(block.bytes);
  block.index = index;
  block.used = ++clock_;
  return block.bytes;
}

std::size_t InflatedBytes::most_blocks() const noexcept {
  return static_cast<std::size_t>(std::max(fewest_blocks, survey_.memory_budget / 4 / block_bytes));
}

InflatedBytes::Block& InflatedBytes::free_block() {
  if (blocks_.size() < most_blocks()) return blocks_.emplace_back();
  return *std::ranges::min_element(blocks_, {}, &Block::used);
}

/// Positions the inflater before the inflated byte at this position.
void InflatedBytes::seek(std::uint64_t position) {
  const auto next = std::ranges::upper_bound(survey_.points, position, {}, &RestartPoint::output);
  const RestartPoint beginning;
  const RestartPoint& nearest = next == survey_.points.begin() ? beginning : *std::prev(next);
  const bool goes_on = inflater_ && inflater_->position() <= position && inflater_->position() >= nearest.output;
  if (!goes_on) {
    inflater_.reset();
    inflater_ = make_inflater(survey_.compression, input_, nearest, nullptr, survey_.memory_budget);
  }
  std::vector<std::byte> skipped;
  while (inflater_->position() < position) {
    skipped.resize(static_cast<std::size_t>(std::min(block_bytes, position - inflater_->position())));
    fill(skipped);
  }
}

void InflatedBytes::fill(std::span<std::byte> out) {
  const std::uint64_t begin = inflater_->position();
  const std::size_t made = inflater_->inflate(out);
  if (made == out.size()) return;
  inflater_.reset();
  throw Error(ErrorKind::bad_file, "the compressed data have changed since the file was opened").at(begin + made);
}

}  // namespace quire
