#include "exact_sum.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

namespace fodo {

namespace {

constexpr int mantissa_bits = 53;
constexpr int exponent_of_unit = -1074;  // bit 0 of the first chunk
constexpr std::uint64_t low_half = 0xFFFFFFFF;

}  // namespace

void ExactSum::add(double number) noexcept {
  const auto bits = std::bit_cast<std::uint64_t>(number);
  const std::uint64_t exponent = (bits >> 52) & 0x7FF;
  if (exponent == 0x7FF) {
    ++not_finite_;
    return;
  }
  const std::uint64_t is_normal = exponent != 0 ? 1 : 0;
  const std::uint64_t mantissa = (bits & 0xFFFFFFFFFFFFF) | is_normal << 52;
  const std::uint64_t position = exponent - is_normal;
  const std::uint64_t shift = position % 32;
  const std::uint64_t low = mantissa << shift;
  const std::uint64_t high = mantissa >> 1 >> (63 - shift);

  const std::int64_t sign = (bits >> 63) != 0 ? -1 : 1;
  std::int64_t* chunk = &chunks_[position / 32];
  chunk[0] += sign * static_cast<std::int64_t>(low & low_half);
  chunk[1] += sign * static_cast<std::int64_t>(low >> 32);
  chunk[2] += sign * static_cast<std::int64_t>(high);

  constexpr std::uint32_t carry_after = 1U << 30;
  if (++added_ == carry_after) {
    carry(chunks_);
    added_ = 0;
  }
}

void ExactSum::carry(Chunks& chunks) noexcept {
  for (std::size_t i = 0; i + 1 < chunk_count; ++i) {
    const std::int64_t above = chunks[i] >> 32;
    chunks[i] -= above * (std::int64_t{1} << 32);
    chunks[i + 1] += above;
  }
}

double ExactSum::rounded() const noexcept {
  if (not_finite_ != 0) return std::numeric_limits<double>::quiet_NaN();
  Chunks chunks = chunks_;
  carry(chunks);
  const bool negative = chunks.back() < 0;
  if (negative) {
    std::ranges::for_each(chunks, [](std::int64_t& chunk) { chunk = -chunk; });
    carry(chunks);
  }

  const auto top = std::ranges::find_if(chunks.rbegin(), chunks.rend(), [](std::int64_t chunk) { return chunk != 0; });
  if (top == chunks.rend()) return 0.0;
  const int top_index = static_cast<int>(chunks.rend() - top) - 1;
  const int top_bit = 32 * top_index + static_cast<int>(std::bit_width(static_cast<std::uint64_t>(*top))) - 1;
  const auto bit = [&](int i) { return (static_cast<std::uint64_t>(chunks[i / 32]) >> (i % 32)) & 1; };

  // The 53 bits from the top one downwards, and what is below them.
  const int lowest = std::max(0, top_bit - mantissa_bits + 1);
  std::uint64_t mantissa = 0;
  for (int i = top_bit; i >= lowest; --i) mantissa = mantissa << 1 | bit(i);
  if (lowest > 0 && bit(lowest - 1) != 0) {
    bool is_tie = true;
    for (int i = 0; i < lowest - 1 && is_tie; ++i) is_tie = bit(i) == 0;
    if (!is_tie || mantissa % 2 == 1) ++mantissa;
  }
  // An integer of 53 bits times a power of two: exact.
  const double magnitude = std::ldexp(static_cast<double>(mantissa), lowest + exponent_of_unit);
  return negative ? -magnitude : magnitude;
}

std::array<std::uint64_t, ExactSum::word_count> ExactSum::words() const noexcept {
  Chunks chunks = chunks_;
  carry(chunks);
  std::array<std::uint64_t, word_count> words{};
  std::ranges::transform(chunks, words.begin(), [](std::int64_t chunk) { return static_cast<std::uint64_t>(chunk); });
  words.back() = not_finite_;
  return words;
}

ExactSum ExactSum::from_words(std::span<const std::uint64_t, word_count> words) noexcept {
  ExactSum sum;
  for (std::size_t i = 0; i < chunk_count; ++i) sum.chunks_[i] = static_cast<std::int64_t>(words[i]);
  carry(sum.chunks_);
  sum.not_finite_ = words.back();
  return sum;
}

void sum_over_ranks(std::span<ExactSum> sums, quire::Comm& comm) {
  std::vector<std::uint64_t> words;
  words.reserve(sums.size() * ExactSum::word_count);
  for (const ExactSum& sum : sums) {
    const auto part = sum.words();
    words.insert(words.end(), part.begin(), part.end());
  }
  comm.sum(words);
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const std::span<const std::uint64_t> part = std::span(words).subspan(i * ExactSum::word_count);
    sums[i] = ExactSum::from_words(part.first<ExactSum::word_count>());
  }
}

}  // namespace fodo
