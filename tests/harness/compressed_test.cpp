// Compressed files of every format: written on any ranks with the same bytes, read on any ranks, and complete or
// absent.

#include <gtest/gtest.h>

#include <filesystem>

#include "quire/quire.hpp"
#include "support/environment.hpp"
#include "support/sample.hpp"
#include "transport/faulty.hpp"

namespace quire::test::compressed_test {
namespace {

constexpr std::uint64_t rows = 200;

class Compressed : public testing::TestWithParam<const Format*> {
 protected:
  [[nodiscard]] std::string file(const std::string& stem, const std::string& suffix) const {
    return path(stem + std::string(GetParam()->suffixes.front()) + suffix);
  }

  [[nodiscard]] WriteOptions options() const {
    WriteOptions options;
    options.transport = transport();
    return options;
  }

  void write(Writer& out, std::int64_t steps) const {
    Sample sample(*GetParam(), rows);
    for (std::int64_t number = 0; number < possible_steps(*GetParam(), steps); ++number) {
      WriteStep step = out.step(number);
      sample.fill(step, number, slice(Spread::even, rows, out.comm()));
      step.commit();
    }
  }

  void expect_steps(const std::string& name, Comm& comm, std::int64_t wanted, const std::string& compression) const {
    const auto steps = static_cast<std::uint64_t>(possible_steps(*GetParam(), wanted));
    Sample sample(*GetParam(), rows);
    ReadOptions reading;
    reading.transport = transport();
    Reader in = open(name, comm, reading);
    ASSERT_EQ(in.size(), steps);
    EXPECT_EQ(in.check().damage, std::nullopt);
    EXPECT_EQ(in.description().layout.back().value, compression);
    for (std::uint64_t i = steps; i-- > 0;) {
      EXPECT_EQ(sample.difference(in.at(i), slice(Spread::even, rows, comm)), "") << i;
    }
    in.close();
  }
};

TEST_P(Compressed, IsWrittenAndReadOnAnyRanks) {
  Comm comm = everyone();
  comm.set_deadline(std::chrono::seconds(60));
  for (const auto& [suffix, compression] :
       {std::pair{".gz", "gzip"}, std::pair{".xz", "xz"}, std::pair{".lzma", "xz"}}) {
    SCOPED_TRACE(suffix);
    const std::string name = file("together", suffix);
    Writer out = create(name, comm, options());
    write(out, 3);
    EXPECT_EQ(out.schema().tables.size(), 1U);
    out.close();
    comm.barrier();
    EXPECT_FALSE(std::filesystem::exists(name + ".plain"));
    EXPECT_FALSE(std::filesystem::exists(name + ".compressed"));
    expect_steps(name, comm, 3, compression);
    if (comm.is_root()) {
      const std::string alone = file("alone", suffix);
      Writer serial = create(alone, Comm::self());
      write(serial, 3);
      serial.close();
      EXPECT_TRUE(bytes_of(alone) == bytes_of(name));
    }
    comm.barrier();
  }
}

TEST_P(Compressed, OptionsTakePrecedenceOverTheName) {
  Comm comm = everyone();
  WriteOptions chosen = options();
  chosen.options = {{"compression", "xz"}, {"compression_level", "0"}};
  const std::string name = file("chosen", ".gz");
  Writer out = create(name, comm, chosen);
  write(out, 1);
  out.close();
  comm.barrier();
  expect_steps(name, comm, 1, "xz");
  chosen.options = {{"compression", "none"}};
  Writer plain = create(name, comm, chosen);
  write(plain, 1);
  plain.close();
  comm.barrier();
  EXPECT_NE(bytes_of(name).substr(0, 2), "\x1f\x8b");
  for (const Options& wrong :
       {Options{{"compression", "zip"}}, Options{{"compression_level", "10"}}, Options{{"compression_level", "-1"}}}) {
    chosen.options = wrong;
    EXPECT_THROW(static_cast<void>(create(name, comm, chosen)), Error);
  }
}

TEST_P(Compressed, DifferentOptionsOnRanksFailOnAll) {
  Comm comm = everyone();
  if (comm.size() == 1) GTEST_SKIP() << "needs ranks";
  comm.set_deadline(std::chrono::seconds(60));
  WriteOptions chosen = options();
  if (comm.rank() == 1) chosen.options = {{"compression", "gzip"}};
  EXPECT_THROW(static_cast<void>(create(file("differently", ""), comm, chosen)), Error);
}

TEST_P(Compressed, CannotBeChangedInPlace) {
  Comm comm = everyone();
  const std::string name = file("unchanged", ".gz");
  Writer out = create(name, comm, options());
  write(out, 1);
  out.close();
  comm.barrier();
  const auto kind_of = [](const std::function<void()>& action) {
    try {
      action();
    } catch (const Error& error) {
      return error.kind();
    }
    return ErrorKind::internal;
  };
  EXPECT_EQ(kind_of([&] { static_cast<void>(append(name, comm, {}, Later::refuse, options())); }),
            ErrorKind::unsupported);
  comm.barrier();
  EXPECT_EQ(kind_of([&] { static_cast<void>(repair(name, comm)); }), ErrorKind::unsupported);
}

TEST_P(Compressed, TheOldFileStaysUntilTheNewOneIsComplete) {
  Comm comm = everyone();
  comm.set_deadline(std::chrono::seconds(60));
  const std::string name = file("replaced", ".gz");
  Writer first = create(name, comm, options());
  write(first, 1);
  first.close();
  comm.barrier();
  const std::string before = bytes_of(name);
  comm.barrier();
  for (const std::uint64_t after : {0, 10}) {
    SCOPED_TRACE(after);
    WriteOptions failing = options();
    failing.wrapper = [&](std::unique_ptr<Transport> inner, const std::string& opened, int mine) {
      if (mine != 0 || !opened.ends_with(".compressed")) return inner;
      return faulty(std::move(inner), {.after_bytes = after, .error_number = 28});
    };
    Writer out = create(name, comm, failing);
    write(out, 2);
    EXPECT_EQ(bytes_of(name), before);
    try {
      out.close();
      FAIL() << "no error";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::io) << error.what();
      EXPECT_EQ(error.rank(), comm.size() > 1 ? std::optional(0) : std::nullopt) << error.what();
      EXPECT_NE(error.advice().find(name + ".plain"), std::string::npos) << error.what();
    }
    comm.barrier();
    EXPECT_EQ(bytes_of(name), before);
    EXPECT_FALSE(std::filesystem::exists(name + ".compressed"));
    EXPECT_EQ(open(name + ".plain", comm).size(), static_cast<std::uint64_t>(possible_steps(*GetParam(), 2)));
    comm.barrier();
  }
  Writer out = create(name, comm, options());
  write(out, 2);
  out.close();
  comm.barrier();
  EXPECT_FALSE(std::filesystem::exists(name + ".plain"));
  expect_steps(name, comm, 2, "gzip");
}

TEST_P(Compressed, ASecondWriterIsRefused) {
  Comm comm = everyone();
  const std::string name = file("twice", ".gz");
  Writer first = create(name, comm, options());
  EXPECT_THROW(static_cast<void>(create(name, comm, options())), Error);
  write(first, 1);
  first.close();
}

INSTANTIATE_TEST_SUITE_P(Formats, Compressed, testing::ValuesIn(formats_of_tables()),
                         [](const auto& chosen) { return std::string(chosen.param->name); });

}  // namespace
}  // namespace quire::test::compressed_test
