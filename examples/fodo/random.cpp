#include "random.hpp"

namespace fodo {

namespace {

/// Word `part` (0 is the low one) of a 64-bit number.
std::uint32_t half(std::uint64_t number, int part) noexcept {
  return static_cast<std::uint32_t>(number >> (32 * part));
}

}  // namespace

std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key) noexcept {
  constexpr int rounds = 10;
  constexpr std::array<std::uint64_t, 2> multiplier{0xD2511F53, 0xCD9E8D57};
  constexpr std::array<std::uint32_t, 2> key_step{0x9E3779B9, 0xBB67AE85};
  for (int round = 0; round < rounds; ++round) {
    const std::uint64_t first = multiplier[0] * counter[0];
    const std::uint64_t second = multiplier[1] * counter[2];
    counter = {half(second, 1) ^ counter[1] ^ key[0], half(second, 0), half(first, 1) ^ counter[3] ^ key[1],
               half(first, 0)};
    key = {key[0] + key_step[0], key[1] + key_step[1]};
  }
  return counter;
}

double gaussian(std::uint64_t seed, std::uint64_t particle, std::uint32_t coordinate) noexcept {
  constexpr std::uint32_t blocks = 3;  // of four words each
  constexpr std::int64_t mean = 6 * 0xFFFFFFFFLL;
  std::int64_t sum = -mean;
  for (std::uint32_t block = 0; block < blocks; ++block) {
    for (const std::uint32_t word :
         philox({half(particle, 0), half(particle, 1), coordinate, block}, {half(seed, 0), half(seed, 1)})) {
      sum += word;
    }
  }
  return static_cast<double>(sum) * 0x1p-32;
}

}  // namespace fodo
