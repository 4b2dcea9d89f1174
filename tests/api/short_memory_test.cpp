// A rank that runs out of memory while it plans a read still takes part: the others get their values.

#include <gtest/gtest.h>

#include <cstdlib>
#include <new>
#include <numeric>
#include <vector>

#include "quire/quire.hpp"
#include "support/environment.hpp"
#include "support/sample.hpp"

namespace {

/// Allocations of at least this size fail; 0: none.
std::size_t& refused_from() {
  static std::size_t bytes = 0;
  return bytes;
}

}  // namespace

// Not inlined: the compiler warns about free() of memory from its own new.
[[gnu::noinline]] void* operator new(std::size_t bytes) {
  const bool is_refused = refused_from() != 0 && bytes >= refused_from();
  if (void* memory = is_refused ? nullptr : std::malloc(bytes == 0 ? 1 : bytes)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  return std::malloc(bytes == 0 ? 1 : bytes);
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace quire::test::short_memory_test {
namespace {

class ShortMemory : public testing::TestWithParam<const Format*> {};

TEST_P(ShortMemory, OneRankWithoutMemoryForItsPlanDoesNotHoldUpTheOthers) {
  Comm comm = everyone();
  ASSERT_GT(comm.size(), 1);
  comm.set_deadline(std::chrono::seconds(60));
  const std::string file = path("short_memory_" + std::string(GetParam()->name));
  const std::uint64_t rows = 1000;
  std::vector<double> x(rows);
  std::iota(x.begin(), x.end(), 0.0);
  WriteOptions written;
  written.format = GetParam()->name;
  Writer out = create(file, comm, written);
  WriteStep step = out.step(0);
  const Slice mine = slice(Spread::even, rows, comm);
  step.put("x", std::span(x).subspan(mine.first, mine.count));
  step.commit();
  out.close();

  ReadOptions options;
  options.transport = transport();
  Reader in = open(file, comm, options);
  const ReadStep read = in.step(0);
  const bool is_last = comm.rank() == comm.size() - 1;
  // Backwards: sorting the list needs memory.
  std::vector<std::uint64_t> backwards(rows);
  std::iota(backwards.rbegin(), backwards.rend(), std::uint64_t{0});
  const RowSelection wanted(std::move(backwards));
  std::vector<double> values(rows);
  std::optional<Error> error;
  refused_from() = is_last ? rows * sizeof(std::uint64_t) : 0;
  try {
    read.read_all("", wanted, {{"x", View(std::span(values))}});
  } catch (const Error& caught) {
    error = caught;
  }
  refused_from() = 0;
  comm.barrier();
  ASSERT_TRUE(error);
  EXPECT_EQ(error->kind(), ErrorKind::memory) << error->what();
  EXPECT_EQ(error->rank(), comm.size() - 1) << error->what();
  EXPECT_EQ(error->file(), file) << error->what();
  in.close();
}

INSTANTIATE_TEST_SUITE_P(Formats, ShortMemory, testing::ValuesIn(formats_of_tables()),
                         [](const auto& chosen) { return std::string(chosen.param->name); });

}  // namespace
}  // namespace quire::test::short_memory_test
