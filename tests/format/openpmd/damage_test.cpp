// Damaged files of other programs are refused or read. Uses the entry point of the fuzzer.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <random>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace quire::test::damage_test {
namespace {

std::string vector_text(const std::string& name) {
  const char* folder = std::getenv("QUIRE_TEST_DATA");
  std::ifstream stream(std::string(folder == nullptr ? "." : folder) + "/codes/" + name, std::ios::binary);
  EXPECT_TRUE(stream.good()) << name;
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

void run(const std::string& bytes) {
  EXPECT_EQ(LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()), 0);
}

class OpenpmdDamage : public testing::TestWithParam<const char*> {};

TEST_P(OpenpmdDamage, EveryTruncationIsRefusedOrRead) {
  const std::string whole = vector_text(GetParam());
  for (std::size_t length = 0; length <= whole.size(); length += 397) {
    SCOPED_TRACE(length);
    run(whole.substr(0, length));
  }
}

TEST_P(OpenpmdDamage, ManyBytesMayBeWrong) {
  std::mt19937 random(20261126);
  const std::string whole = vector_text(GetParam());
  for (int round = 0; round < 200; ++round) {
    SCOPED_TRACE(round);
    std::string bytes = whole;
    for (int change = 0; change < 3; ++change) bytes[random() % bytes.size()] = static_cast<char>(random());
    run(bytes);
  }
}

INSTANTIATE_TEST_SUITE_P(Vectors, OpenpmdDamage,
                         testing::Values("openpmd_patches.h5", "openpmd_thetamode.h5", "beamphysics_electron.h5",
                                         "beamphysics_solenoid.h5"));

}  // namespace
}  // namespace quire::test::damage_test
