// Any bytes as a file of any format: see fuzzed_file.hpp. Built as a fuzzer with QUIRE_FUZZ; fuzzed_file_test.cpp runs
// the same code in every build.

#include <cstddef>
#include <cstdint>

#include "harness/fuzzed_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  quire::test::append_to_fuzzed({data, size});
  return 0;
}
