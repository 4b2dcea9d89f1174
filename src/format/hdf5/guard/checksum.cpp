#include "format/hdf5/guard/checksum.hpp"

#include <array>
#include <bit>

namespace quire::hdf5 {
namespace {

constexpr std::size_t block_bytes = 12;

struct State {
  std::uint32_t a, b, c;

  /// Adds up to 12 bytes; missing bytes count as zeros.
  void add(std::span<const std::byte> bytes) noexcept {
    std::array<std::uint32_t, 3> words{};
    for (std::size_t i = 0; i < bytes.size(); ++i)
      words[i / 4] |= std::to_integer<std::uint32_t>(bytes[i]) << (8 * (i % 4));
    a += words[0];
    b += words[1];
    c += words[2];
  }

  void mix() noexcept {
    a = (a - c) ^ std::rotl(c, 4), c += b;
    b = (b - a) ^ std::rotl(a, 6), a += c;
    c = (c - b) ^ std::rotl(b, 8), b += a;
    a = (a - c) ^ std::rotl(c, 16), c += b;
    b = (b - a) ^ std::rotl(a, 19), a += c;
    c = (c - b) ^ std::rotl(b, 4), b += a;
  }

  void finish() noexcept {
    c = (c ^ b) - std::rotl(b, 14);
    a = (a ^ c) - std::rotl(c, 11);
    b = (b ^ a) - std::rotl(a, 25);
    c = (c ^ b) - std::rotl(b, 16);
    a = (a ^ c) - std::rotl(c, 4);
    b = (b ^ a) - std::rotl(a, 14);
    c = (c ^ b) - std::rotl(b, 24);
  }
};

}  // namespace

std::uint32_t checksum(std::span<const std::byte> bytes) noexcept {
  const auto start = 0xdeadbeefU + static_cast<std::uint32_t>(bytes.size());
  State state{start, start, start};
  if (bytes.empty()) return state.c;
  for (; bytes.size() > block_bytes; bytes = bytes.subspan(block_bytes)) {
    state.add(bytes.first(block_bytes));
    state.mix();
  }
  state.add(bytes);
  state.finish();
  return state.c;
}

}  // namespace quire::hdf5
