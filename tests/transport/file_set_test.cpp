#include "transport/file_set.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "quire/base/error.hpp"
#include "quire/spi/plan/member.hpp"
#include "transport/forwarding.hpp"
#include "transport/pattern.hpp"

namespace quire::file_set_test {
namespace {

/// Files of one set in the directory of this test.
class FileSetTest : public testing::Test {
 protected:
  FileSetTest() : first_(test::scratch(testing::UnitTest::GetInstance()->current_test_info()->name())) {
    for (std::uint64_t member = 0; member < 4; ++member) std::filesystem::remove(path(member));
  }

  [[nodiscard]] std::string path(std::uint64_t member) const {
    return member == 0 ? first_ : first_ + "." + std::to_string(member);
  }

  [[nodiscard]] FileSet open(Access first, Access others) const {
    return {open_transport("posix", first_, first, Comm::self(), {}), [this, others](std::uint64_t member) {
              return open_transport("posix", path(member), others, Comm::self(), {});
            }};
  }

  std::string first_;
};

TEST(MemberTest, AddressesNameFileAndOffset) {
  const std::uint64_t address = address_in(3, 17);
  EXPECT_EQ(member_of(address), 3U);
  EXPECT_EQ(offset_in(address), 17U);
  EXPECT_EQ(address_in(0, 17), 17U);
  EXPECT_THROW(static_cast<void>(address_in(most_members, 0)), Error);
  EXPECT_THROW(static_cast<void>(address_in(0, std::uint64_t{1} << member_shift)), Error);
}

TEST_F(FileSetTest, PlansAreSplitByMember) {
  FileSet set = open(Access::create, Access::join);
  WritePlan writing;
  writing.add(address_in(2, 10), test::pattern(10, 50));
  writing.add(0, test::pattern(0, 30));
  writing.add(address_in(2, 0), 10, std::make_shared<test::PatternEncoder>(0, 10));
  set.run(writing);
  set.put(address_in(1, 5), test::pattern(5, 5));
  set.resize(address_in(2, 40));
  EXPECT_EQ(set.size(), 30U);
  EXPECT_EQ(set.counters().opens, 3U);
  set.sync(true);
  set.close();
  EXPECT_EQ(std::filesystem::file_size(path(1)), 10U);
  EXPECT_EQ(std::filesystem::file_size(path(2)), 40U);
  EXPECT_FALSE(std::filesystem::exists(path(3)));

  FileSet again = open(Access::read, Access::read);
  std::vector<std::byte> first(30);
  std::vector<std::byte> second(40);
  ReadPlan reading;
  reading.add(address_in(2, 0), std::span(second));
  reading.add(0, std::span(first));
  again.run_alone(reading);
  EXPECT_EQ(first, test::pattern(0, 30));
  EXPECT_EQ(second, test::pattern(0, 40));
  EXPECT_EQ(again.get(address_in(2, 35), first), 5U);
}

/// Repeats a plan as long as further plans are declared.
class AgainTransport final : public ForwardingTransport {
 public:
  using ForwardingTransport::ForwardingTransport;
  using ForwardingTransport::run;
  void run(const ReadPlan& mine) override {
    goes_on_ = mine.goes_on;
    inner().run(mine);
  }
  [[nodiscard]] bool comes_again() const noexcept override { return goes_on_; }

 private:
  bool goes_on_ = false;
};

TEST_F(FileSetTest, ForwardsFurtherPlansToTheFirstMember) {
  auto first = open_transport("posix", first_, Access::create, Comm::self(), {});
  FileSet set(std::make_unique<AgainTransport>(std::move(first)), [this](std::uint64_t member) {
    return open_transport("posix", path(member), Access::join, Comm::self(), {});
  });
  set.put(address_in(1, 0), test::pattern(0, 10));
  std::vector<std::byte> memory(10);
  ReadPlan reading;
  reading.add(address_in(1, 0), std::span(memory));
  for (const bool goes_on : {true, false}) {
    reading.goes_on = goes_on;
    set.run(reading);
    EXPECT_EQ(set.comes_again(), goes_on);
  }
  EXPECT_EQ(memory, test::pattern(0, 10));
  set.close();
}

TEST_F(FileSetTest, JoiningKeepsWhatOthersHaveWritten) {
  for (const std::uint64_t offset : {0U, 20U}) {
    FileSet set = open(offset == 0 ? Access::create : Access::update, Access::join);
    set.put(address_in(1, offset), test::pattern(offset, 20));
    set.close();
  }
  EXPECT_EQ(std::filesystem::file_size(path(1)), 40U);
}

TEST_F(FileSetTest, AMissingMemberIsNamedAndTheOthersAreMoved) {
  {
    FileSet set = open(Access::create, Access::join);
    set.put(0, test::pattern(0, 10));
    set.close();
  }
  FileSet set = open(Access::read, Access::read);
  std::vector<std::byte> first(10);
  std::vector<std::byte> lost(10);
  ReadPlan reading;
  reading.add(address_in(1, 0), std::span(lost));
  reading.add(0, std::span(first));
  try {
    set.run(reading);
    FAIL() << "the member does not exist";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::missing);
    EXPECT_EQ(error.file(), path(1));
  }
  EXPECT_EQ(first, test::pattern(0, 10));
}

}  // namespace
}  // namespace quire::file_set_test
