// LZF and LZ4: fast compression. Only decoded, for chunks of other writers.

#include <algorithm>
#include <cstring>

#include "kernels/filter_stage.hpp"
#include "quire/base/error.hpp"
#include "quire/spi/base/endian.hpp"

namespace quire::kernels {
namespace {

[[noreturn]] void throw_wrong(const char* what) { throw Error(ErrorKind::bad_file, what); }

/// Bytes that are consumed from the front; throws if they end early.
class Input {
 public:
  Input(std::span<const std::byte> bytes, const char* wrong) : bytes_(bytes), wrong_(wrong) {}

  [[nodiscard]] bool is_empty() const noexcept { return bytes_.empty(); }
  [[nodiscard]] std::span<const std::byte> take(std::size_t count) {
    if (count > bytes_.size()) throw_wrong(wrong_);
    const auto head = bytes_.first(count);
    bytes_ = bytes_.subspan(count);
    return head;
  }
  [[nodiscard]] std::size_t byte() { return std::to_integer<std::size_t>(take(1).front()); }

 private:
  std::span<const std::byte> bytes_;
  const char* wrong_;
};

/// Memory that is filled from the front, also with copies of earlier output.
class Output {
 public:
  Output(std::span<std::byte> room, const char* wrong) : room_(room), wrong_(wrong) {}

  [[nodiscard]] std::size_t made() const noexcept { return made_; }
  void append(std::span<const std::byte> bytes) {
    if (bytes.size() > room_.size() - made_) throw_wrong(wrong_);
    std::ranges::copy(bytes, room_.begin() + static_cast<std::ptrdiff_t>(made_));
    made_ += bytes.size();
  }
  /// Repeats `count` bytes that begin `distance` bytes back, which may include bytes of the copy itself.
  void repeat(std::size_t distance, std::size_t count) {
    if (distance == 0 || distance > made_ || count > room_.size() - made_) throw_wrong(wrong_);
    std::byte* to = room_.data() + made_;
    const std::byte* from = to - distance;
    if (distance >= count) {
      std::memcpy(to, from, count);
    } else {
      for (std::size_t i = 0; i < count; ++i) to[i] = from[i];
    }
    made_ += count;
  }

 private:
  std::span<std::byte> room_;
  const char* wrong_;
  std::size_t made_ = 0;
};

class DecodingOnly : public FilterStage {
 public:
  [[nodiscard]] std::size_t most_encoded(std::size_t bytes) const noexcept override { return bytes + bytes / 8 + 1024; }
  [[nodiscard]] bool encodes() const noexcept override { return false; }
  void encode(std::span<const std::byte> /*in*/, std::vector<std::byte>& /*out*/) override {
    throw Error(ErrorKind::unsupported, "chunks are not written with this filter");
  }
};

/// A token below 32 is followed by that many literal bytes plus one. In other tokens the upper three bits are a length,
/// and the lower five, with the next byte, the distance back to the bytes that are repeated.
class Lzf final : public DecodingOnly {
 public:
  [[nodiscard]] std::span<const std::byte> decode(std::span<const std::byte> in, std::span<std::byte> room) override {
    constexpr const char* wrong = "the LZF bytes are wrong";
    constexpr std::size_t longest_short = 7;
    Input input(in, wrong);
    Output output(room, wrong);
    while (!input.is_empty()) {
      const std::size_t token = input.byte();
      if (token < 32) {
        output.append(input.take(token + 1));
        continue;
      }
      std::size_t length = token >> 5;
      if (length == longest_short) length += input.byte();
      const std::size_t distance = ((token & 0x1f) << 8) + input.byte() + 1;
      output.repeat(distance, length + 2);
    }
    return room.first(output.made());
  }
};

/// Blocks of one size, except the last, each preceded by its stored size: raw bytes, or sequences of literals and
/// repeated bytes. Before them the total size and that of a block; these numbers are big-endian.
class Lz4 final : public DecodingOnly {
 public:
  [[nodiscard]] std::span<const std::byte> decode(std::span<const std::byte> in, std::span<std::byte> room) override {
    Input input(in, wrong_);
    const auto total = load<std::uint64_t>(input.take(sizeof(std::uint64_t)).data(), ByteOrder::big);
    const std::size_t block = load<std::uint32_t>(input.take(sizeof(std::uint32_t)).data(), ByteOrder::big);
    if (total > room.size()) throw_wrong("the LZ4 bytes hold more than the chunk");
    if (block == 0 && total > 0) throw_wrong(wrong_);
    std::span<std::byte> left = room.first(static_cast<std::size_t>(total));
    while (!left.empty()) {
      const std::span<std::byte> part = left.first(std::min(block, left.size()));
      const std::size_t bytes = load<std::uint32_t>(input.take(sizeof(std::uint32_t)).data(), ByteOrder::big);
      const auto coded = input.take(bytes);
      if (bytes == part.size()) {
        std::ranges::copy(coded, part.begin());
      } else {
        decode_block(coded, part);
      }
      left = left.subspan(part.size());
    }
    return room.first(static_cast<std::size_t>(total));
  }

 private:
  static constexpr const char* wrong_ = "the LZ4 bytes are wrong";

  /// The length in half a token, continued by further bytes while these are 255.
  [[nodiscard]] static std::size_t length(std::size_t half, Input& input) {
    constexpr std::size_t full_half = 15;
    constexpr std::size_t full_byte = 255;
    std::size_t sum = half;
    if (half != full_half) return sum;
    for (std::size_t byte = full_byte; byte == full_byte;) sum += byte = input.byte();
    return sum;
  }

  static void decode_block(std::span<const std::byte> coded, std::span<std::byte> part) {
    constexpr std::size_t shortest = 4;
    Input input(coded, wrong_);
    Output output(part, wrong_);
    while (!input.is_empty()) {
      const std::size_t token = input.byte();
      output.append(input.take(length(token >> 4, input)));
      if (input.is_empty()) break;
      const std::size_t distance = load<std::uint16_t>(input.take(sizeof(std::uint16_t)).data(), ByteOrder::little);
      output.repeat(distance, length(token & 0xf, input) + shortest);
    }
    if (output.made() != part.size()) throw_wrong(wrong_);
  }
};

}  // namespace

std::unique_ptr<FilterStage> lzf_stage(const Filter& /*filter*/) { return std::make_unique<Lzf>(); }

std::unique_ptr<FilterStage> lz4_stage(const Filter& /*filter*/) { return std::make_unique<Lz4>(); }

}  // namespace quire::kernels
