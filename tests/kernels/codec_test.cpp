// Chunks through every pipeline of filters and back, wrong bytes, and bytes of other programs.

#include "kernels/codec.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "kernels/shuffle.hpp"
#include "quire/base/error.hpp"
#include "support/random_bytes.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace quire::kernels::codec_test {
namespace {

using Bytes = std::vector<std::byte>;
using Pipeline = std::vector<Filter>;

Bytes bytes_of(std::initializer_list<unsigned> values) {
  Bytes bytes;
  for (const unsigned value : values) bytes.push_back(static_cast<std::byte>(value));
  return bytes;
}

Bytes text_bytes(const std::string& text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

/// Bytes that compress: a slow ramp with some noise, as measured values have.
Bytes smooth_bytes(test::Random& random, std::size_t count) {
  Bytes bytes(count);
  for (std::size_t i = 0; i < count; ++i)
    bytes[i] = static_cast<std::byte>(i / 64 + (i % 8 == 0 ? random.below(4) : 0));
  return bytes;
}

const std::vector<Pipeline>& pipelines() {
  using namespace filter_number;
  const auto filter = [](std::uint32_t number, std::vector<std::uint32_t> parameters = {}) {
    return Filter{number, std::move(parameters)};
  };
  static const std::vector<Pipeline> all{
      Pipeline{},
      Pipeline{filter(deflate, {6})},
      Pipeline{filter(deflate)},
      Pipeline{filter(zstandard, {3})},
      Pipeline{filter(zstandard)},
      Pipeline{filter(fletcher32)},
      Pipeline{filter(shuffle, {8})},
      Pipeline{filter(shuffle, {4}), filter(deflate, {1})},
      Pipeline{filter(shuffle, {2}), filter(zstandard, {9}), filter(fletcher32)},
      Pipeline{filter(fletcher32), filter(shuffle, {3}), filter(deflate, {9})},
      Pipeline{filter(shuffle, {8}), filter(fletcher32), filter(deflate, {0}), filter(fletcher32),
               filter(zstandard, {1}), filter(deflate, {6})},
  };
  return all;
}

TEST(Codec, EveryPipelineGivesTheBytesBack) {
  test::Random random(11);
  for (const auto& pipeline : pipelines()) {
    Codec codec(pipeline);
    for (const std::size_t count : {0, 1, 7, 8, 127, 128, 129, 1000, 65536, 100003}) {
      for (const Bytes& in : {smooth_bytes(random, count), random.bytes(count)}) {
        const Bytes coded = codec.encode(in);
        Bytes out(count, std::byte{0xee});
        codec.decode(0, coded, out);
        ASSERT_EQ(out, in) << pipeline.size() << " filters, " << count << " bytes";
      }
    }
  }
}

TEST(Codec, FiltersOfTheMaskAreLeftOut) {
  test::Random random(12);
  const Pipeline& pipeline = pipelines().back();
  const Bytes in = smooth_bytes(random, 5000);
  for (std::uint32_t mask = 0; mask < 1U << pipeline.size(); ++mask) {
    Pipeline applied;
    for (std::size_t i = 0; i < pipeline.size(); ++i) {
      if ((mask >> i & 1U) == 0) applied.push_back(pipeline[i]);
    }
    const Bytes coded = Codec(applied).encode(in);
    Bytes out(in.size());
    Codec(pipeline).decode(mask, coded, out);
    ASSERT_EQ(out, in) << "mask " << mask;
  }
}

TEST(Codec, ShufflingIsATranspositionOfBytes) {
  test::Random random(13);
  for (const std::size_t element : {1, 2, 3, 4, 5, 8, 10, 16, 400}) {
    for (const std::size_t count : {0, 5, 15, 16, 17, 64, 333, 1030}) {
      const Bytes in = random.bytes(count);
      const std::size_t elements = count / element;
      Bytes expected(in);
      for (std::size_t i = 0; i < elements; ++i) {
        for (std::size_t byte = 0; byte < element; ++byte) expected[byte * elements + i] = in[i * element + byte];
      }
      Bytes shuffled(count);
      shuffle_bytes(in, element, shuffled.data());
      ASSERT_EQ(shuffled, expected) << element << " bytes, " << count;
      Bytes back(count);
      unshuffle_bytes(shuffled, element, back.data());
      ASSERT_EQ(back, in) << element << " bytes, " << count;
    }
  }
}

TEST(Codec, ChecksumsAreThoseOfTheirDefinition) {
  // Words 0x6162, 0x6364, 0x6500: the sum is 0x129c6, 0x29c7 folded; the sum of sums 0x6162 + 0xc4c6 + 0x29c7.
  const Bytes coded = Codec(Pipeline{Filter{filter_number::fletcher32, {}}}).encode(text_bytes("abcde"));
  EXPECT_EQ(coded, bytes_of({'a', 'b', 'c', 'd', 'e', 0xc7, 0x29, 0xf0, 0x4f}));
  Bytes out(5);
  Codec codec(Pipeline{Filter{filter_number::fletcher32, {}}});
  // As written before 2005.
  codec.decode(0, bytes_of({'a', 'b', 'c', 'd', 'e', 0x29, 0xc7, 0x4f, 0xf0}), out);
  EXPECT_EQ(out, text_bytes("abcde"));
  EXPECT_THROW(codec.decode(0, bytes_of({'a', 'b', 'c', 'd', 'f', 0xc7, 0x29, 0xf0, 0x4f}), out), Error);
  EXPECT_THROW(codec.decode(0, bytes_of({'a', 'b', 'c'}), out), Error);
}

TEST(Codec, QuickFormatsOfOthersAreUndone) {
  Bytes out(12);
  Codec lzf(Pipeline{Filter{filter_number::lzf, {}}});
  // Three bytes as they are, then nine from three back: a length of seven and none more, and two.
  lzf.decode(0, bytes_of({2, 'a', 'b', 'c', 0xe0, 0, 2}), out);
  EXPECT_EQ(out, text_bytes("abcabcabcabc"));
  Codec lz4(Pipeline{Filter{filter_number::lz4, {0}}});
  // 12 bytes in blocks of 8: one coded (three bytes as they are, five from three back), one as it is.
  lz4.decode(0, bytes_of({0, 0,    0,   0,   0,   0, 0, 12, 0, 0, 0, 8,   0,   0,   0,
                          6, 0x31, 'a', 'b', 'c', 3, 0, 0,  0, 0, 4, 'c', 'a', 'b', 'c'}),
             out);
  EXPECT_EQ(out, text_bytes("abcabcabcabc"));
  EXPECT_FALSE(encodes({filter_number::lzf, {}}));
  EXPECT_FALSE(encodes({filter_number::lz4, {}}));
  EXPECT_THROW(static_cast<void>(lz4.encode(out)), Error);
}

TEST(Codec, UnknownFiltersAreRefused) {
  EXPECT_FALSE(decodes({4, {}}));  // szip
  EXPECT_FALSE(decodes({32001, {}}));
  EXPECT_FALSE(decodes({filter_number::shuffle, {}}));
  EXPECT_FALSE(decodes({filter_number::shuffle, {0}}));
  EXPECT_TRUE(decodes({filter_number::deflate, {10}}));
  EXPECT_FALSE(encodes({filter_number::deflate, {10}}));
  EXPECT_TRUE(encodes({filter_number::zstandard, {19}}));
  EXPECT_THROW(Codec(Pipeline{Filter{4, {}}}), Error);
  EXPECT_THROW(Codec(Pipeline(33, Filter{filter_number::fletcher32, {}})), Error);
}

/// Only bad_file errors at the chunk's beginning.
void expect_refused(Codec& codec, const Bytes& coded, std::size_t size) {
  Bytes out(size);
  try {
    codec.decode(0, coded, out);
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::bad_file) << error.what();
    EXPECT_EQ(error.offset(), 0U);
  }
}

TEST(Codec, OtherSizesThanThatOfTheChunkAreRefused) {
  test::Random random(14);
  const Bytes in = smooth_bytes(random, 4096);
  for (const auto& pipeline : pipelines()) {
    Codec codec(pipeline);
    const Bytes coded = codec.encode(in);
    expect_refused(codec, coded, in.size() - 1);
    expect_refused(codec, coded, in.size() + 1);
    expect_refused(codec, coded, 8);
    expect_refused(codec, Bytes(coded.begin(), coded.end() - 1), in.size());
    expect_refused(codec, {}, in.size());
  }
}

TEST(Codec, WrongBytesGiveErrorsOrBytes) {
  test::Random random(15);
  for (const auto& pipeline : pipelines()) {
    const Bytes coded = Codec(pipeline).encode(smooth_bytes(random, 700));
    for (int trial = 0; trial < 300; ++trial) {
      Bytes wrong = coded;
      wrong[random.below(wrong.size())] ^= static_cast<std::byte>(1U << random.below(8));
      if (trial % 3 == 0) wrong.resize(random.below(wrong.size() + 1));
      Bytes out(700);
      try {
        Codec(pipeline).decode(0, wrong, out);
      } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::bad_file) << error.what();
      }
    }
  }
}

TEST(Codec, FlippedBitsOfAZstandardChunkAreNoticed) {
  test::Random random(17);
  const Pipeline pipeline{Filter{filter_number::shuffle, {8}}, Filter{filter_number::zstandard, {3}}};
  const Bytes in = smooth_bytes(random, 700);
  const Bytes coded = Codec(pipeline).encode(in);
  std::size_t refused = 0;
  for (std::size_t bit = 0; bit < 8 * coded.size(); ++bit) {
    Bytes wrong = coded;
    wrong[bit / 8] ^= static_cast<std::byte>(1U << bit % 8);
    Bytes out(in.size());
    try {
      Codec(pipeline).decode(0, wrong, out);
      EXPECT_EQ(out, in) << "bit " << bit;  // a bit that means nothing for these values
    } catch (const Error& error) {
      ++refused;
      EXPECT_EQ(error.kind(), ErrorKind::bad_file) << error.what();
      EXPECT_EQ(error.offset(), 0U);
    }
  }
  EXPECT_GT(refused, 7 * coded.size());
}

TEST(Codec, TheFuzzersEntryTakesAnything) {
  const char* const data = std::getenv("QUIRE_TEST_DATA");
  ASSERT_NE(data, nullptr);
  int chunks = 0;
  for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(data) / "chunks")) {
    std::ifstream stream(entry.path(), std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
    EXPECT_EQ(LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()), 0);
    ++chunks;
  }
  EXPECT_GE(chunks, 8);
  test::Random random(16);
  for (int trial = 0; trial < 3000; ++trial) {
    const Bytes bytes = random.bytes(random.below(300));
    EXPECT_EQ(LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()), 0);
  }
}

}  // namespace
}  // namespace quire::kernels::codec_test
