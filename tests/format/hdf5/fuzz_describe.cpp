// Describes any bytes as an HDF5 file. Built as a fuzzer with QUIRE_FUZZ, and used on damaged vectors by
// damage_test.cpp.

#include <cstddef>
#include <cstdint>

#include "format/hdf5/examine.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  quire::test::examine({reinterpret_cast<const std::byte*>(data), size});
  return 0;
}
