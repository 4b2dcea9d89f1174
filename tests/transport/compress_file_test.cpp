// Collective compression of a file: the same bytes on any number of ranks with any transport, and one error for all.

#include "transport/compress_file.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "support/environment.hpp"
#include "support/reported_rank.hpp"
#include "transport/faulty.hpp"
#include "transport/inflated_bytes.hpp"
#include "transport/packed.hpp"
#include "transport/piece_coder.hpp"

namespace quire::test::compress_file_test {
namespace {

constexpr std::array choices{CompressionChoice{Compression::gzip, 1}, CompressionChoice{Compression::xz, 0}};

OpenFile opener(const Comm& comm) {
  return [comm](const std::string& file, Access access) { return open_transport(transport(), file, access, comm, {}); };
}

/// Different in each piece, but fast to compress.
std::string plain_of(std::size_t size) {
  const std::string unit = half_random(100000);
  std::string plain;
  while (plain.size() < size) plain += unit + std::to_string(plain.size());
  plain.resize(size);
  return plain;
}

std::string inflated(const std::string& packed) {
  InflatedBytes bytes(std::make_shared<TextSource>(packed), compression_of(std::as_bytes(std::span(packed))), {});
  EXPECT_FALSE(bytes.survey().damage);
  EXPECT_TRUE(bytes.survey().warnings.empty());
  std::string text(static_cast<std::size_t>(bytes.size()), '\0');
  EXPECT_EQ(bytes.read(0, std::as_writable_bytes(std::span(text))), text.size());
  return text;
}

TEST(CompressFile, GivesTheSameBytesOnAnyRanks) {
  Comm comm = everyone();
  comm.set_deadline(std::chrono::seconds(60));
  const std::string plain_path = path("plain");
  for (const std::size_t size : {std::size_t{0}, std::size_t{1000}, piece_to_code, 5 * piece_to_code + 123}) {
    const std::string plain = plain_of(size);
    comm.barrier();
    if (comm.is_root()) write_bytes(plain_path, plain);
    comm.barrier();
    for (const CompressionChoice& choice : choices) {
      SCOPED_TRACE(std::string(name(choice.compression)) + " of " + std::to_string(size));
      const std::string together = path("together");
      compress_file(comm, opener(comm), plain_path, together, choice, size == 1000);
      comm.barrier();
      if (!comm.is_root()) continue;
      const std::string alone = path("alone");
      Comm self = Comm::self();
      const auto open_alone = [&](const std::string& file, Access access) {
        return open_transport("posix", file, access, self, {});
      };
      compress_file(self, open_alone, plain_path, alone, choice, false);
      const std::string packed = bytes_of(together);
      EXPECT_TRUE(packed == bytes_of(alone));
      EXPECT_TRUE(inflated(packed) == plain);
    }
  }
}

TEST(CompressFile, TakesNoMoreThanThreeCollectivesAndOneARound) {
  Comm comm = everyone();
  const std::string plain_path = path("plain_counted");
  if (comm.is_root()) write_bytes(plain_path, plain_of(3 * piece_to_code));
  comm.barrier();
  const auto size = static_cast<std::uint64_t>(comm.size());
  const std::uint64_t before = comm.collectives();
  compress_file(comm, opener(comm), plain_path, path("counted"), choices[0], false);
  EXPECT_EQ(comm.collectives() - before, 3 + (3 + size - 1) / size);
}

TEST(CompressFile, AnErrorOfOneRankIsEverybodys) {
  Comm comm = everyone();
  comm.set_deadline(std::chrono::seconds(60));
  const std::string plain_path = path("plain_faulty");
  if (comm.is_root()) write_bytes(plain_path, plain_of(9 * piece_to_code));
  comm.barrier();
  for (int rank = 0; rank < comm.size(); ++rank) {
    for (const bool on_read : {false, true}) {
      for (const CompressionChoice& choice : choices) {
        SCOPED_TRACE("rank " + std::to_string(rank) + (on_read ? " reads " : " writes ") +
                     std::string(name(choice.compression)));
        const auto open = [&](const std::string& file, Access access) {
          auto inner = open_transport(transport(), file, access, comm, {});
          if (rank != comm.rank() || on_read != (access == Access::read)) return inner;
          return faulty(std::move(inner), {.after_bytes = 1000, .error_number = 5, .on_read = on_read});
        };
        try {
          compress_file(comm, open, plain_path, path("faulty"), choice, false);
          FAIL() << "no error";
        } catch (const Error& error) {
          EXPECT_EQ(error.kind(), ErrorKind::io) << error.what();
          EXPECT_EQ(error.rank(), test::reported_rank(comm, rank)) << error.what();
        }
      }
    }
  }
  EXPECT_THROW(compress_file(comm, opener(comm), path("nothing/there"), path("faulty"), choices[0], false), Error);
  EXPECT_THROW(compress_file(comm, opener(comm), plain_path, path("nothing/there"), choices[0], false), Error);
}

}  // namespace
}  // namespace quire::test::compress_file_test
