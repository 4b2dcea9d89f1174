// Damaged files: every vector, and each of them with single bytes changed. Every failure is an error of the library,
// and no more memory is allocated than the budget and the file's size allow.

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <random>
#include <string>

#include "format/sdds/vectors.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

// Memory in use, counted by the allocator below: the size of each block is stored before it.
std::atomic<std::size_t> in_use{0};
std::atomic<std::size_t> peak{0};
constexpr std::size_t front = alignof(std::max_align_t);

void* counted_block(std::size_t size) {
  auto* block = static_cast<char*>(std::malloc(size + front));
  if (block == nullptr) throw std::bad_alloc();
  *reinterpret_cast<std::size_t*>(block) = size;
  const std::size_t now = in_use += size;
  if (now > peak) peak = now;
  return block + front;
}

void release_block(void* memory) noexcept {
  if (memory == nullptr) return;
  char* block = static_cast<char*>(memory) - front;
  in_use -= *reinterpret_cast<std::size_t*>(block);
  std::free(block);
}

}  // namespace

void* operator new(std::size_t size) { return counted_block(size); }

// With a sanitizer, memory of the library is not allocated here, but is released here.
void* operator new(std::size_t size, const std::nothrow_t& /*tag*/) noexcept {
  try {
    return counted_block(size);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

void operator delete(void* memory) noexcept { release_block(memory); }

void operator delete(void* memory, std::size_t /*size*/) noexcept { release_block(memory); }

namespace quire::test::damage_test {
namespace {

constexpr std::size_t budget = 64 << 20;

void run(const std::string& bytes) {
  const std::size_t before = in_use;
  peak = before;
  ASSERT_NO_THROW(LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()));
  ASSERT_LE(peak - before, bytes.size() + budget);
}

TEST(Damage, TheAllocatorCounts) {
  const std::size_t before = in_use;
  auto block = std::make_unique<std::string>(1000, 'x');
  EXPECT_GE(in_use - before, 1000U);
  block.reset();
  EXPECT_EQ(in_use, before);
}

TEST(Damage, EveryVectorIsReadOrRefused) {
  for (const Vector& vector : all_vectors()) {
    SCOPED_TRACE(vector.name);
    run(vector.bytes());
  }
}

// Counts, lengths, dimensions, types, commands: each byte is set to values that change its meaning.
TEST(Damage, EveryByteMayBeWrong) {
  for (const char* name :
       {"types_bin_le_row.sdds", "types_bin_le_col.sdds", "marker64_be.sdds", "strings_bin_le.sdds",
        "hdr_multiline.sdds", "include_main.sdds", "fixed_values_bin.sdds", "asc_comments.sdds", "asc_stream.sdds",
        "asc_lpr3.sdds", "asc_crlf_nrc.sdds", "asc_field_length.sdds", "arrays_ascii.sdds", "fixedrows_ascii.sdds"}) {
    SCOPED_TRACE(name);
    const std::string good = read_vector(name);
    std::string bytes = good;
    for (std::size_t i = 0; i < good.size(); ++i) {
      for (const char wrong : {'\x00', '\x7f', '\xff', '"', '\n', '9', '!', '\\'}) {
        bytes[i] = wrong;
        run(bytes);
      }
      bytes[i] = good[i];
    }
  }
}

TEST(Damage, ManyBytesMayBeWrong) {
  std::mt19937 random(20261121);
  for (const Vector& vector : vectors("ok", "")) {
    SCOPED_TRACE(vector.name);
    const std::string good = vector.bytes();
    for (int round = 0; round < 40; ++round) {
      std::string bytes = good;
      for (int changes = 0; changes < 4; ++changes) bytes[random() % bytes.size()] = static_cast<char>(random());
      if (round % 4 == 0) bytes.resize(random() % bytes.size());
      if (round % 4 == 1) bytes.insert(random() % bytes.size(), bytes.substr(random() % bytes.size(), 64));
      run(bytes);
    }
  }
}

TEST(Damage, AHeaderOfDefinitionsAloneStaysInTheBudget) {
  std::string header = "SDDS1\n";
  for (int i = 0; header.size() < (3U << 20); ++i) header += "&column name=c" + std::to_string(i) + " type=long &end\n";
  run(header + "&data mode=binary &end\n" + std::string(1000, '\0'));
  std::string fields = "SDDS1\n&column ";
  while (fields.size() < (3U << 20)) fields += "a=,";
  run(fields + "&end\n");
}

}  // namespace
}  // namespace quire::test::damage_test
