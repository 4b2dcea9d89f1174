// Any bytes as a file. Built as a fuzzer with QUIRE_FUZZ, and run over the vectors by damage_test.cpp.

#include <cstddef>
#include <cstdint>

#include "format/sion/examine.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  quire::test::examine({reinterpret_cast<const std::byte*>(data), size});
  return 0;
}
