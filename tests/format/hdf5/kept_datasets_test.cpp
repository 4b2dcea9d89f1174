// Datasets that are kept open for their chunk cache never exceed their common limit.

#include "format/hdf5/library/kept_datasets.hpp"

#include <gtest/gtest.h>
#include <hdf5.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "format/hdf5/library/datasets.hpp"
#include "support/memory_source.hpp"
#include "support/random_bytes.hpp"

namespace quire::hdf5::kept_datasets_test {
namespace {

constexpr std::uint64_t kibibyte = 1024;
constexpr std::uint64_t budget = std::uint64_t{64} << 20;

/// A file of datasets "0", "1" ... of bytes, in chunks of these sizes; 0: contiguous.
std::shared_ptr<OpenFile> file_of(const std::vector<hsize_t>& chunks) {
  const Handle access = own(H5Pcreate(H5P_FILE_ACCESS), "create a list");
  require(H5Pset_fapl_core(access.id(), 65536, false), "keep the file in memory");
  const Handle file = own(H5Fcreate("kept.h5", H5F_ACC_TRUNC, H5P_DEFAULT, access.id()), "create the file");
  const hsize_t elements = 300 * kibibyte;
  const Handle space = own(H5Screate_simple(1, &elements, nullptr), "create a shape");
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    const Handle list = own(H5Pcreate(H5P_DATASET_CREATE), "create a list");
    if (chunks[i] != 0) require(H5Pset_chunk(list.id(), 1, &chunks[i]), "set the chunk");
    const std::string name = std::to_string(i);
    const Handle made =
        own(H5Dcreate2(file.id(), name.c_str(), H5T_STD_U8LE, space.id(), H5P_DEFAULT, list.id(), H5P_DEFAULT), "make");
    require(H5Dwrite(made.id(), H5T_NATIVE_UINT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, std::string(elements, 'x').data()),
            "write");
  }
  require(H5Fflush(file.id(), H5F_SCOPE_LOCAL), "flush");
  std::string bytes(static_cast<std::size_t>(require(H5Fget_file_image(file.id(), nullptr, 0), "measure")), '\0');
  require(H5Fget_file_image(file.id(), bytes.data(), bytes.size()), "take the file");
  return std::make_shared<OpenFile>(std::make_shared<test::MemorySource>(std::move(bytes)), budget);
}

std::size_t open_in(const OpenFile& file) {
  return static_cast<std::size_t>(H5Fget_obj_count(file.id(), H5F_OBJ_DATASET));
}

/// The limit of the chunk cache of a dataset; 0 for a contiguous one, which has no cache.
std::uint64_t cache_of(hid_t dataset) {
  if (chunk_bytes(dataset, "dataset") == 0) return 0;
  const Handle list = own(H5Dget_access_plist(dataset), "take the list");
  std::size_t slots = 0;
  std::size_t bytes = 0;
  double preference = 0;
  require(H5Pget_chunk_cache(list.id(), &slots, &bytes, &preference), "look at it");
  return bytes;
}

/// The sum for all open datasets.
std::uint64_t caches_in(const OpenFile& file) {
  std::vector<hid_t> all(open_in(file));
  H5Fget_obj_ids(file.id(), H5F_OBJ_DATASET, all.size(), all.data());
  std::uint64_t sum = 0;
  for (const hid_t one : all) sum += cache_of(one);
  return sum;
}

/// Reads a dataset, and returns the limit of its chunk cache.
std::uint64_t read(KeptDatasets& kept, const std::shared_ptr<OpenFile>& file, std::size_t which) {
  const std::string name = std::to_string(which);
  std::uint64_t cache = 0;
  kept.read(file, name, file->id(), name, [&](hid_t dataset) { cache = cache_of(dataset); });
  return cache;
}

TEST(KeptDatasets, DoNotExceedTheirCommonLimit) {
  const std::vector<hsize_t> chunks{1 * kibibyte, 60 * kibibyte, 20 * kibibyte, 100 * kibibyte, 0, 250 * kibibyte};
  const auto file = file_of(chunks);
  constexpr std::uint64_t most = 200 * kibibyte;
  KeptDatasets kept(most);
  test::Random random(41);
  for (int trial = 0; trial < 300; ++trial) {
    const std::size_t which = random.below(chunks.size());
    const std::uint64_t cache = read(kept, file, which);
    ASSERT_LE(caches_in(*file), most) << "trial " << trial;
    if (chunks[which] <= most) {
      ASSERT_GE(cache, chunks[which]) << "one chunk at least";
    }
  }
}

TEST(KeptDatasets, StayOpenWhileThereIsRoom) {
  const auto file = file_of({90 * kibibyte, 90 * kibibyte, 90 * kibibyte});
  KeptDatasets kept(200 * kibibyte);
  EXPECT_EQ(read(kept, file, 0), 180 * kibibyte) << "the only one gets all whole chunks that fit";
  for (int turn = 0; turn < 2; ++turn) {
    for (const std::size_t which : {1U, 0U}) EXPECT_EQ(read(kept, file, which), 90 * kibibyte);
  }
  EXPECT_EQ(open_in(*file), 2U);
  EXPECT_EQ(read(kept, file, 2), 90 * kibibyte);
  EXPECT_EQ(open_in(*file), 2U) << "the one that was read last but one stays";
}

TEST(KeptDatasets, NothingStaysOpenWithoutRoom) {
  const auto file = file_of({4 * kibibyte, 250 * kibibyte, 0});
  for (const std::uint64_t most : {std::uint64_t{0}, KeptDatasets::least_bytes - 1}) {
    KeptDatasets kept(most);
    for (const std::size_t which : {0U, 1U, 2U}) read(kept, file, which);
    EXPECT_EQ(open_in(*file), 0U) << most;
  }
}

TEST(KeptDatasets, FailedOnesAndThoseOfOtherFilesAreClosed) {
  const auto file = file_of({4 * kibibyte, 4 * kibibyte});
  const auto other = file_of({4 * kibibyte});
  KeptDatasets kept(budget);
  for (const std::size_t which : {0U, 1U, 0U}) read(kept, file, which);
  ASSERT_EQ(open_in(*file), 2U);
  const auto fail = [](hid_t) { throw Error(ErrorKind::bad_file, "damaged"); };
  EXPECT_THROW(kept.read(file, "1", file->id(), "1", fail), Error);
  EXPECT_EQ(open_in(*file), 1U);
  read(kept, other, 0);
  EXPECT_EQ(open_in(*file), 0U);
  EXPECT_EQ(open_in(*other), 1U);
  EXPECT_EQ(file.use_count(), 1);
}

}  // namespace
}  // namespace quire::hdf5::kept_datasets_test
