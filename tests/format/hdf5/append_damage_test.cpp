// Files with damaged link messages or symbol tables are appended to, or refused and left unchanged.
#include <gtest/gtest.h>
#include <hdf5.h>
#if __has_include(<malloc.h>)
#include <malloc.h>
#endif

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "format/hdf5/library/handle.hpp"
#include "format/hdf5/simulation.hpp"
#include "quire/base/error.hpp"
#include "quire/spi/base/endian.hpp"
#include "support/error_of.hpp"

namespace quire::test::append_damage_test {
namespace {

using hdf5::Handle;

void add_column(hid_t group, const char* name) {
  constexpr hsize_t rows = 10;
  constexpr hsize_t chunk = 5;
  constexpr hsize_t no_limit = H5S_UNLIMITED;
  const Handle space(H5Screate_simple(1, &rows, &no_limit));
  const Handle creation(H5Pcreate(H5P_DATASET_CREATE));
  H5Pset_chunk(creation.id(), 1, &chunk);
  const Handle made(H5Dcreate2(group, name, H5T_NATIVE_DOUBLE, space.id(), H5P_DEFAULT, creation.id(), H5P_DEFAULT));
  const std::array<double, rows> values{};
  EXPECT_GE(H5Dwrite(made.id(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0);
}

enum class Links { messages, symbol_tables };

/// A file of two steps whose groups store their links in this way. `headers` receives their addresses.
Bytes file_of_links(Links stored, std::vector<std::uint64_t>& headers) {
  constexpr std::size_t increment = 1 << 16;
  const Handle access(H5Pcreate(H5P_FILE_ACCESS));
  H5Pset_fapl_core(access.id(), increment, false);
  const Handle file(H5Fcreate("links", H5F_ACC_TRUNC, H5P_DEFAULT, access.id()));
  const Handle creation(H5Pcreate(H5P_GROUP_CREATE));
  if (stored == Links::messages) H5Pset_link_creation_order(creation.id(), H5P_CRT_ORDER_TRACKED);
  for (const char* name : {"Step#0", "Step#1"}) {
    const Handle group(H5Gcreate2(file.id(), name, H5P_DEFAULT, creation.id(), H5P_DEFAULT));
    add_column(group.id(), "x");
    add_column(group.id(), "y");
    headers.push_back(hdf5::address_of(group.id()));
  }
  // A group with an external link has no symbol table.
  if (stored == Links::messages)
    H5Lcreate_external("other.h5", "/Step#2", file.id(), "elsewhere", H5P_DEFAULT, H5P_DEFAULT);
  H5Lcreate_soft("/Step#1/x", file.id(), "again", H5P_DEFAULT, H5P_DEFAULT);
  headers.push_back(hdf5::address_of(file.id()));
  H5Fflush(file.id(), H5F_SCOPE_LOCAL);
  Bytes bytes(static_cast<std::size_t>(H5Fget_file_image(file.id(), nullptr, 0)));
  H5Fget_file_image(file.id(), bytes.data(), bytes.size());
  return bytes;
}

/// The offsets of the link messages of a version 1 object header.
std::vector<std::size_t> bytes_of_links(const Bytes& file, std::uint64_t header) {
  constexpr unsigned link = 6;
  constexpr unsigned continuation = 16;
  constexpr std::size_t frame = 8;
  std::vector<std::size_t> places;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> parts{
      {header + 16, load<std::uint32_t>(file.data() + header + 8, ByteOrder::little)}};
  for (std::size_t p = 0; p < parts.size(); ++p) {
    const auto [begin, length] = parts[p];
    for (std::size_t at = begin; at + frame <= begin + length;) {
      const auto type = load<std::uint16_t>(file.data() + at, ByteOrder::little);
      const std::size_t end = at + frame + load<std::uint16_t>(file.data() + at + 2, ByteOrder::little);
      if (type == continuation) {
        parts.emplace_back(load<std::uint64_t>(file.data() + at + frame, ByteOrder::little),
                           load<std::uint64_t>(file.data() + at + frame + 8, ByteOrder::little));
      }
      for (; type == link && at < end; ++at) places.push_back(at);
      at = end;
    }
  }
  return places;
}

SimulatedStep columns(std::int64_t number, const std::vector<std::string>& names) {
  constexpr std::size_t rows = 10;
  SimulatedStep step{.number = number, .attributes = {}, .columns = {}, .values = {}};
  for (const std::string& name : names) {
    step.columns.push_back(column(name));
    step.values.emplace_back(rows, 1.0);
  }
  return step;
}

/// A change of the file.
struct Change {
  const char* name;
  Options options;
  SimulatedStep step;
  std::optional<std::int64_t> after{};  ///< later steps are dropped
};

std::vector<Change> changes() {
  return {{"append", {}, columns(7, {"x"})},
          {"drop", {}, columns(7, {"x"}), 0},
          {"replace", {{"existing", "replace"}}, columns(1, {"x"})},
          {"add", {{"existing", "add"}}, columns(1, {"z"})},
          {"overwrite", {{"existing", "overwrite"}}, columns(1, {"x", "z"})},
          {"grow", {{"grow", "true"}}, columns(1, {"x", "y"})}};
}

/// Whether a file was changed; a refused one must be unchanged.
bool is_changed(const Change& change, const Bytes& bytes) {
  const auto file = std::make_shared<MemoryFile>(bytes);
  try {
    Simulation simulation(1, file, change.after, true, change.options);
    const Bytes before = file->bytes;
    try {
      simulation.write(change.step);
      simulation.finish();
    } catch (const Error&) {
      simulation.conclude(false);
      EXPECT_EQ(file->bytes, before);
      return false;
    }
  } catch (const Error&) {
    EXPECT_EQ(file->bytes, bytes);
    return false;
  }
  return true;
}

TEST(DamagedLinks, AreAppendedToOrRefused) {
#ifdef M_PERTURB
  mallopt(M_PERTURB, 0xa5);  // HDF5 frees uninitialized pointers: filled memory reveals it
#endif
  std::vector<std::uint64_t> headers;
  const Bytes whole = file_of_links(Links::messages, headers);
  std::vector<std::size_t> places;
  for (const std::uint64_t header : headers) {
    const auto found = bytes_of_links(whole, header);
    EXPECT_FALSE(found.empty());
    places.insert(places.end(), found.begin(), found.end());
  }
  for (const Change& change : changes()) {
    SCOPED_TRACE(change.name);
    EXPECT_TRUE(is_changed(change, whole));
    for (const std::size_t place : places) {
      SCOPED_TRACE(place);
      for (const unsigned value : {0x00U, 0x01U, 0x05U, 0x40U, 0xffU}) {
        Bytes bytes = whole;
        bytes[place] = static_cast<std::byte>(value);
        is_changed(change, bytes);
      }
    }
  }
#ifdef M_PERTURB
  mallopt(M_PERTURB, 0);
#endif
}

/// The offsets of the names of a symbol table: of its tree and of its nodes.
std::vector<std::size_t> places_of_names(const Bytes& file) {
  struct Names {
    std::string_view signature;
    std::size_t first;
    std::size_t step;
  };
  std::vector<std::size_t> places;
  const std::string_view text(reinterpret_cast<const char*>(file.data()), file.size());
  for (const Names& names : {Names{"TREE", 24, 16}, Names{"SNOD", 8, 40}}) {
    for (std::size_t at = 0; (at = text.find(names.signature, at)) != std::string_view::npos; ++at) {
      const std::size_t used = load<std::uint16_t>(file.data() + at + 6, ByteOrder::little);
      for (std::size_t i = 0; i < used; ++i) places.push_back(at + names.first + i * names.step);
    }
  }
  return places;
}

TEST(DamagedSymbolTables, AreAppendedToOrRefused) {
  std::vector<std::uint64_t> headers;
  const Bytes whole = file_of_links(Links::symbol_tables, headers);
  const auto places = places_of_names(whole);
  ASSERT_GE(places.size(), 10U);
  constexpr std::uint64_t beyond_the_heap = 1 << 20;
  std::size_t refused = 0;
  for (const Change& change : changes()) {
    SCOPED_TRACE(change.name);
    EXPECT_TRUE(is_changed(change, whole));
    for (const std::size_t place : places) {
      Bytes bytes = whole;
      store(bytes.data() + place, beyond_the_heap, ByteOrder::little);
      if (!is_changed(change, bytes)) ++refused;
    }
  }
  // The names of the root group are read by every change.
  constexpr std::size_t of_root = 4;  // a key of the tree and three links
  EXPECT_GE(refused, of_root * changes().size());
}

/// The heap of the names in the root group of a file.
struct RootHeap {
  explicit RootHeap(const Bytes& file)
      : offset(std::string_view(reinterpret_cast<const char*>(file.data()), file.size()).find("HEAP")) {
    length = load<std::uint64_t>(file.data() + offset + 8, ByteOrder::little);
    free_blocks = load<std::uint64_t>(file.data() + offset + 16, ByteOrder::little);
    names = load<std::uint64_t>(file.data() + offset + 24, ByteOrder::little);
  }
  std::size_t offset = 0;
  std::uint64_t length = 0;
  std::uint64_t free_blocks = 0;  ///< of the first one, from the beginning of the names
  std::uint64_t names = 0;
};

std::string refusal_of_appending(const Bytes& bytes) {
  const auto error = error_of([&] { Simulation(1, std::make_shared<MemoryFile>(bytes), std::nullopt, true, {}); });
  return error ? error->what() : "";
}

TEST(DamagedSymbolTables, OfNamesThatDoNotEndAreRefusedByTheGuard) {
  std::vector<std::uint64_t> headers;
  Bytes bytes = file_of_links(Links::symbol_tables, headers);
  const RootHeap heap(bytes);
  std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(heap.names), heap.length, std::byte{'x'});
  store(bytes.data() + heap.offset + 16, std::uint64_t{1}, ByteOrder::little);  // no free blocks
  const std::string refusal = refusal_of_appending(bytes);
  EXPECT_NE(refusal.find("does not end in its heap"), std::string::npos) << refusal;
}

// HDF5 1.10 takes a heap for whole if it has failed on it before, and follows a cycle of free blocks forever.
TEST(DamagedSymbolTables, OfFreeBlocksThatDoNotEndAreRefusedByTheGuard) {
  std::vector<std::uint64_t> headers;
  const Bytes whole = file_of_links(Links::symbol_tables, headers);
  const RootHeap heap(whole);
  ASSERT_LT(heap.free_blocks, heap.length);
  const std::uint64_t block = heap.names + heap.free_blocks;
  for (const auto& [place, value] : {std::pair{block, heap.free_blocks}, std::pair{block, heap.length},
                                     std::pair{block, std::uint64_t{0}}, std::pair{block + 8, heap.length}}) {
    Bytes bytes = whole;
    store(bytes.data() + place, value, ByteOrder::little);
    const std::string refusal = refusal_of_appending(bytes);
    EXPECT_NE(refusal.find("free block"), std::string::npos) << refusal;
  }
}

}  // namespace
}  // namespace quire::test::append_damage_test
