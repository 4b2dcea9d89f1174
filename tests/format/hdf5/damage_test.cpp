// Damaged files through every describer are refused or read. Uses the entry point of the fuzzer.
#include <gtest/gtest.h>
#include <hdf5.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <span>
#include <vector>

#include "format/hdf5/guard/header_check.hpp"
#include "format/hdf5/simulation.hpp"
#include "quire/spi/base/endian.hpp"
#include "support/error_of.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace quire::test::damage_test {
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

/// A version 1 object header with one message.
Bytes header_of(std::uint16_t type, std::uint8_t flags, std::array<std::uint64_t, 2> content) {
  constexpr std::uint32_t length = 24;
  Bytes bytes(16 + length);
  bytes[0] = std::byte{1};
  store(bytes.data() + 8, length, ByteOrder::little);
  store(bytes.data() + 16, type, ByteOrder::little);
  store(bytes.data() + 18, std::uint16_t{16}, ByteOrder::little);
  bytes[20] = std::byte{flags};
  store(bytes.data() + 24, content[0], ByteOrder::little);
  store(bytes.data() + 32, content[1], ByteOrder::little);
  return bytes;
}

ErrorKind refusal_of(const Bytes& header) {
  const auto read = [&](std::uint64_t offset, std::span<std::byte> out) {
    std::copy_n(header.begin() + static_cast<std::ptrdiff_t>(offset), out.size(), out.begin());
    return out.size();
  };
  const auto error = error_of([&] { static_cast<void>(hdf5::check_header(read, header.size(), 0, 0)); });
  return error ? error->kind() : ErrorKind::internal;
}

// HDF5 1.10 refuses them too, but does not free what it has read of the header.
TEST(Damage, OfFramesOfMessagesIsRefusedBeforeHdf5ReadsThem) {
  constexpr std::uint16_t name = 0x0d;
  constexpr std::uint16_t continuation = 0x10;
  constexpr std::uint16_t reference_count = 0x16;
  constexpr std::uint16_t of_a_later_version = 0x30;
  const auto whole = [](const Bytes& header) { return refusal_of(header) == ErrorKind::internal; };
  EXPECT_TRUE(whole(header_of(name, 0, {})));
  EXPECT_TRUE(whole(header_of(of_a_later_version, 0x14, {})));
  EXPECT_TRUE(whole(header_of(continuation, 0, {8, 8})));
  EXPECT_EQ(refusal_of(header_of(continuation, 0, {8, 0})), ErrorKind::bad_file);
  EXPECT_EQ(refusal_of(header_of(reference_count, 0, {})), ErrorKind::bad_file);
  for (const int flags : {0x06, 0x20, 0x28, 0x38, 0x40}) {
    EXPECT_EQ(refusal_of(header_of(name, static_cast<std::uint8_t>(flags), {})), ErrorKind::bad_file) << flags;
  }
  EXPECT_EQ(refusal_of(header_of(of_a_later_version, 0x80, {})), ErrorKind::unsupported);
}

TEST(Damage, FoundByTheFuzzerIsHarmless) {
  std::size_t found = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::filesystem::path(std::getenv("QUIRE_TEST_DATA")) / "fuzzed/hdf5")) {
    SCOPED_TRACE(entry.path().filename().string());
    run(vector_bytes("../fuzzed/hdf5/" + entry.path().filename().string()));
    ++found;
  }
  EXPECT_GT(found, 0U);
}

}  // namespace
}  // namespace quire::test::damage_test
