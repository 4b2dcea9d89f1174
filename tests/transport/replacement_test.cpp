#include "transport/replacement.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "quire/base/error.hpp"
#include "transport/pattern.hpp"

namespace quire {
namespace {

namespace files = std::filesystem;

/// What stands under a name: the texts of all its files.
using Texts = std::map<std::string, std::string>;

/// A file, a set of files or a directory, by what belongs to it beside or below its first name.
struct Kind {
  std::string name;
  Texts old_one;
  Texts new_one;
};

std::vector<Kind> kinds() {
  return {
      {"file", {{"beam", "old"}}, {{"beam", "new"}}},
      {"set", {{"beam", "old"}, {"beam.1", "old 1"}}, {{"beam", "new"}, {"beam.1", "new 1"}, {"beam.2", "new 2"}}},
      {"directory", {{"beam/info", "old"}, {"beam/part", "old"}}, {{"beam/info", "new"}, {"beam/other", "new"}}},
      {"unfolded", {{"beam", "old"}}, {{"beam/info", "new"}, {"beam/part", "new"}}},
      {"folded", {{"beam/info", "old"}, {"beam/part", "old"}}, {{"beam", "new"}}},
      {"first", {}, {{"beam", "new"}, {"beam.1", "new 1"}}},
  };
}

class ReplacementTest : public testing::TestWithParam<Kind> {
 protected:
  // The tests of a kind run at the same time.
  ReplacementTest()
      : home_(test::scratch("replacement_" +
                            std::string(testing::UnitTest::GetInstance()->current_test_info()->name()))) {}

  [[nodiscard]] std::string target() const { return (home_ / "beam").string(); }

  static void write(const files::path& root, const Texts& texts) {
    for (const auto& [name, text] : texts) {
      files::create_directories((root / name).parent_path());
      std::ofstream(root / name) << text;
    }
  }

  /// The old one in its place, the new one complete beside it.
  void begin() const {
    files::remove_all(home_);
    files::create_directories(home_);
    write(home_, GetParam().old_one);
    begin_staging(target());
    write(files::path(staged_path(target())).parent_path(), GetParam().new_one);
  }

  [[nodiscard]] Texts found() const {
    Texts texts;
    for (const auto& entry : files::recursive_directory_iterator(home_)) {
      if (!entry.is_regular_file()) continue;
      std::ifstream stream(entry.path());
      texts[files::relative(entry.path(), home_).string()] = std::string(std::istreambuf_iterator<char>(stream), {});
    }
    return texts;
  }

  files::path home_;
};

TEST_P(ReplacementTest, TheNewOneTakesThePlace) {
  begin();
  carry_out(replacement_acts(target()));
  EXPECT_EQ(found(), GetParam().new_one);
  EXPECT_TRUE(finishing_acts(target()).empty());
}

TEST_P(ReplacementTest, OneOfThemIsWholeAfterAKillAtAnyMoment) {
  begin();
  const std::size_t acts = replacement_acts(target()).size();
  for (std::size_t kill = 0; kill <= acts; ++kill) {
    begin();
    auto done = replacement_acts(target());
    done.resize(kill);
    carry_out(done);
    const std::size_t finishing = finishing_acts(target()).size();
    for (std::size_t second = 0; second <= finishing; ++second) {
      if (second > 0) {
        begin();
        carry_out(done);
      }
      auto half = finishing_acts(target());
      half.resize(second);
      carry_out(half);
      carry_out(finishing_acts(target()));
      // The rename of the whole staging directory decides.
      EXPECT_EQ(found(), kill < 2 ? GetParam().old_one : GetParam().new_one) << kill << " " << second;
    }
  }
}

TEST_P(ReplacementTest, NoFirstFileStandsWithOtherMembers) {
  begin();
  const auto acts = replacement_acts(target());
  for (std::size_t kill = 0; kill <= acts.size(); ++kill) {
    begin();
    carry_out({acts.begin(), acts.begin() + static_cast<std::ptrdiff_t>(kill)});
    Texts there = found();
    std::erase_if(there, [](const auto& entry) {
      return entry.first.starts_with("beam.quire-partial") || entry.first.starts_with("beam.quire-ready") ||
             entry.first.starts_with("beam.quire-previous");
    });
    if (there.contains("beam") || there.contains("beam/info")) {
      EXPECT_TRUE(there == GetParam().old_one || there == GetParam().new_one) << kill;
    }
  }
}

TEST_P(ReplacementTest, MembersOfALargerSetGoAndPermissionsStay) {
  begin();
  // Those of a directory mean something else.
  if (!GetParam().old_one.contains("beam") || !GetParam().new_one.contains("beam")) return;
  write(home_, {{"beam.7", "old 7"}, {"beam.note", "not of the set"}});
  files::permissions(target(), files::perms::owner_read | files::perms::owner_write);
  keep_permissions(target());
  carry_out(replacement_acts(target(), {}, [](const std::string& name) { return name != "beam.note"; }));
  Texts expected = GetParam().new_one;
  expected["beam.note"] = "not of the set";
  EXPECT_EQ(found(), expected);
  EXPECT_EQ(files::status(target()).permissions(), files::perms::owner_read | files::perms::owner_write);
}

TEST_P(ReplacementTest, AnOldOneThatWasMovedAwayComesBack) {
  begin();
  if (GetParam().old_one.empty()) return;
  files::rename(target(), target() + ".quire-previous");
  carry_out(finishing_acts(target()));
  EXPECT_EQ(found(), GetParam().old_one);
}

TEST_P(ReplacementTest, WhatIsNotCompleteIsDropped) {
  begin();
  drop_staging(target());
  EXPECT_EQ(found(), GetParam().old_one);
}

TEST_P(ReplacementTest, OnlyOneWriterStages) {
  begin();
  EXPECT_THROW(begin_staging(target()), Error);
  drop_staging(target());
  EXPECT_NO_THROW(begin_staging(target()));
}

TEST(TargetTest, HasANameBesideWhichOthersCanStand) {
  const files::path home = files::path(test::scratch("replacement_target"));
  files::remove_all(home);
  files::create_directories(home / "beam");
  files::create_symlink("beam", home / "link");
  const std::string beam = files::canonical(home).string() + "/beam";
  for (const std::string name : {"beam", "beam/", "beam//", "beam/.", "beam/../beam", "link", "link/"}) {
    EXPECT_TRUE(files::equivalent(target_of((home / name).string()), beam)) << name;
    EXPECT_EQ(files::path(target_of((home / name).string())).filename(), "beam") << name;
  }
  EXPECT_EQ(target_of("/"), "/");
  EXPECT_EQ(files::path(target_of((home / "none/.").string())).filename(), "none");
}

INSTANTIATE_TEST_SUITE_P(Kinds, ReplacementTest, testing::ValuesIn(kinds()),
                         [](const auto& kind) { return kind.param.name; });

}  // namespace
}  // namespace quire
