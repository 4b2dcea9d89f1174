// Generated files, valid and damaged: the corpus of a fuzzer, and random ones.

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "format/sdds/generated_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace quire::test::generated_test {
namespace {

constexpr int random_files = 3000;

void run(const std::vector<std::uint8_t>& choices) {
  ASSERT_NO_THROW(LLVMFuzzerTestOneInput(choices.data(), choices.size()))
      << generate_file(choices).bytes << "\n--- of " << testing::PrintToString(choices);
}

TEST(Generated, FilesOfTheCorpus) {
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(QUIRE_TEST_DATA_FOLDER "/generated")) {
    SCOPED_TRACE(entry.path().filename().string());
    std::ifstream file(entry.path(), std::ios::binary);
    run({std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()});
    ++files;
  }
  EXPECT_GT(files, 20);
}

TEST(Generated, FilesAtRandom) {
  std::mt19937 random(20261122);
  int valid = 0;
  std::size_t pages = 0;
  for (int i = 0; i < random_files; ++i) {
    std::vector<std::uint8_t> choices(random() % 600);
    for (std::uint8_t& choice : choices) choice = static_cast<std::uint8_t>(random());
    const GeneratedFile file = generate_file(choices);
    valid += file.is_valid ? 1 : 0;
    pages += file.rows.size();
    run(choices);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(valid, random_files / 5);
  EXPECT_GT(pages, static_cast<std::size_t>(random_files));
}

}  // namespace
}  // namespace quire::test::generated_test
