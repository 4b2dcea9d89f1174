// Inflated bytes of files written by zlib and liblzma: at any position, with damage, in bounded memory.

#include "transport/inflated.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "quire/spi/base/archive.hpp"
#include "support/environment.hpp"
#include "transport/inflated_bytes.hpp"
#include "transport/packed.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace quire::test::inflated_test {
namespace {

InflatedBytes inflate(const std::string& packed, bool unconfirmed = false, std::uint64_t budget = 64 << 20) {
  const Compression compression = compression_of(std::as_bytes(std::span(packed)));
  return {std::make_shared<TextSource>(packed), compression, {.memory_budget = budget, .unconfirmed = unconfirmed}};
}

std::string part(InflatedBytes& bytes, std::uint64_t offset, std::size_t count) {
  std::string text(count, '\0');
  text.resize(bytes.read(offset, std::as_writable_bytes(std::span(text))));
  return text;
}

std::string all(InflatedBytes& bytes) { return part(bytes, 0, static_cast<std::size_t>(bytes.size()) + 10); }

/// The same file in every compression, by name.
std::vector<std::pair<std::string, std::string>> packed_in_every_way(const std::string& plain) {
  const std::string front = plain.substr(0, plain.size() / 3);
  const std::string back = plain.substr(plain.size() / 3);
  const std::string none;
  return {{"gzip", gzip_of(plain)},
          {"gzip with texts", gzip_of(plain, true)},
          {"gzip members", gzip_of(none) + gzip_of(front) + gzip_of(none) + gzip_of(none) + gzip_of(back)},
          {"xz", xz_of(plain)},
          {"xz without checksums", xz_of(plain, 0, LZMA_CHECK_NONE)},
          {"xz with long checksums", xz_of(plain, 0, LZMA_CHECK_SHA256)},
          {"xz blocks", xz_of(plain, 1000 + plain.size() / 5, LZMA_CHECK_CRC64)},
          {"xz streams", xz_of(none) + xz_of(front, 5000) + std::string(8, '\0') + xz_of(back) + std::string(4, '\0')},
          {"lzma", lzma_of(plain)}};
}

TEST(Inflated, EveryCodingGivesTheSameBytes) {
  for (const std::size_t size : {0, 1, 4096, 1 << 20, (1 << 20) + 1}) {
    const std::string plain = half_random(size);
    for (const auto& [name, packed] : packed_in_every_way(plain)) {
      SCOPED_TRACE(name + " of " + std::to_string(size));
      InflatedBytes bytes = inflate(packed);
      EXPECT_EQ(bytes.size(), plain.size());
      EXPECT_FALSE(bytes.survey().damage) << bytes.survey().damage->reason;
      EXPECT_TRUE(bytes.survey().warnings.empty());
      EXPECT_TRUE(all(bytes) == plain);
    }
  }
}

TEST(Inflated, EveryRankReadsAnywhereBeyondWhatIsKept) {
  const std::string plain = half_random(24 << 20);
  const std::vector<std::pair<std::string, std::string>> ways{
      {"gzip", gzip_of(plain)},
      {"gzip members", gzip_of(plain.substr(0, 9 << 20)) + gzip_of(plain.substr(9 << 20))},
      {"xz blocks", xz_of(plain.substr(0, 15 << 20), 3 << 20) + xz_of(plain.substr(15 << 20), 5 << 20)}};
  for (const auto& [name, packed] : ways) {
    SCOPED_TRACE(name);
    InflatedBytes first = inflate(packed);
    const auto message = pack(first.survey());
    EXPECT_LT(message.size(), RestartPoints::largest_bytes + 4096);
    EXPECT_GE(first.survey().points.size(), name == "gzip members" ? 4U : 3U);
    InflatedBytes other(std::make_shared<TextSource>(packed), unpack<InflationSurvey>(message));
    Random random(7);
    for (int i = 0; i < 8; ++i) {
      const std::size_t offset = random.below(plain.size());
      const std::size_t count = random.below(1 << 20);
      EXPECT_TRUE(part(other, offset, count) == plain.substr(offset, count)) << offset;
      EXPECT_TRUE(part(first, plain.size() - offset, count) == plain.substr(plain.size() - offset, count)) << offset;
    }
  }
}

TEST(Inflated, FarFewerBytesAreReadFromARestartPoint) {
  const std::string plain = half_random(24 << 20);
  const std::string packed = gzip_of(plain);
  const std::string file = path("restart.gz");
  write_bytes(file, packed);
  const auto open = [&] { return open_transport("posix", file, Access::read, Comm::self(), {}); };
  const InflatedTransport first(open(), file, Compression::gzip, {});
  EXPECT_EQ(first.counters().bytes_read, packed.size());
  InflatedTransport other(open(), file, first.survey());
  EXPECT_EQ(other.counters().opens, 0U);
  std::string tail(1000, '\0');
  EXPECT_EQ(other.get(plain.size() - 1000, std::as_writable_bytes(std::span(tail))), 1000U);
  EXPECT_TRUE(tail == plain.substr(plain.size() - 1000));
  EXPECT_LT(other.counters().bytes_read, packed.size() / 4);
  EXPECT_EQ(other.counters().opens, 1U);
  EXPECT_FALSE(other.is_collective());
  EXPECT_THROW(other.put(0, {}), Error);
  EXPECT_THROW(other.resize(0), Error);
  other.close();
}

TEST(Inflated, TheBeginningIsInflatedOnce) {
  const std::string plain = half_random(24 << 20);
  const std::string packed = gzip_of(plain);
  const std::string file = path("beginning.gz");
  write_bytes(file, packed);
  InflatedTransport bytes(open_transport("posix", file, Access::read, Comm::self(), {}), file, Compression::gzip, {});
  std::string found(15 << 20, '\0');
  EXPECT_EQ(bytes.get(0, std::as_writable_bytes(std::span(found))), found.size());
  EXPECT_TRUE(found == plain.substr(0, found.size()));
  EXPECT_EQ(bytes.counters().bytes_read, packed.size());
  found.resize(9 << 20);
  EXPECT_EQ(bytes.get(15 << 20, std::as_writable_bytes(std::span(found))), found.size());
  EXPECT_TRUE(found == plain.substr(15 << 20));
  EXPECT_LT(bytes.counters().bytes_read, packed.size() * 8 / 5);
  bytes.close();

  // With more memory all blocks are kept.
  InflatedTransport more(open_transport("posix", file, Access::read, Comm::self(), {}), file, Compression::gzip,
                         {.memory_budget = 100 << 20, .unconfirmed = false});
  found.resize(plain.size());
  EXPECT_EQ(more.get(0, std::as_writable_bytes(std::span(found))), found.size());
  EXPECT_TRUE(found == plain);
  EXPECT_EQ(more.counters().bytes_read, packed.size());
  more.close();
}

TEST(Inflated, ACutLeavesEverythingBeforeIt) {
  const std::string plain = half_random(3000);
  for (const auto& [name, packed] : packed_in_every_way(plain)) {
    if (name == "gzip with texts") continue;
    std::uint64_t last = 0;
    for (std::size_t length = 8; length < packed.size(); length += 1 + length / 200) {
      SCOPED_TRACE(name + " cut at " + std::to_string(length));
      InflatedBytes bytes = inflate(packed.substr(0, length));
      EXPECT_GE(bytes.size(), last);
      last = bytes.size();
      EXPECT_TRUE(all(bytes) == plain.substr(0, static_cast<std::size_t>(bytes.size())));
      const auto& damage = bytes.survey().damage;
      // A sequence of whole members is a valid file; the rest of an unfinished head may be anything.
      if (!damage) {
        EXPECT_TRUE(name == "gzip members" || name == "xz streams" || bytes.size() == plain.size());
      } else {
        EXPECT_TRUE(damage->cut) << damage->reason;
        EXPECT_LE(damage->offset, length);
      }
    }
    EXPECT_GT(last, 0U) << name;
  }
}

TEST(Inflated, NoWrongByteIsGivenUnlessAskedFor) {
  const std::string plain = half_random(3000);
  Random random(3);
  for (const auto& [name, packed] : packed_in_every_way(plain)) {
    // Without checksums damage cannot be detected.
    if (name == "gzip with texts" || name == "xz without checksums" || name == "lzma") continue;
    for (std::size_t place = 6; place < packed.size(); place += 1 + random.below(13)) {
      SCOPED_TRACE(name + " wrong at " + std::to_string(place));
      std::string wrong = packed;
      wrong[place] = static_cast<char>(wrong[place] ^ (1 << random.below(8)));
      try {
        InflatedBytes bytes = inflate(wrong);
        // Data without an end mark continue to the end of the file and look truncated.
        const auto& damage = bytes.survey().damage;
        if (damage && damage->cut) continue;
        EXPECT_TRUE(all(bytes) == plain.substr(0, static_cast<std::size_t>(bytes.size())));
        if (bytes.size() < plain.size()) {
          EXPECT_TRUE(bytes.survey().damage || !bytes.survey().warnings.empty());
        }
        InflatedBytes more = inflate(wrong, true);
        EXPECT_GE(more.size(), bytes.size());
        EXPECT_EQ(all(more).size(), more.size());
      } catch (const Error& error) {
        EXPECT_TRUE(error.kind() == ErrorKind::unsupported || error.kind() == ErrorKind::memory) << error.what();
      }
    }
  }
}

TEST(Inflated, WholeMembersBeforeADamagedOneStay) {
  const std::string plain = half_random(100000);
  std::string back = gzip_of(plain);
  back[back.size() - 6] = static_cast<char>(~back[back.size() - 6]);
  InflatedBytes bytes = inflate(gzip_of(plain) + back);
  EXPECT_EQ(bytes.size(), plain.size());
  ASSERT_TRUE(bytes.survey().damage);
  EXPECT_FALSE(bytes.survey().damage->cut);
  EXPECT_EQ(inflate(gzip_of(plain) + back, true).size(), 2 * plain.size());

  const std::string blocks = xz_of(plain, 30000);
  std::string wrong = blocks;
  wrong[blocks.size() * 7 / 10] = static_cast<char>(~wrong[blocks.size() * 7 / 10]);
  EXPECT_EQ(inflate(wrong).size(), 60000U);
}

TEST(Inflated, WhatFollowsTheEndIsIgnoredWithAWarning) {
  const std::string plain = half_random(1000);
  for (const auto& [name, packed] : packed_in_every_way(plain)) {
    for (const std::string rest : {"x", "junk after the end", "\x1f"}) {
      SCOPED_TRACE(name);
      InflatedBytes bytes = inflate(packed + rest);
      EXPECT_TRUE(all(bytes) == plain);
      EXPECT_FALSE(bytes.survey().damage);
      ASSERT_EQ(bytes.survey().warnings.size(), 1U);
      EXPECT_NE(bytes.survey().warnings[0].find(std::to_string(rest.size()) + " bytes"), std::string::npos);
    }
  }
}

TEST(Inflated, ADictionaryBeyondTheBudgetIsRefused) {
  const std::string packed = xz_of(half_random(1000), 0);  // preset 0 has 256 KiB
  EXPECT_NO_THROW(static_cast<void>(inflate(packed, false, 1 << 20)));
  std::string greedy = lzma_of(half_random(1000));
  const std::uint32_t declared = 1U << 30;
  std::memcpy(greedy.data() + 1, &declared, sizeof declared);
  try {
    static_cast<void>(inflate(greedy));
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::memory);
  }
}

TEST(Inflated, AFileThatChangedIsNotRead) {
  const std::string plain = half_random(18 << 20);
  const std::string packed = gzip_of(plain);
  const InflatedBytes first = inflate(packed);
  InflatedBytes other(std::make_shared<TextSource>(packed.substr(0, packed.size() / 2)), first.survey());
  std::string memory(100, '\0');
  EXPECT_THROW(static_cast<void>(other.read(17 << 20, std::as_writable_bytes(std::span(memory)))), Error);
  EXPECT_EQ(other.read(10, std::as_writable_bytes(std::span(memory))), 100U);
}

TEST(RestartPoints, TakeBoundedMemoryWhateverTheSize) {
  RestartPoints points;
  std::uint64_t output = 0;
  for (int i = 0; i < 100000; ++i) {
    output += 1 << 20;
    if (points.wants(output)) points.add({output, output, 8, std::vector<std::byte>(32 << 10)});
  }
  const auto kept = std::move(points).take();
  EXPECT_LE(kept.size() * ((32 << 10) + sizeof(RestartPoint)), RestartPoints::largest_bytes);
  EXPECT_GE(kept.size(), 60U);
  for (std::size_t i = 1; i < kept.size(); ++i) EXPECT_GT(kept[i].output, kept[i - 1].output);
}

TEST(Inflated, WhatTheFuzzerBeginsWith) {
  const char* data = std::getenv("QUIRE_TEST_DATA");
  ASSERT_NE(data, nullptr);
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(data) + "/compressed")) {
    SCOPED_TRACE(entry.path().string());
    const std::string packed = bytes_of(entry.path().string());
    EXPECT_EQ(LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(packed.data()), packed.size()), 0);
    EXPECT_FALSE(inflate(packed).survey().damage);
    ++files;
  }
  EXPECT_GE(files, 8U);
}

TEST(Inflated, WhatTheFuzzerFindsFirst) {
  const std::string plain = half_random(2000);
  Random random(11);
  for (const auto& [name, packed] : packed_in_every_way(plain)) {
    if (name == "gzip with texts") continue;
    for (int i = 0; i < 200; ++i) {
      std::string wrong = packed;
      for (std::size_t k = 0; k <= random.below(4); ++k)
        wrong[random.below(wrong.size())] = static_cast<char>(random.below(256));
      if (random.below(2) == 0) wrong.resize(random.below(wrong.size()));
      EXPECT_EQ(LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(wrong.data()), wrong.size()), 0);
    }
  }
}

}  // namespace
}  // namespace quire::test::inflated_test
