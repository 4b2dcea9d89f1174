// Changes the choices of a fuzzer as often as the file after them; among the bytes of a file they would hardly change.

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "support/choices.hpp"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
  constexpr std::size_t chosen = quire::test::Choices::bytes;
  if (size <= chosen || most <= chosen) return LLVMFuzzerMutate(data, size, most);
  if (seed % 2 == 0) return chosen + LLVMFuzzerMutate(data + chosen, size - chosen, most - chosen);
  const std::size_t left = LLVMFuzzerMutate(data, chosen, chosen);
  std::fill(data + left, data + chosen, std::uint8_t{0});
  return size;
}
