#include "kernels/shuffle.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

namespace quire::kernels {
namespace {

constexpr std::size_t width = 16;

/// A 16-byte vector register.
using Vector = std::uint8_t __attribute__((vector_size(width)));

Vector load(const std::byte* from) {
  Vector vector;
  std::memcpy(&vector, from, width);
  return vector;
}

void store(std::byte* to, Vector vector) { std::memcpy(to, &vector, width); }

/// Sixteen elements of `size` bytes fill `size` vectors. A byte's position among them is a number of 4 + log2(size)
/// bits: element before byte, or shuffled byte before element. One round of interleaving the first half of the vectors
/// with the second rotates these bits by one to the left, so that log2(size) rounds undo four rounds.
template <std::size_t size>
void rotate(std::array<Vector, size>& vectors, int rounds) {
  for (int round = 0; round < rounds; ++round) {
    std::array<Vector, size> next;
    for (std::size_t i = 0; i < size / 2; ++i) {
      const Vector a = vectors[i];
      const Vector b = vectors[i + size / 2];
      next[2 * i] = __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
      next[2 * i + 1] = __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
    }
    vectors = next;
  }
}

/// Both directions for the elements from `first` on, byte by byte.
void shuffle_rest(const std::byte* in, std::size_t first, std::size_t count, std::size_t element, std::byte* out) {
  for (std::size_t byte = 0; byte < element; ++byte) {
    for (std::size_t i = first; i < count; ++i) out[byte * count + i] = in[i * element + byte];
  }
}

void unshuffle_rest(const std::byte* in, std::size_t first, std::size_t count, std::size_t element, std::byte* out) {
  for (std::size_t i = first; i < count; ++i) {
    for (std::size_t byte = 0; byte < element; ++byte) out[i * element + byte] = in[byte * count + i];
  }
}

/// Whole vectors; returns the number of processed elements.
template <std::size_t size>
std::size_t shuffle_vectors(const std::byte* in, std::size_t count, std::byte* out) {
  std::array<Vector, size> vectors;
  std::size_t done = 0;
  for (; count - done >= width; done += width) {
    for (std::size_t i = 0; i < size; ++i) vectors[i] = load(in + done * size + i * width);
    rotate<size>(vectors, 4);
    for (std::size_t i = 0; i < size; ++i) store(out + i * count + done, vectors[i]);
  }
  return done;
}

template <std::size_t size>
std::size_t unshuffle_vectors(const std::byte* in, std::size_t count, std::byte* out) {
  std::array<Vector, size> vectors;
  std::size_t done = 0;
  for (; count - done >= width; done += width) {
    for (std::size_t i = 0; i < size; ++i) vectors[i] = load(in + i * count + done);
    rotate<size>(vectors, std::countr_zero(size));
    for (std::size_t i = 0; i < size; ++i) store(out + done * size + i * width, vectors[i]);
  }
  return done;
}

void copy_tail(std::span<const std::byte> in, std::size_t from, std::byte* out) {
  std::copy(in.begin() + static_cast<std::ptrdiff_t>(from), in.end(), out + from);
}

}  // namespace

void shuffle_bytes(std::span<const std::byte> in, std::size_t element, std::byte* out) {
  const std::size_t count = in.size() / element;
  std::size_t done = 0;
  if (element == 2) done = shuffle_vectors<2>(in.data(), count, out);
  if (element == 4) done = shuffle_vectors<4>(in.data(), count, out);
  if (element == 8) done = shuffle_vectors<8>(in.data(), count, out);
  shuffle_rest(in.data(), done, count, element, out);
  copy_tail(in, count * element, out);
}

void unshuffle_bytes(std::span<const std::byte> in, std::size_t element, std::byte* out) {
  const std::size_t count = in.size() / element;
  std::size_t done = 0;
  if (element == 2) done = unshuffle_vectors<2>(in.data(), count, out);
  if (element == 4) done = unshuffle_vectors<4>(in.data(), count, out);
  if (element == 8) done = unshuffle_vectors<8>(in.data(), count, out);
  unshuffle_rest(in.data(), done, count, element, out);
  copy_tail(in, count * element, out);
}

}  // namespace quire::kernels
