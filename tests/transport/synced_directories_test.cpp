// A directory becomes durable by a sync of its parent: this program records every sync of the process.

#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <set>
#include <string>

#include "quire/format/format.hpp"
#include "quire/quire.hpp"
#include "quire/spi/format/planner_capabilities.hpp"
#include "transport/file_system.hpp"
#include "transport/pattern.hpp"
#include "transport/replacement.hpp"

namespace {

namespace files = std::filesystem;

/// The paths that were synced, by name of the last component.
std::set<std::string>& synced() {
  static std::set<std::string> names;
  return names;
}

}  // namespace

/// Replaces fsync of the system.
extern "C" int fsync(int descriptor) {
  std::error_code code;
  const auto path = files::read_symlink("/proc/self/fd/" + std::to_string(descriptor), code);
  if (!code) synced().insert(path.filename().string());
  return static_cast<int>(syscall(SYS_fsync, descriptor));
}

namespace quire::synced_directories_test {
namespace {

using Names = std::set<std::string>;

class SyncedDirectories : public testing::Test {
 protected:
  SyncedDirectories()
      : home_(test::scratch(std::string("synced_") + testing::UnitTest::GetInstance()->current_test_info()->name())) {
    files::remove_all(home_);
    files::create_directories(home_ / "home");
    synced().clear();
  }

  [[nodiscard]] std::string below(const std::string& name) const { return (home_ / "home" / name).string(); }

 private:
  files::path home_;
};

TEST_F(SyncedDirectories, ADirectoryThatIsMadeIsSyncedInTheOneAbove) {
  make_directory(below("a"), true);
  EXPECT_TRUE(files::is_directory(below("a")));
  EXPECT_EQ(synced(), Names{"home"});
  synced().clear();
  make_directory(below("a/b/"), true);
  EXPECT_EQ(synced(), Names{"a"});
  synced().clear();
  make_directory(below("a/b"), true);
  make_directory(below("e"), false);
  EXPECT_EQ(synced(), Names{});
}

TEST_F(SyncedDirectories, ADirectoryThatCannotBeMadeIsNamed) {
  for (const std::string& path : {std::string("/proc/self/fd/a"), below("no/a")}) {
    try {
      make_directory(path, true);
      FAIL();
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::io);
      EXPECT_EQ(error.file(), path);
    }
  }
}

TEST_F(SyncedDirectories, NothingIsWrittenToADirectoryThatIsMissing) {
  require_parent("beam");
  require_parent("/beam");
  require_parent(below("beam"));
  require_parent(below("beam/"));
  EXPECT_THROW(require_parent(below("no/beam")), Error);
  EXPECT_THROW(begin_staging(below("no/beam")), Error);
  EXPECT_FALSE(files::exists(below("no")));
}

TEST_F(SyncedDirectories, ADirectoryOfStagedFilesIsSynced) {
  begin_staging(below("beam"));
  EXPECT_EQ(synced(), Names{"home"});
}

bool makes_directory(const Format& format, const Options& options) {
  try {
    const auto planner = format.plan_writing(CheckedOptions(format.write_options, options));
    const FileSetNames* const set = planner->capabilities().file_set;
    return set != nullptr && !set->entry().empty();
  } catch (const Error&) {
    return false;  // it has no effect alone
  }
}

/// Formats and options that create a directory.
std::vector<WriteOptions> directories() {
  std::vector<WriteOptions> all;
  for (const Format* format : formats()) {
    for (const Option& option : format->write_options) {
      for (const auto& choice : option.choices) {
        const Options chosen{{std::string(option.name), std::string(choice)}};
        if (!makes_directory(*format, chosen)) continue;
        WriteOptions& options = all.emplace_back();
        options.format = format->name;
        options.options = chosen;
      }
    }
  }
  return all;
}

TEST_F(SyncedDirectories, ADurableWriterSyncsTheDirectoryThatItMakesForItsFiles) {
  const std::vector<WriteOptions> all = directories();
  ASSERT_FALSE(all.empty());
  for (std::size_t i = 0; i < all.size(); ++i) {
    WriteOptions options = all[i];
    const std::string name = std::to_string(i);
    for (const bool durable : {true, false}) {
      synced().clear();
      options.durable = durable;
      static_cast<void>(create(below((durable ? "kept" : "lost") + name), Comm::self(), options));
      EXPECT_EQ(synced(), (durable ? Names{"home"} : Names{}));
      EXPECT_THROW(static_cast<void>(create(below("no/run"), Comm::self(), options)), Error);
      EXPECT_FALSE(files::exists(below("no")));
    }
    synced().clear();
    options.options["replacement"] = "whole";
    static_cast<void>(create(below("whole" + name), Comm::self(), options));
    EXPECT_EQ(synced(), (Names{"home", "whole" + name + ".quire-partial"}));
  }
}

}  // namespace
}  // namespace quire::synced_directories_test
