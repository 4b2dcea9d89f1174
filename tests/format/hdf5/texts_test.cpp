// Variable-length texts: the cost of checking their references does not grow with the number of attributes.

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <hdf5.h>

#include "format/hdf5/guard/heap_check.hpp"
#include "format/hdf5/image/image.hpp"
#include "format/hdf5/library/handle.hpp"
#include "format/hdf5/library/types.hpp"
#include "format/hdf5/simulation.hpp"
#include "quire/spi/base/endian.hpp"

namespace {

int registrations = 0;

template <class Function>
Function* of_library(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

}  // namespace

// Counts calls of the library: calls of this program use these functions instead.
extern "C" herr_t H5Tregister(H5T_pers_t pers, const char* name, hid_t from, hid_t into, H5T_conv_t convert) {
  ++registrations;
  return of_library<herr_t(H5T_pers_t, const char*, hid_t, hid_t, H5T_conv_t)>("H5Tregister")(pers, name, from, into,
                                                                                              convert);
}

extern "C" herr_t H5Tunregister(H5T_pers_t pers, const char* name, hid_t from, hid_t into, H5T_conv_t convert) {
  ++registrations;
  return of_library<herr_t(H5T_pers_t, const char*, hid_t, hid_t, H5T_conv_t)>("H5Tunregister")(pers, name, from, into,
                                                                                                convert);
}

namespace quire::test::texts_test {
namespace {

using hdf5::Handle;
using hdf5::own;
using hdf5::require;

constexpr int count = 40;

/// One step with many text attributes, created by HDF5 in memory.
Bytes file_of_texts() {
  const Handle access = own(H5Pcreate(H5P_FILE_ACCESS), "create a list");
  require(H5Pset_fapl_core(access.id(), 65536, false), "keep the file in memory");
  const Handle file = own(H5Fcreate("texts.h5", H5F_ACC_TRUNC, H5P_DEFAULT, access.id()), "create the file");
  const Handle step = own(H5Gcreate2(file.id(), "Step#0", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), "create a group");
  const Handle type = hdf5::text_type(0, true);
  const Handle space = own(H5Screate(H5S_SCALAR), "create a shape");
  for (int i = 0; i < count; ++i) {
    const std::string name = "text" + std::to_string(i);
    const Handle attribute =
        own(H5Acreate2(step.id(), name.c_str(), type.id(), space.id(), H5P_DEFAULT, H5P_DEFAULT), "create");
    const char* text = name.c_str();
    require(H5Awrite(attribute.id(), type.id(), &text), "write");
  }
  require(H5Fflush(file.id(), H5F_SCOPE_LOCAL), "flush");
  Bytes bytes(static_cast<std::size_t>(require(H5Fget_file_image(file.id(), nullptr, 0), "measure the file")));
  require(H5Fget_file_image(file.id(), bytes.data(), bytes.size()), "take the file");
  return bytes;
}

TEST(Texts, NeedOneConversionForAllAttributesOfAllFiles) {
  const Bytes bytes = file_of_texts();
  for (int round = 0; round < 3; ++round) {
    const auto describer = describe(std::make_shared<MemoryFile>(bytes));
    const auto step = describer->step(0);
    ASSERT_TRUE(step.has_value());
    ASSERT_EQ(step->description.attributes.size(), static_cast<std::size_t>(count));
    for (const Attribute& attribute : step->description.attributes) {
      EXPECT_EQ(attribute.value.strings().at(0), attribute.name);
    }
    EXPECT_EQ(registrations, 1);
  }
}

/// A heap with one text of four bytes, as HDF5 stores it.
Bytes heap() {
  Bytes bytes(64);
  const auto put = [&](std::size_t at, auto number) { store(bytes.data() + at, number, ByteOrder::little); };
  put(0, std::uint32_t{0x4c4f4347});
  put(8, std::uint64_t{bytes.size()});
  put(16, std::uint16_t{1});
  put(24, std::uint64_t{4});
  put(48, std::uint64_t{16});  // free, after the text
  return bytes;
}

Bytes reference(std::uint64_t address) {
  Bytes bytes(16);
  store(bytes.data(), std::uint32_t{4}, ByteOrder::little);
  store(bytes.data() + 4, address, ByteOrder::little);
  store(bytes.data() + 12, std::uint32_t{1}, ByteOrder::little);
  return bytes;
}

TEST(Texts, HaveTheirHeapsReadOnce) {
  constexpr std::uint64_t heaps = 70;
  const Bytes one = heap();
  Bytes bytes(64);
  for (std::uint64_t i = 0; i < heaps; ++i) bytes.insert(bytes.end(), one.begin(), one.end());
  const auto file = std::make_shared<MemoryFile>(bytes);
  hdf5::HeapObjects objects([&](std::uint64_t offset, std::span<std::byte> out) { return file->read(offset, out); },
                            {.first = bytes.size()}, 0);
  const auto check = [&](std::uint64_t number) {
    const Bytes to = reference(64 * (1 + number));
    objects.check(hdf5::Piece(to, 0), 1);
  };
  check(0);
  const std::uint64_t reads = file->reads;
  for (int i = 0; i < 10; ++i) check(0);
  EXPECT_EQ(file->reads, reads);
  // If there are very many heaps, the first ones are removed from memory and read again.
  for (std::uint64_t i = 1; i < heaps; ++i) check(i);
  EXPECT_EQ(file->reads, heaps * reads);
  check(0);
  EXPECT_EQ(file->reads, (heaps + 1) * reads);
}

TEST(Texts, AreReadAgainAfterTheBytesHaveChanged) {
  Bytes bytes(64);
  const Bytes one = heap();
  bytes.insert(bytes.end(), one.begin(), one.end());
  hdf5::Image image(std::make_shared<MemoryFile>(bytes), hdf5::Image::Use::writing);
  image.begin(bytes.size(), {});
  const Bytes to = reference(64);
  image.heap_objects().check(hdf5::Piece(to, 0), 1);
  const std::byte none{};
  image.write(64 + 16, std::span(&none, 1));  // the index of the text
  EXPECT_THROW(image.heap_objects().check(hdf5::Piece(to, 0), 1), Error);
}

}  // namespace
}  // namespace quire::test::texts_test
