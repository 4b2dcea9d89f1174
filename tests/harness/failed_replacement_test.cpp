// System calls that fail while a checkpoint replaces another one, for every format of elements: the error states where
// each of the two is, and neither is lost.

#include <dlfcn.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/capability.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "checkpoint/mesh.hpp"
#include "quire/quire.hpp"
#include "support/environment.hpp"
#include "support/sample.hpp"

namespace {

/// The calls that fail from now on.
struct Faults {
  int renames = 0;        ///< the number of renames that succeed before one fails; none fails below 0
  int calls = -1;         ///< the number of calls that change names before the process is killed in one
  bool removals = false;  ///< of files that a replacement leaves next to the target
  int exchange = 0;       ///< the errno of exchanges, 0 if they succeed
  int exchanges = 0;      ///< the number of exchanges that failed
};

Faults& faults() {
  static Faults all{.renames = -1};
  return all;
}

/// The system's function that a function of this program replaces.
template <class Function>
Function* original(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

bool is_left_over(const char* path) {
  return std::strstr(path, ".quire-ready") != nullptr || std::strstr(path, ".quire-previous") != nullptr ||
         std::strstr(path, ".quire-left") != nullptr;
}

int fail(int error = EIO) {
  errno = error;
  return -1;
}

/// Kills the process in the place of a call that changes names, when its turn comes.
void die_if_due() {
  if (faults().calls >= 0 && faults().calls-- == 0) _exit(0);
}

}  // namespace

// Libraries find these before those of the system because they are not hidden.
extern "C" {
[[gnu::visibility("default")]] int rename(const char* from, const char* to) noexcept {
  die_if_due();
  if (faults().renames >= 0 && faults().renames-- == 0) return fail();
  return original<int(const char*, const char*)>("rename")(from, to);
}
[[gnu::visibility("default")]] int renameat2(int from_directory, const char* from, int to_directory, const char* to,
                                             unsigned int flags) noexcept {
  die_if_due();
  if (faults().renames >= 0 && faults().renames-- == 0) return fail();
  if (faults().exchange != 0) {
    ++faults().exchanges;
    return fail(faults().exchange);
  }
  return original<int(int, const char*, int, const char*, unsigned int)>("renameat2")(from_directory, from,
                                                                                      to_directory, to, flags);
}
[[gnu::visibility("default")]] int remove(const char* path) noexcept {
  die_if_due();
  if (faults().removals && is_left_over(path)) return fail();
  return original<int(const char*)>("remove")(path);
}
[[gnu::visibility("default")]] int unlinkat(int directory, const char* path, int flags) noexcept {
  die_if_due();
  if (faults().removals && is_left_over(path)) return fail();
  return original<int(int, const char*, int)>("unlinkat")(directory, path, flags);
}
}

namespace quire::test::failed_replacement_test {
namespace {

namespace files = std::filesystem;

constexpr std::uint32_t elements = 12;

std::vector<Variant> variants_of_elements() {
  std::vector<Variant> all;
  for (const Format* format : formats()) {
    if (!format->holds_elements) continue;
    std::size_t index = 0;
    for (const Options& options : format->writing_variants) all.push_back({format, options, index++});
  }
  return all;
}

class FailedReplacement : public testing::TestWithParam<Variant> {
 protected:
  FailedReplacement()
      : home_(path("failed_" + GetParam().name() + "_" +
                   std::to_string(testing::UnitTest::GetInstance()->current_test_info()->line()))),
        path_((home_ / "case").string()) {
    clear();
  }

  void clear() {
    faults() = {.renames = -1};
    files::remove_all(home_);
    files::create_directory(home_);
  }

  /// Writes a checkpoint of this time. Returns the error, if any; `remarks` receives the remarks of the writer.
  std::optional<Error> write(double time, bool keeps_sums = false) {
    checkpoint::Mesh mesh(elements, 0, 1);
    mesh.advance(time);
    const auto parts = mesh.parts();
    WriteOptions options = GetParam().write_options();
    options.options["checksums"] = keeps_sums ? "true" : "false";
    if (!replacement.empty()) options.options["replacement"] = replacement;
    Writer out = create(path_, Comm::self(), options);
    std::optional<Error> failure;
    try {
      WriteStep step = out.step(3);
      put_elements(step, parts);
      if (before_commit) before_commit();
      step.commit();
    } catch (const Error& error) {
      failure = error;
    }
    out.close();
    remarks = out.remarks();
    return failure;
  }

  /// Whether the path holds a whole checkpoint of this time.
  [[nodiscard]] bool holds(double time) const {
    Reader in = open(path_, Comm::self());
    ElementRequest request;
    request.ids = checkpoint::wanted_ids(elements, 0, 1);
    return checkpoint::right_elements(in.at(0).read_elements_all(request), time) == request.ids->size();
  }

  /// Writes a checkpoint with checksums in a child process, which is killed at this call that changes names. Returns
  /// true if it ended before.
  bool outlives(double time, int calls) {
    const pid_t child = fork();
    if (child == 0) {
      faults().calls = calls;
      _exit(write(time, true) ? 2 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) < 2) << status;
    return WEXITSTATUS(status) == 1;
  }

  /// Runs a question in a child process, which may drop privileges and mount.
  template <class Question>
  static bool is_true_in_child(Question&& question) {
    const pid_t child = fork();
    if (child == 0) {
      // The child must not return to the tests that follow.
      try {
        _exit(question() ? 0 : 1);
      } catch (const std::exception&) {
        _exit(1);
      }
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }

  /// The administrator may write to write-protected directories.
  static void drop_privileges() {
    __user_cap_header_struct header{.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
    const std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3> none{};
    ASSERT_EQ(::syscall(SYS_capset, &header, none.data()), 0);
  }

  /// Whether two directories can be exchanged here.
  [[nodiscard]] bool can_exchange() const {
    const std::string one = (home_ / "one").string();
    const std::string other = (home_ / "other").string();
    files::create_directory(one);
    files::create_directory(other);
    const bool can = ::renameat2(AT_FDCWD, one.c_str(), AT_FDCWD, other.c_str(), RENAME_EXCHANGE) == 0;
    files::remove(one);
    files::remove(other);
    return can;
  }

  [[nodiscard]] bool has_sums() const { return files::exists(path_ + ".quire-sums"); }

  [[nodiscard]] auto leftovers() const {
    return std::distance(files::directory_iterator(home_), files::directory_iterator()) - 1;
  }

  /// The number of remarks that the new file is in its place.
  [[nodiscard]] auto remarks_of_place() const {
    return std::ranges::count_if(remarks, [this](const std::string& remark) {
      return remark.starts_with("the new file is in place, but something remains next to it: cannot remove " + path_);
    });
  }

  files::path home_;
  std::string path_;
  std::string replacement;  ///< the option, if it is given
  std::function<void()> before_commit;
  std::vector<std::string> remarks;
};

TEST_P(FailedReplacement, StatesWhereEachFileIs) {
  std::set<bool> seen;
  for (int renames = 0;; ++renames) {
    clear();
    ASSERT_FALSE(write(1.0));
    faults().renames = renames;
    const auto failure = write(2.0);
    faults().renames = -1;
    if (!failure) break;
    EXPECT_EQ(failure->kind(), ErrorKind::io);
    EXPECT_EQ(failure->file(), path_) << failure->what();
    const bool is_complete =
        failure->advice().find("quire recover " + path_ + " --in-place finishes it") != std::string::npos;
    seen.insert(is_complete);
    EXPECT_EQ(finish_replacement(path_, Comm::self()), is_complete) << failure->what();
    EXPECT_NE(failure->advice().find("the path is unchanged") != std::string::npos, is_complete) << failure->what();
    EXPECT_TRUE(holds(is_complete ? 2.0 : 1.0)) << renames;
    EXPECT_EQ(leftovers(), 0) << renames;
    EXPECT_FALSE(write(3.0));
    EXPECT_TRUE(holds(3.0));
  }
  EXPECT_EQ(seen, (std::set<bool>{false, true}));
  EXPECT_TRUE(holds(2.0));
}

TEST_P(FailedReplacement, IsNoErrorIfOnlyCleanupFails) {
  ASSERT_FALSE(write(1.0));
  EXPECT_EQ(remarks_of_place(), 0);
  faults().removals = true;
  const auto failure = write(2.0);
  faults().removals = false;
  EXPECT_FALSE(failure) << failure->what();
  EXPECT_TRUE(holds(2.0));
  EXPECT_GE(remarks_of_place(), 1);
  EXPECT_TRUE(finish_replacement(path_, Comm::self()));
  EXPECT_EQ(leftovers(), 0);
  EXPECT_TRUE(holds(2.0));
}

TEST_P(FailedReplacement, DoesNotBlockLaterOnesIfCleanupKeepsFailing) {
  ASSERT_FALSE(write(1.0));
  faults().removals = true;
  for (double time = 2.0; time < 6.0; ++time) {
    const auto failure = write(time);
    EXPECT_FALSE(failure) << failure->what();
    EXPECT_TRUE(holds(time));
    EXPECT_GE(remarks_of_place(), 1) << time;
    EXPECT_NO_THROW(finish_replacement(path_, Comm::self()));
    EXPECT_TRUE(holds(time));
  }
  faults().removals = false;
  EXPECT_TRUE(finish_replacement(path_, Comm::self()));
  EXPECT_EQ(leftovers(), 0);
  EXPECT_TRUE(holds(5.0));
}

TEST_P(FailedReplacement, IsNoErrorIfOutdatedFilesCannotBeRemoved) {
  for (const std::string name : {".quire-partial", ".quire-previous"}) {
    clear();
    ASSERT_FALSE(write(1.0));
    files::create_directory(path_ + name);
    std::ofstream(path_ + name + "/other.quire-previous") << "of a writer that was killed";
    faults().removals = true;
    const auto failure = write(2.0);
    faults().removals = false;
    EXPECT_FALSE(failure) << failure->what();
    EXPECT_TRUE(holds(2.0));
  }
}

TEST_P(FailedReplacement, IsRefusedBeforeAnyChangeInAWriteProtectedDirectory) {
  ASSERT_FALSE(write(1.0));
  if (!files::is_directory(path_)) return;
  constexpr auto may_read = files::perms::owner_read | files::perms::owner_exec;
  const auto protect = [&] { files::permissions(path_, may_read); };
  const auto is_refused = [&] {
    drop_privileges();
    std::optional<Error> failure;
    try {
      failure = write(2.0);
    } catch (const Error& error) {
      failure = error;
    }
    return failure && failure->file() == path_ && failure->message().find("may not be written") != std::string::npos &&
           failure->advice().find("chmod") != std::string::npos;
  };
  for (const std::string choice : {"suited", "whole"}) {
    replacement = choice;
    before_commit = {};
    protect();
    EXPECT_TRUE(is_true_in_child(is_refused)) << choice;
    files::permissions(path_, files::perms::owner_all);
    before_commit = protect;
    EXPECT_TRUE(is_true_in_child(is_refused)) << choice;
    EXPECT_TRUE(holds(1.0));
    EXPECT_EQ(leftovers(), 0);
    files::permissions(path_, files::perms::owner_all);
  }
}

TEST_P(FailedReplacement, IsNotTriedOnAMountPoint) {
  const auto has_mounted = [&] {
    return ::unshare(CLONE_NEWNS) == 0 && ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
           ::mount(path_.c_str(), path_.c_str(), nullptr, MS_BIND, nullptr) == 0;
  };
  ASSERT_FALSE(write(1.0));
  if (!is_true_in_child(has_mounted)) GTEST_SKIP() << "only the administrator may mount";
  const auto is_refused = [&] {
    replacement = "whole";
    try {
      return has_mounted() && write(2.0) && false;
    } catch (const Error& error) {
      return error.kind() == ErrorKind::conflict && error.advice().find("replacement=direct") != std::string::npos;
    }
  };
  EXPECT_TRUE(is_true_in_child(is_refused));
  EXPECT_EQ(leftovers(), 0);
  EXPECT_TRUE(holds(1.0));
  EXPECT_TRUE(is_true_in_child([&] { return has_mounted() && !write(2.0); }));
  EXPECT_EQ(leftovers(), 0);
  EXPECT_TRUE(holds(2.0));
}

TEST_P(FailedReplacement, IsNoErrorIfTheSystemCannotExchange) {
  for (const int error : {ENOSYS, EINVAL, EOPNOTSUPP, ENOTSUP, EPERM}) {
    clear();
    ASSERT_FALSE(write(1.0));
    faults().exchange = error;
    const auto failure = write(2.0);
    EXPECT_FALSE(failure) << std::strerror(error);
    EXPECT_EQ(faults().exchanges > 0, files::is_directory(path_));
    EXPECT_TRUE(holds(2.0));
    EXPECT_EQ(leftovers(), 0);
    faults().exchange = EIO;
    EXPECT_EQ(write(3.0).has_value(), files::is_directory(path_));
  }
}

TEST_P(FailedReplacement, LeavesAWholeFileWithoutForeignChecksumsAfterAKill) {
  const bool stays = can_exchange();
  bool ends = false;
  bool is_new_with_sums = false;
  int calls = 0;
  for (; !ends; ++calls) {
    clear();
    ASSERT_FALSE(write(1.0, true));
    ends = outlives(2.0, calls);
    const bool is_decided = files::exists(path_ + ".quire-ready");
    const bool is_there = files::exists(path_);
    EXPECT_TRUE(is_there || !stays) << calls;
    if (is_there) {
      EXPECT_FALSE(open(path_, Comm::self()).check().damage) << calls;
      EXPECT_TRUE(holds(1.0) || holds(2.0)) << calls;
      // While the new checkpoint may still be dropped, the old one keeps its checksums.
      EXPECT_TRUE(has_sums() || is_decided || !holds(1.0)) << calls;
      is_new_with_sums = holds(2.0) && has_sums();
    }
    finish_replacement(path_, Comm::self());
    EXPECT_FALSE(open(path_, Comm::self()).check().damage) << calls;
    EXPECT_TRUE(is_decided || ends ? holds(2.0) : holds(1.0) || holds(2.0)) << calls;
    EXPECT_EQ(has_sums(), holds(1.0) || is_new_with_sums) << calls;
    EXPECT_EQ(leftovers(), has_sums() ? 1 : 0) << calls;
  }
  EXPECT_TRUE(is_new_with_sums);
  // Otherwise the process was never killed: the calls above are not those that the library uses.
  EXPECT_GE(calls, 5);
}

TEST_P(FailedReplacement, KeepsChecksumsForEveryNameOfTheFile) {
  ASSERT_FALSE(write(1.0, true));
  const std::string real = path_;
  path_ = (home_ / "link").string();
  files::create_symlink("case", path_);
  EXPECT_FALSE(open(path_, Comm::self()).check().damage);
  ASSERT_FALSE(write(2.0));
  for (const std::string& name : {path_, real}) EXPECT_FALSE(open(name, Comm::self()).check().damage) << name;
  ASSERT_FALSE(write(3.0, true));
  path_ = real;
  ASSERT_FALSE(write(4.0));
  EXPECT_FALSE(open((home_ / "link").string(), Comm::self()).check().damage);
}

TEST(TestDirectory, IsNotTheCurrentDirectoryByDefault) {
  const std::string given = files::path(path("x")).parent_path().string();
  unsetenv("QUIRE_TEST_DIRECTORY");
  EXPECT_FALSE(files::equivalent(files::path(path("x")).parent_path(), "."));
  setenv("QUIRE_TEST_DIRECTORY", given.c_str(), 1);
}

INSTANTIATE_TEST_SUITE_P(Formats, FailedReplacement, testing::ValuesIn(variants_of_elements()),
                         [](const auto& chosen) { return chosen.param.name(); });

}  // namespace
}  // namespace quire::test::failed_replacement_test
