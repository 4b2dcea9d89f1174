// Other functions of the engine phdf5: settings, compressed files, and options that have no effect.

#include <gtest/gtest.h>

#include <filesystem>

#include "phdf5_files.hpp"
#include "quire/quire.hpp"
#include "support/environment.hpp"
#include "support/sample.hpp"

namespace quire::test {
namespace {

constexpr std::uint64_t rows = 23;

class Transfers : public testing::TestWithParam<std::string> {};

TEST_P(Transfers, CloseFilesWithoutSteps) {
  const Kind kind{"empty", "h5part", {}};
  write_file(path("empty.direct"), by_direct(kind), 0, {});
  write_file(path("empty." + GetParam()), by_phdf5(kind, GetParam()), 0, {});
  EXPECT_EQ(difference(path("empty." + GetParam()), path("empty.direct")), "");
}

TEST_P(Transfers, CompressTheWholeFile) {
  const Kind kind{"whole", "h5part", {{"compression", "gzip"}}};
  Comm comm = everyone();
  Sample sample(format_named(kind.format), rows);
  const auto mine = [&] { return slice(Spread::even, rows, comm); };
  write_file(path("whole.h5.gz"), by_phdf5(kind, GetParam()), 2,
             [&](WriteStep& step, std::int64_t number) { sample.fill(step, number, mine()); });
  Reader in = open(path("whole.h5.gz"), comm);
  EXPECT_EQ(in.size(), 2U);
  EXPECT_EQ(sample.difference(in.step(1), mine()), "");
  in.close();
}

/// Settings change how bytes are transferred, not the contents of the file.
TEST_P(Transfers, AcceptSettings) {
  Comm comm = everyone();
  const Kind kind{"knobs", "h5part", {}};
  Sample sample(format_named(kind.format), rows);
  const auto fill = [&](WriteStep& step, std::int64_t number) {
    sample.fill(step, number, slice(Spread::even, rows, comm));
  };
  write_file(path("knobs.direct"), by_direct(kind), 2, fill);
  const std::vector<Options> turned{{{"collective_metadata", "false"}},
                                    {{"metadata_block", "65536"}},
                                    {{"library_version", "v110"}},
                                    {{"hints", "romio_cb_write=disable,romio_ds_write=disable"}},
                                    {{"alignment", "512"}, {"alignment_threshold", "0"}}};
  for (const Options& knobs : turned) {
    WriteOptions options = by_phdf5(kind, GetParam());
    for (const auto& [name, value] : knobs) options.options[name] = value;
    options.durable = true;
    write_file(path("knobs." + GetParam()), options, 2, fill);
    EXPECT_EQ(difference(path("knobs." + GetParam()), path("knobs.direct")), "") << knobs.begin()->first;
  }
}

/// With a step, at the end, replaced, and none.
TEST_P(Transfers, WriteTheSameAttachments) {
  Comm comm = everyone();
  const Kind kind{"attached", "h5part", {}};
  const std::vector<double> values{1, 2};
  const std::vector<std::byte> some(3, std::byte{7});
  const std::vector<std::byte> more(5000, std::byte{9});
  const auto write = [&](const std::string& file, const WriteOptions& options) {
    Writer out = create(file, comm, options);
    out.attach("first", some);
    out.attach("empty", {});
    WriteStep step = out.step(0);
    step.put("x", values);
    step.commit();
    out.attach("last", some);
    out.close();
    Writer again = append(file, comm, {}, Later::refuse, options);
    again.attach("first", more, true);
    again.detach("last");
    EXPECT_THROW(again.attach("empty", some), Error);
    again.close();
  };
  write(path("attached.direct"), by_direct(kind));
  write(path("attached." + GetParam()), by_phdf5(kind, GetParam()));
  EXPECT_EQ(difference(path("attached." + GetParam()), path("attached.direct")), "");
  Reader in = open(path("attached." + GetParam()), comm);
  ASSERT_EQ(in.description().attachments.size(), 2U);
  EXPECT_EQ(in.attachment("first"), more);
  EXPECT_TRUE(in.attachment("empty").empty());
  in.close();
}

/// Attributes set after the last step, equal on all ranks or not: collective writers must not wait for ever.
TEST_P(Transfers, WriteLateAttributes) {
  Comm comm = everyone();
  const std::vector<double> values{1, 2};
  for (const char* format : {"h5part", "hdf5"}) {
    const Kind kind{"late", format, {}};
    const auto write = [&](const std::string& file, const WriteOptions& options, int own) {
      Writer out = create(file, comm, options);
      WriteStep step = out.step(0);
      step.put("x", values);
      step.commit();
      out.set("late", own);
      out.close();
    };
    write(path("late.direct"), by_direct(kind), 7);
    const std::string file = path("late." + GetParam());
    write(file, by_phdf5(kind, GetParam()), 7);
    EXPECT_EQ(difference(file, path("late.direct")), "") << format;
    if (comm.size() == 1) continue;
    try {
      write(file, by_phdf5(kind, GetParam()), comm.rank());
      ADD_FAILURE() << "the ranks do not agree";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::conflict) << error.what();
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Phdf5, Transfers, testing::Values("independent", "collective"),
                         [](const auto& chosen) { return chosen.param; });

void expect_usage(const std::function<void()>& action, const std::string& object) {
  try {
    action();
    ADD_FAILURE() << object << " was taken";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage) << error.what();
    EXPECT_NE(std::string(error.what()).find(object), std::string::npos) << error.what();
  }
}

TEST(EngineOptions, ThatHaveNoEffectAreErrors) {
  Comm comm = everyone();
  const Kind kind{"options", "h5part", {}};
  for (const char* name : {"transfer", "hints", "collective_metadata", "metadata_block"}) {
    WriteOptions options = by_direct(kind);
    options.options[name] = name == std::string("transfer")              ? "collective"
                            : name == std::string("hints")               ? "a=b"
                            : name == std::string("collective_metadata") ? "true"
                                                                         : "4096";
    expect_usage([&] { static_cast<void>(create(path("no.h5"), comm, options)); }, name);
  }
  for (const Options& only :
       std::vector<Options>{{{"existing", "replace"}}, {{"shuffle", "true"}}, {{"piece", "65536"}}}) {
    WriteOptions options = by_phdf5(kind, "independent");
    for (const auto& [name, value] : only) options.options[name] = value;
    expect_usage([&] { static_cast<void>(create(path("no.h5"), comm, options)); }, only.begin()->first);
  }
  WriteOptions options = by_phdf5(kind, "collective");
  options.transport = "mpi_independent";
  expect_usage([&] { static_cast<void>(create(path("no.h5"), comm, options)); }, "transport");
  options = by_phdf5(kind, "collective");
  options.options["hints"] = "striping";
  expect_usage([&] { static_cast<void>(create(path("no.h5"), comm, options)); }, "hint");
}

TEST(Comparison, FindsDifferences) {
  const Kind kind{"seen", "h5part", {}};
  const std::vector<double> values{1, 2};
  const std::vector<double> others{1, 3};
  const auto write = [&](const char* file, const std::vector<double>& x, double attribute) {
    write_file(path(file), by_phdf5(kind, "independent"), 1, [&](WriteStep& step, std::int64_t /*number*/) {
      step.put("x", x);
      step.set("a", attribute);
    });
  };
  write("seen.first", values, 1);
  write("seen.values", others, 1);
  write("seen.attributes", values, 2);
  EXPECT_NE(difference(path("seen.first"), path("seen.values")), "");
  EXPECT_NE(difference(path("seen.first"), path("seen.attributes")), "");
}

/// h5diff knows this filter only if its plugin is installed.
TEST(EngineFilters, OfOursWorkInTheLibrary) {
  Comm comm = everyone();
  Sample sample(format_named("h5part"), rows);
  const auto mine = [&] { return slice(Spread::even, rows, comm); };
  write_file(path("zstd.phdf5"), by_phdf5({"", "h5part", {{"chunk", "5"}, {"filter", "zstd"}}}, "collective"), 1,
             [&](WriteStep& step, std::int64_t number) { sample.fill(step, number, mine()); });
  Reader in = open(path("zstd.phdf5"), comm);
  EXPECT_EQ(sample.difference(in.step(0), mine()), "");
  in.close();
}

/// Parallel HDF5 compresses only collective writes; other combinations are refused.
TEST(EngineFilters, NeedCollectiveTransfers) {
  Comm comm = everyone();
  const Kind kind{"", "h5part", {{"chunk", "5"}, {"filter", "deflate"}}};
  expect_usage([&] { static_cast<void>(create(path("alone.h5"), comm, by_phdf5(kind, "independent"))); }, "filter");
  EXPECT_FALSE(std::filesystem::exists(path("alone.h5"))) << "it is refused before anything is written";
}

/// Each rank writes its own file: no communicator, so no MPI-IO.
TEST(OneProcess, WritesThroughTheLibraryAsWell) {
  Comm comm = everyone();
  const Kind kind{"alone", "h5part", {}};
  const std::string name = "alone" + std::to_string(comm.rank());
  Sample sample(format_named(kind.format), rows);
  for (const WriteOptions& options : {by_direct(kind), by_phdf5(kind, "collective")}) {
    Writer out = create(path(name + (options.options.empty() ? ".direct" : ".phdf5")), Comm::self(), options);
    WriteStep step = out.step(0);
    sample.fill(step, 0, {0, rows});
    step.commit();
    out.close();
  }
  EXPECT_EQ(difference(path("alone0.phdf5"), path("alone0.direct")), "");
}

TEST(Errors, OfAFileThatCannotBeCreatedAgree) {
  Comm comm = everyone();
  try {
    static_cast<void>(create(path("no_such_folder") + "/a.h5", comm, by_phdf5({"", "h5part", {}}, "independent")));
    ADD_FAILURE() << "a file was created in a missing folder";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::missing) << error.what();
  }
}

}  // namespace
}  // namespace quire::test
