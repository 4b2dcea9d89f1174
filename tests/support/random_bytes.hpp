#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

namespace quire::test {

/// Random numbers that are the same in every run and on every machine (std's distributions are not).
class Random {
 public:
  explicit Random(std::uint32_t seed) : engine_(seed) {}

  /// A number in [0, bound).
  std::size_t below(std::size_t bound) { return engine_() % bound; }
  /// A number in [low, high].
  std::size_t between(std::size_t low, std::size_t high) { return low + below(high - low + 1); }

  void fill(std::span<std::byte> bytes) {
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(engine_());
  }
  std::vector<std::byte> bytes(std::size_t count) {
    std::vector<std::byte> result(count);
    fill(result);
    return result;
  }

 private:
  std::mt19937 engine_;
};

}  // namespace quire::test
