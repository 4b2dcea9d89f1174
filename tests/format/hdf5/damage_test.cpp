// Damaged files through every describer are refused or read. Uses the entry point of the fuzzer.
#include <gtest/gtest.h>
#include <hdf5.h>

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "format/hdf5/simulation.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace quire::test {
namespace {

void run(const Bytes& bytes) {
  EXPECT_EQ(LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()), 0);
}

/// A small file of ours with an attachment, two steps, and chunked columns.
Bytes own_file() {
  Simulation simulation(2, {{"chunk", "5"}});
  const std::vector<std::byte> input(20, std::byte{'x'});
  simulation.root().capabilities().attachments->attach("run.in", input, false);
  simulation.write(sample_step(0, 12));
  simulation.write(sample_step(1, 7));
  simulation.finish();
  return simulation.file().bytes;
}

TEST(Damage, EveryTruncationIsRefusedOrRead) {
  const Bytes whole = own_file();
  for (std::size_t length = 0; length <= whole.size(); length += 61) {
    SCOPED_TRACE(length);
    run(Bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length)));
  }
}

/// The number of open identifiers of each kind, including the library's own types.
std::vector<std::int64_t> open_identifiers() {
  std::vector<std::int64_t> counts{H5Fget_obj_count(static_cast<hid_t>(H5F_OBJ_ALL), H5F_OBJ_ALL)};
  for (const H5I_type_t kind : {H5I_FILE, H5I_GROUP, H5I_DATATYPE, H5I_DATASPACE, H5I_DATASET, H5I_ATTR,
                                H5I_GENPROP_CLS, H5I_GENPROP_LST, H5I_VFL}) {
    hsize_t count = 0;
    H5Inmembers(kind, &count);
    counts.push_back(static_cast<std::int64_t>(count));
  }
  return counts;
}

TEST(Damage, LeavesNothingOpenInTheLibrary) {
  std::mt19937 random(4);
  for (const Bytes& whole : {own_file(), vector_bytes("part_types_3ranks.h5")}) {
    run(whole);
    const std::vector<std::int64_t> before = open_identifiers();
    EXPECT_EQ(before.front(), 0);
    for (int round = 0; round < 50; ++round) {
      SCOPED_TRACE(round);
      Bytes bytes = whole;
      for (int change = 0; change < 3; ++change) bytes[random() % bytes.size()] = static_cast<std::byte>(random());
      run(bytes);
      run(whole);
      ASSERT_EQ(open_identifiers(), before);
    }
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
