#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <filesystem>
#include <memory>
#include <vector>

#include "quire/spi/transport/transport.hpp"
#include "transport/file_system.hpp"
#include "transport/pattern.hpp"

namespace quire::posix_test {
namespace {

std::unique_ptr<Transport> open_posix(const std::string& path, Access access, const TransportOptions& options = {}) {
  return open_transport("posix", path, access, Comm::self(), options);
}

/// A unique path for the running test.
std::string own_path() {
  return test::scratch(std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
}

TEST(PosixTest, WritesAndReadsMixedPlans) {
  const std::string path = own_path();
  const std::size_t large = (9 << 20) + 371;
  const auto memory = test::pattern(371, large);
  {
    const auto file = open_posix(path, Access::create);
    WritePlan plan;
    plan.add(0, test::pattern(0, 371));
    plan.add(371, std::span<const std::byte>(memory));
    plan.add(371 + large, 6'000'000, std::make_shared<test::PatternEncoder>(371 + large, 60));
    file->run(plan);
    EXPECT_EQ(file->size(), 371 + large + 6'000'000);
    EXPECT_EQ(file->counters().bytes_written, file->size());
    file->close();
  }
  const auto expected = test::pattern(0, 371 + large + 6'000'000);
  EXPECT_TRUE(test::bytes_of_file(path) == expected);

  const auto file = open_posix(path, Access::read);
  std::vector<std::byte> ready(large);
  auto decoder = std::make_shared<test::KeepingDecoder>(60);
  ReadPlan plan;
  plan.add(371, std::span(ready));
  plan.add(371 + large, 6'000'000, decoder);
  file->run(plan);
  EXPECT_TRUE(ready == memory);
  EXPECT_TRUE(decoder->bytes == test::pattern(371 + large, 6'000'000));
  EXPECT_EQ(file->counters().opens, 1U);
}

TEST(PosixTest, ReplacesAnOldFileButUpdatesWithoutLoss) {
  const std::string path = own_path();
  test::make_file(path, test::pattern(0, 1000));
  {
    const auto file = open_posix(path, Access::update);
    EXPECT_EQ(file->size(), 1000U);
    file->put(1000, test::pattern(1000, 10));
    file->close();
  }
  EXPECT_TRUE(test::bytes_of_file(path) == test::pattern(0, 1010));
  static_cast<void>(open_posix(path, Access::create));
  EXPECT_EQ(std::filesystem::file_size(path), 0U);
}

TEST(PosixTest, GetReturnsLessOnlyAtTheEnd) {
  const std::string path = own_path();
  test::make_file(path, test::pattern(0, 100));
  const auto file = open_posix(path, Access::read);
  std::vector<std::byte> out(60);
  EXPECT_EQ(file->get(10, out), 60U);
  EXPECT_TRUE(out == test::pattern(10, 60));
  EXPECT_EQ(file->get(70, out), 30U);
  EXPECT_EQ(file->get(100, out), 0U);
  EXPECT_EQ(file->get(1000, out), 0U);
}

TEST(PosixTest, MakesLargeCallsOnly) {
  const auto file = open_posix(own_path(), Access::create);
  const auto writes = [&](const WritePlan& plan) {
    const auto before = file->counters().writes;
    file->run(plan);
    return file->counters().writes - before;
  };
  const auto memory = test::pattern(0, 10 << 20);

  WritePlan ready;
  ready.add(0, std::span<const std::byte>(memory));
  EXPECT_EQ(writes(ready), 3U);  // 4 + 4 + 2 MiB

  WritePlan odd;
  odd.add(8'000'004, 8 << 20, std::make_shared<test::PatternEncoder>(8'000'004, 60));
  EXPECT_EQ(writes(odd), 9U);  // a piece more, because pieces end on pages

  WritePlan small;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    small.add(371 + 100 * i, std::span<const std::byte>(memory).subspan(200 * i, 100));
  }
  EXPECT_EQ(writes(small), 1U);
  EXPECT_EQ(file->counters().opens, 1U);
}

TEST(PosixTest, ReadsPiecesOfTheSameSizes) {
  const std::string path = own_path();
  test::make_file(path, test::pattern(0, 9 << 20));
  const auto file = open_posix(path, Access::read);
  ReadPlan plan;
  plan.add(0, 8 << 20, std::make_shared<test::KeepingDecoder>(64));
  file->run(plan);
  EXPECT_EQ(file->counters().reads, 8U);
}

TEST(PosixTest, FullDiskNamesFileAndOffset) {
  // A device that is always full.
  const auto file = open_posix("/dev/full", Access::update);
  WritePlan plan;
  plan.add(4096, 100, std::make_shared<test::PatternEncoder>(4096, 10));
  const auto error = test::error_of([&] { file->run(plan); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->kind(), ErrorKind::io);
  EXPECT_EQ(error->file(), "/dev/full");
  EXPECT_EQ(error->offset(), 4096U);
  EXPECT_FALSE(error->advice().empty());
  file->close();
}

/// Limits the size of files of this process during its lifetime.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  rlimit before_{};
  void (*handler_)(int);
};

TEST(PosixTest, ShortWriteIsContinuedUntilTheTrueError) {
  const std::string path = own_path();
  const auto file = open_posix(path, Access::create);
  const auto memory = test::pattern(0, 5 << 20);
  std::optional<Error> error;
  {
    const FileSizeLimit limit(4'500'123);
    WritePlan plan;
    plan.add(0, std::span<const std::byte>(memory));
    error = test::error_of([&] { file->run(plan); });
  }
  ASSERT_TRUE(error);
  EXPECT_EQ(error->kind(), ErrorKind::io);
  EXPECT_EQ(error->file(), path);
  EXPECT_EQ(error->offset(), 4'500'123U);
  file->close();
  // The part that fits was written.
  EXPECT_TRUE(test::bytes_of_file(path) == test::pattern(0, 4'500'123));
}

TEST(PosixTest, ShortWriteOfManyPlacesIsContinuedUntilTheTrueError) {
  const std::string path = own_path();
  const auto file = open_posix(path, Access::create);
  const auto memory = test::pattern(0, 400'000);
  std::vector<std::vector<std::byte>> apart;
  WritePlan plan;
  for (std::size_t first = 0; first < memory.size(); first += 100'000) {
    const auto part = std::span(memory).subspan(first, 100'000);
    auto& bytes = apart.emplace_back(part.size() + 4096);
    // At an address from which bytes may be written directly.
    const std::size_t shift = (first - reinterpret_cast<std::uintptr_t>(bytes.data())) % 4096;
    std::ranges::copy(part, bytes.begin() + static_cast<std::ptrdiff_t>(shift));
    plan.add(first, std::span<const std::byte>(bytes).subspan(shift, part.size()));
  }
  file->run(plan);
  EXPECT_EQ(file->counters().writes, 1U);
  EXPECT_TRUE(test::bytes_of_file(path) == memory);
  file->resize(0);
  std::optional<Error> error;
  {
    const FileSizeLimit limit(230'123);
    error = test::error_of([&] { file->run(plan); });
  }
  ASSERT_TRUE(error);
  EXPECT_EQ(error->kind(), ErrorKind::io);
  EXPECT_EQ(error->offset(), 230'123U);
  file->close();
  EXPECT_TRUE(test::bytes_of_file(path) == test::pattern(0, 230'123));
}

TEST(PosixTest, MissingFileIsAMissingError) {
  const auto error = test::error_of([] { static_cast<void>(open_posix(test::scratch("no_such_file"), Access::read)); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->kind(), ErrorKind::missing);
  EXPECT_NE(error->file().find("no_such_file"), std::string::npos);
}

// Opening a pipe would wait for its other end, without a way to interrupt it.
TEST(PosixTest, RejectsAPipeWithoutWaiting) {
  const std::string path = own_path();
  std::filesystem::remove(path);
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  const auto file = open_posix(path, Access::read);
  std::vector<std::byte> bytes(16);
  try {
    static_cast<void>(file->get(0, bytes));
    FAIL() << "a pipe was read";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::io);
    EXPECT_EQ(error.file(), path);
    EXPECT_NE(error.advice().find("pipe"), std::string::npos) << error.advice();
  }
  std::filesystem::remove(path);
}

TEST(PosixTest, WritingToAFileOpenForReadingIsAnError) {
  const std::string path = own_path();
  test::make_file(path, test::pattern(0, 10));
  const auto file = open_posix(path, Access::read);
  const auto error = test::error_of([&] { file->put(0, test::pattern(0, 1)); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->kind(), ErrorKind::io);
}

TEST(PosixTest, UnknownTransportListsTheKnownOnes) {
  const auto error =
      test::error_of([] { static_cast<void>(open_transport("pigeon", own_path(), Access::create, Comm::self(), {})); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->kind(), ErrorKind::usage);
  for (const std::string& name : transport_names()) EXPECT_NE(error->advice().find(name), std::string::npos) << name;
  EXPECT_EQ(transport_names().front(), "posix");
}

TEST(PosixTest, ErrorsOfEncodersNameTheFile) {
  const std::string path = own_path();
  const auto file = open_posix(path, Access::create);
  WritePlan plan;
  plan.add(0, 1000, std::make_shared<test::PatternEncoder>(0, 10, 500));
  const auto error = test::error_of([&] { file->run(plan); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->kind(), ErrorKind::type);
  EXPECT_EQ(error->file(), path);
}

TEST(PosixTest, ReservesOnlyLargeGrowthAndNeverBeyondIt) {
  const std::string path = own_path();
  TransportOptions options;
  options.limits.reserve_new_from = 1 << 20;
  const auto file = open_posix(path, Access::create, options);
  file->reserve(0, (1 << 20) - 1);
  EXPECT_EQ(file->size(), 0U);
  file->put(0, test::pattern(0, 1000));
  file->reserve(500, 2'000'000);
  if (file_system_of(path).preallocates) {
    EXPECT_EQ(file->size(), 2'000'000U);
    struct stat facts {};
    ASSERT_EQ(::stat(path.c_str(), &facts), 0);
    EXPECT_GE(facts.st_blocks * 512, 2'000'000);
  } else {
    EXPECT_EQ(file->size(), 1000U);
  }
  file->resize(1000);
  file->close();
  EXPECT_TRUE(test::bytes_of_file(path) == test::pattern(0, 1000));
}

TEST(PosixTest, ReservesLessForFilesThatAreNewThanForThoseThatGrow) {
  constexpr std::uint64_t mebibyte = 1 << 20;
  const std::string path = own_path();
  const auto file = open_posix(path, Access::create);
  file->put(0, test::pattern(0, 1000));
  const bool preallocates = file_system_of(path).preallocates;
  const auto expect_size_after = [&](std::uint64_t to, std::uint64_t size) {
    file->reserve(0, to);
    EXPECT_EQ(file->size(), preallocates ? size : 1000U) << to;
  };
  expect_size_after(mebibyte, 1000);  // less than a mebibyte more
  expect_size_after(2 * mebibyte, 2 * mebibyte);
  expect_size_after(4 * mebibyte - 1, 2 * mebibyte);  // not twice as much
  expect_size_after(5 * mebibyte, 5 * mebibyte);
  file->close();
}

TEST(PosixTest, DurableWritesAreSynced) {
  const std::string path = own_path();
  TransportOptions options;
  options.durable = true;
  options.limits.writeback = 100'000;
  const auto file = open_posix(path, Access::create, options);
  WritePlan plan;
  plan.add(5, 3'000'000, std::make_shared<test::PatternEncoder>(5, 60));
  file->run(plan);
  file->sync(false);
  const bool in_memory = file_system_of(path).in_memory;
  EXPECT_EQ(file->counters().syncs, in_memory ? 0U : 1U);
  file->sync(true);
  EXPECT_EQ(file->counters().syncs, in_memory ? 0U : 2U);
}

TEST(PosixTest, WhatIsDurableIsNotSyncedAgain) {
  const std::string path = own_path();
  const auto file = open_posix(path, Access::create);
  const std::uint64_t one = file_system_of(path).in_memory ? 0 : 1;
  std::uint64_t syncs = 0;
  const auto expect = [&](std::uint64_t more, bool directory, const char* after) {
    file->sync(directory);
    EXPECT_EQ(file->counters().syncs, syncs + more * one) << after;
    syncs = file->counters().syncs;
  };
  // Another library may have written without the knowledge of this object.
  expect(2, true, "no write");
  expect(2, true, "no write again");
  file->put(0, test::pattern(0, 10));
  expect(2, true, "a write");
  expect(0, true, "nothing");
  file->put(0, test::pattern(1, 10));
  expect(1, false, "another write");
  expect(1, true, "a sync of the data alone");
  file->resize(5);
  expect(1, false, "a resize");
  expect(0, false, "nothing again");
}

TEST(PosixTest, NothingWorksAfterCloseButCloseItself) {
  const std::string path = own_path();
  const auto file = open_posix(path, Access::create);
  file->put(0, test::pattern(0, 10));
  file->close();
  file->close();
  const auto error = test::error_of([&] { file->put(0, test::pattern(0, 1)); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->kind(), ErrorKind::usage);
  EXPECT_EQ(std::filesystem::file_size(path), 10U);  // not created again
}

}  // namespace
}  // namespace quire::posix_test
