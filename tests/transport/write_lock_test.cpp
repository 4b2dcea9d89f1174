#include "transport/write_lock.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "quire/base/error.hpp"
#include "support/environment.hpp"
#include "support/error_of.hpp"

namespace quire::write_lock_test {
namespace {

class WriteLocks : public ::testing::Test {
 protected:
  [[nodiscard]] static std::string new_file(const std::string& name) {
    const std::string path = test::path(name);
    const Descriptor made(::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
    return path;
  }
};

TEST_F(WriteLocks, ASecondWriterIsRefusedAndTheFirstOneIsNamed) {
  const std::string path = new_file("locked_twice");
  EXPECT_FALSE(is_being_written(path, WholeFileLocks::respected));
  WriteLock first(path, false, WholeFileLocks::respected);
  EXPECT_TRUE(is_being_written(path, WholeFileLocks::respected));
  const auto error = test::error_of([&] { const WriteLock second(path, false, WholeFileLocks::respected); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->kind(), ErrorKind::conflict);
  EXPECT_NE(error->message().find("process " + std::to_string(::getpid())), std::string::npos) << error->message();
  first = WriteLock();
  EXPECT_FALSE(is_being_written(path, WholeFileLocks::respected));
  EXPECT_TRUE(WriteLock(path, false, WholeFileLocks::respected).is_held());
}

TEST_F(WriteLocks, AnExclusiveLockOfTheWholeFileIsAWriterAndASharedOneAReader) {
  const std::string path = new_file("locked_whole");
  const Descriptor other(::open(path.c_str(), O_RDWR | O_CLOEXEC));
  ASSERT_EQ(::flock(other.number(), LOCK_SH), 0);
  EXPECT_TRUE(WriteLock(path, false, WholeFileLocks::respected).is_held());
  EXPECT_FALSE(is_being_written(path, WholeFileLocks::respected));
  ASSERT_EQ(::flock(other.number(), LOCK_EX), 0);
  EXPECT_TRUE(is_being_written(path, WholeFileLocks::respected));
  const auto error = test::error_of([&] { const WriteLock lock(path, false, WholeFileLocks::respected); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->kind(), ErrorKind::conflict);
  EXPECT_TRUE(WriteLock(path, false, WholeFileLocks::ignored).is_held());
}

TEST_F(WriteLocks, OthersCanShareTheWholeFileButNotHaveItAlone) {
  const std::string path = new_file("shared_whole");
  const WriteLock lock(path, false, WholeFileLocks::respected);
  const Descriptor other(::open(path.c_str(), O_RDWR | O_CLOEXEC));
  EXPECT_EQ(::flock(other.number(), LOCK_SH | LOCK_NB), 0);
  EXPECT_EQ(::flock(other.number(), LOCK_EX | LOCK_NB), -1);
}

TEST_F(WriteLocks, ALockKeepsOthersAndKnowsTheirFilesByAnyName) {
  const std::string one = new_file("kept_one");
  const std::string other = new_file("kept_other");
  const std::string link = test::path("kept_link");
  std::filesystem::remove(link);
  std::filesystem::create_symlink(other, link);
  WriteLock lock(one, false, WholeFileLocks::respected);
  EXPECT_FALSE(lock.covers(link));
  lock.keep(WriteLock(other, false, WholeFileLocks::respected));
  EXPECT_TRUE(lock.covers(link));
  EXPECT_TRUE(lock.covers(one));
  EXPECT_TRUE(is_being_written(other, WholeFileLocks::respected));
  EXPECT_FALSE(lock.is_lost());
  std::filesystem::rename(other, one);
  EXPECT_TRUE(lock.is_lost());
  EXPECT_TRUE(lock.covers(one));
}

}  // namespace
}  // namespace quire::write_lock_test
