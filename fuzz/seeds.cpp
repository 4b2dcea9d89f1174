// seeds FOLDER: writes there what the fuzzers of tests/harness begin with, a folder for each format.

#include <filesystem>
#include <fstream>

#include "harness/fuzzed_inputs.hpp"

int main(int count, char** words) {
  if (count != 2) return 2;
  for (const quire::test::FuzzedInput& input : quire::test::fuzzed_inputs()) {
    const auto folder = std::filesystem::path(words[1]) / input.format;
    std::filesystem::create_directories(folder);
    std::ofstream(folder / input.name, std::ios::binary)
        .write(reinterpret_cast<const char*>(input.bytes.data()), std::ssize(input.bytes));
  }
}
