// How often ranks open files and query directories. No test here names a format.

#include <dlfcn.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cstdarg>
#include <cstring>
#include <iterator>

#include "checkpoint/mesh.hpp"
#include "quire/quire.hpp"
#include "support/environment.hpp"
#include "support/sample.hpp"

namespace {

/// The system calls of this process on files below a folder, once it is set.
struct Calls {
  std::string folder;
  std::uint64_t opened = 0;
  std::uint64_t looked = 0;  ///< whether a name exists, and its type
  std::uint64_t listed = 0;  ///< all names of a directory

  [[nodiscard]] bool concerns(const char* path) const {
    return !folder.empty() && std::strncmp(path, folder.c_str(), folder.size()) == 0;
  }
};

Calls& calls() {
  static Calls all;
  return all;
}

/// The system's function that a function of this program replaces.
template <class Function>
Function* original(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

void count_opening(const char* path, int flags) {
  if (calls().concerns(path)) ++((flags & O_DIRECTORY) != 0 ? calls().listed : calls().opened);
}

mode_t mode_of(int flags, va_list arguments) {
  return (flags & (O_CREAT | O_TMPFILE)) != 0 ? static_cast<mode_t>(va_arg(arguments, unsigned int)) : 0;
}

int look_as(const char* name, const char* path, struct stat* out) {
  if (calls().concerns(path)) ++calls().looked;
  return original<int(const char*, struct stat*)>(name)(path, out);
}

}  // namespace

// Libraries find these before those of the system because they are not hidden.
extern "C" {
[[gnu::visibility("default")]] int open(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = mode_of(flags, arguments);
  va_end(arguments);
  count_opening(path, flags);
  return original<int(const char*, int, ...)>("open")(path, flags, mode);
}
[[gnu::visibility("default")]] int openat(int directory, const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = mode_of(flags, arguments);
  va_end(arguments);
  count_opening(path, flags);
  return original<int(int, const char*, int, ...)>("openat")(directory, path, flags, mode);
}
[[gnu::visibility("default")]] int stat(const char* path, struct stat* out) noexcept {
  return look_as("stat", path, out);
}
[[gnu::visibility("default")]] int lstat(const char* path, struct stat* out) noexcept {
  return look_as("lstat", path, out);
}
}

namespace quire::test::elements_calls_test {
namespace {

constexpr std::uint32_t elements = 24;

std::vector<Variant> variants_of_elements() {
  std::vector<const Format*> chosen;
  std::ranges::copy_if(formats(), std::back_inserter(chosen), &Format::holds_elements);
  return variants_of(chosen);
}

/// Calls of rank 0, and the most calls of any other rank.
struct Counted {
  std::array<std::uint64_t, 3> root;
  std::array<std::uint64_t, 3> others;
};

template <class Work>
Counted counted(Comm& comm, Work&& work) {
  calls() = {.folder = path("")};
  work();
  const std::array<std::uint64_t, 3> mine{calls().opened, calls().looked, calls().listed};
  calls().folder.clear();
  std::array<std::uint64_t, 6> all{};
  std::ranges::copy(mine, all.begin() + (comm.is_root() ? 0 : 3));
  comm.maximum(all);
  return {{all[0], all[1], all[2]}, {all[3], all[4], all[5]}};
}

class ElementCalls : public testing::TestWithParam<Variant> {};

/// The calls of all ranks of a communicator that write a checkpoint and then read it.
struct Checkpoint {
  Counted writing;
  Counted reading;
};

Checkpoint write_and_read(Comm& comm, const std::string& file, const WriteOptions& options) {
  checkpoint::Mesh mesh(elements, comm.rank(), comm.size() + 1);  // every rank has elements
  mesh.advance(0.375);
  const Counted writing = counted(comm, [&] {
    Writer out = create(file, comm, options);
    WriteStep step = out.step(0);
    const auto parts = mesh.parts();
    put_elements(step, parts);
    step.commit();
    out.close();
  });
  const Counted reading = counted(comm, [&] {
    Reader in = quire::open(file, comm);
    ElementRequest request;
    request.ids = checkpoint::wanted_ids(elements, comm.rank(), comm.size());
    static_cast<void>(in.at(0).read_elements_all(request));
    in.close();
  });
  return {writing, reading};
}

TEST_P(ElementCalls, DoNotGrowWithTheRanks) {
  Comm world = everyone();
  world.set_deadline(std::chrono::seconds(40));
  const std::string file = path("calls_" + GetParam().name());
  const bool is_among_few = world.rank() < 2;
  Comm some = world.split(is_among_few ? 0 : 1, world.rank());
  Checkpoint few{};
  if (is_among_few) few = write_and_read(some, file + "_few", GetParam().new_file_options());
  const Checkpoint many = write_and_read(world, file + "_many", GetParam().new_file_options());
  if (!is_among_few) return;
  for (const Counted& one : {few.writing, few.reading}) {
    EXPECT_GT(one.root[0], 0U) << "nothing was counted";
    EXPECT_GT(one.root[1], 0U) << "nothing was counted";
    if (world.size() > 1) {
      EXPECT_GT(one.others[0], 0U) << "nothing was counted";
    }
  }
  const auto more_ranks = static_cast<std::uint64_t>(world.size() - some.size());
  for (std::size_t what = 0; what < 3; ++what) {
    EXPECT_LE(many.writing.others[what], few.writing.others[what]) << "writing, call " << what;
    EXPECT_LE(many.writing.root[what], few.writing.root[what]) << "writing, call " << what;
    // The parts of a smaller share, and one more where two shares overlap.
    EXPECT_LE(many.reading.others[what], few.reading.others[what] + 2) << "reading, call " << what;
    // The rank that describes a directory opens every part once, and may read some.
    EXPECT_LE(many.reading.root[what], few.reading.root[what] + 2 * more_ranks) << "reading, call " << what;
  }
}

const auto name_of = [](const auto& chosen) { return chosen.param.name(); };
INSTANTIATE_TEST_SUITE_P(Formats, ElementCalls, testing::ValuesIn(variants_of_elements()), name_of);

}  // namespace
}  // namespace quire::test::elements_calls_test
