#include "transport/replacement.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "quire/base/error.hpp"
#include "transport/pattern.hpp"

namespace quire::replacement_test {
namespace {

namespace files = std::filesystem;

/// The objects with a name: the texts of all their files.
using Texts = std::map<std::string, std::string>;

/// A file, a set of files or a directory, with the names next to or below its first name.
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

  [[nodiscard]] static std::string text_of(const files::path& path) {
    std::ifstream stream(path);
    return {std::istreambuf_iterator<char>(stream), {}};
  }

  /// The old one in place, the complete new one next to it.
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
      texts[files::relative(entry.path(), home_).string()] = text_of(entry.path());
    }
    return texts;
  }

  /// The same without the names of a replacement.
  [[nodiscard]] Texts in_place() const {
    Texts there = found();
    std::erase_if(there, [](const auto& entry) { return entry.first.find(".quire-") != std::string::npos; });
    return there;
  }

  files::path home_;
};

TEST_P(ReplacementTest, TheNewOneTakesThePlace) {
  begin();
  carry_out(replacement_acts(target()));
  EXPECT_EQ(found(), GetParam().new_one);
  EXPECT_TRUE(finishing_acts(target()).empty());
}

/// The same if the system cannot exchange two names.
std::vector<ReplacementAct> without_exchange(const std::vector<ReplacementAct>& acts) {
  std::vector<ReplacementAct> plain;
  for (const ReplacementAct& act : acts) {
    if (const auto* exchange = std::get_if<ExchangeAct>(&act)) {
      for (const RenameAct& move : renames_instead(*exchange)) plain.emplace_back(move);
    } else {
      plain.push_back(act);
    }
  }
  return plain;
}

std::vector<ReplacementAct> as_they_are(const std::vector<ReplacementAct>& acts) { return acts; }

std::vector<ReplacementAct> first_of(std::vector<ReplacementAct> acts, std::size_t count) {
  acts.resize(count);
  return acts;
}

/// The number of actions until the new one is valid: the rename of the whole staging directory decides.
std::size_t deciding(const std::vector<ReplacementAct>& acts) {
  const auto rename =
      std::ranges::find_if(acts, [](const ReplacementAct& act) { return std::holds_alternative<RenameAct>(act); });
  return static_cast<std::size_t>(rename - acts.begin()) + 1;
}

TEST_P(ReplacementTest, OneOfThemIsWholeAfterAKillAtAnyMoment) {
  for (const auto& acting : {as_they_are, without_exchange}) {
    begin();
    const auto acts = acting(replacement_acts(target()));
    for (std::size_t kill = 0; kill <= acts.size(); ++kill) {
      begin();
      carry_out(first_of(acts, kill));
      const std::size_t finishing = acting(finishing_acts(target())).size();
      for (std::size_t second = 0; second <= finishing; ++second) {
        begin();
        carry_out(first_of(acts, kill));
        carry_out(first_of(acting(finishing_acts(target())), second));
        carry_out(finishing_acts(target()));
        EXPECT_EQ(found(), kill < deciding(acts) ? GetParam().old_one : GetParam().new_one) << kill << " " << second;
        EXPECT_TRUE(finishing_acts(target()).empty()) << kill << " " << second;
      }
    }
  }
}

TEST_P(ReplacementTest, NeverShowsAFirstFileWithOtherMembers) {
  for (const auto& acting : {as_they_are, without_exchange}) {
    begin();
    const auto acts = acting(replacement_acts(target()));
    for (std::size_t kill = 0; kill <= acts.size(); ++kill) {
      begin();
      carry_out(first_of(acts, kill));
      const Texts there = in_place();
      if (there.contains("beam") || there.contains("beam/info")) {
        EXPECT_TRUE(there == GetParam().old_one || there == GetParam().new_one) << kill;
      }
    }
  }
}

TEST_P(ReplacementTest, TheTargetAlwaysExistsUnlessManyFilesMove) {
  if (GetParam().name != "file" && GetParam().name != "directory" && GetParam().name != "unfolded") return;
  begin();
  const auto acts = replacement_acts(target());
  for (std::size_t kill = 0; kill <= acts.size(); ++kill) {
    begin();
    carry_out(first_of(acts, kill));
    EXPECT_TRUE(in_place() == GetParam().old_one || in_place() == GetParam().new_one) << kill;
  }
}

TEST_P(ReplacementTest, AReaderFindsAllFilesOfOneOfThemAtAnyMoment) {
  begin();
  const auto acts = replacement_acts(target());
  for (std::size_t kill = 0; kill <= acts.size(); ++kill) {
    begin();
    carry_out(first_of(acts, kill));
    const files::path first = where_it_is(target());
    if (GetParam().old_one.empty() && kill < deciding(acts)) continue;
    ASSERT_TRUE(files::exists(first)) << kill;
    if (files::is_directory(first)) continue;
    const bool is_old = text_of(first) == "old";
    for (const auto& [name, text] : is_old ? GetParam().old_one : GetParam().new_one) {
      EXPECT_EQ(text_of(where_it_is((first.parent_path() / name).string())), text) << kill << " " << name;
    }
  }
}

TEST_P(ReplacementTest, IgnoresAnOldMark) {
  begin();
  if (!files::is_directory(target())) return;
  const auto acts = replacement_acts(target());
  for (std::size_t kill = 0; kill <= acts.size(); ++kill) {
    begin();
    write(home_, {{"beam/.quire-new", ""}});
    const auto with_mark = replacement_acts(target());
    carry_out(first_of(with_mark, std::min(kill, with_mark.size())));
    carry_out(finishing_acts(target()));
    Texts there = found();
    there.erase("beam/.quire-new");
    EXPECT_EQ(there, kill < deciding(with_mark) ? GetParam().old_one : GetParam().new_one) << kill;
  }
}

TEST_P(ReplacementTest, MembersOfALargerSetGoAndPermissionsStay) {
  begin();
  // Names in a directory have another meaning.
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

TEST(TargetTest, HasANameThatAllowsASuffix) {
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
}  // namespace quire::replacement_test
