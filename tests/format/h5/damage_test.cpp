// Damaged files through every describer: refused or read, never worse. The entry point is that of the fuzzer.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <random>

#include "format/h5/simulation.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace quire::test {
namespace {

void run(const Bytes& bytes) {
  EXPECT_EQ(LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()), 0);
}

/// A small file of ours with an attachment, two steps, and columns in chunks.
Bytes own_file() {
  Simulation simulation(2, {{"chunk", "5"}});
  const std::vector<std::byte> input(20, std::byte{'x'});
  simulation.root().attach("run.in", input, false);
  simulation.write(sample_step(0, 12));
  simulation.write(sample_step(1, 7));
  simulation.finish();
  return simulation.file().bytes;
}

TEST(Damage, EveryCutIsRefusedOrRead) {
  const Bytes whole = own_file();
  for (std::size_t length = 0; length <= whole.size(); length += 61) {
    SCOPED_TRACE(length);
    run(Bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length)));
  }
}

TEST(Damage, ManyBytesMayBeWrong) {
  std::mt19937 random(20261122);
  for (const Bytes& whole : {own_file(), vector_bytes("part_types_3ranks.h5")}) {
    for (int round = 0; round < 300; ++round) {
      SCOPED_TRACE(round);
      Bytes bytes = whole;
      for (int change = 0; change < 3; ++change) bytes[random() % bytes.size()] = static_cast<std::byte>(random());
      run(bytes);
    }
  }
}

}  // namespace
}  // namespace quire::test
