// What the parallel HDF5 library writes for us is what we write ourselves, judged by h5diff.

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <functional>

#include "quire/quire.hpp"
#include "support/environment.hpp"
#include "support/sample.hpp"

namespace quire::test {
namespace {

constexpr std::uint64_t rows = 23;
constexpr std::int64_t steps = 3;

struct Kind {
  const char* name;
  const char* format;
  Options options;
};

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> all{{"steps", "h5part", {}},
                                     {"chunks", "h5part", {{"chunk", "7"}}},
                                     {"columns", "hdf5", {}},
                                     {"matrix", "hdf5", {{"layout", "matrix"}}}};
  return all;
}

WriteOptions by_direct(const Kind& kind) {
  WriteOptions options;
  options.format = kind.format;
  options.options = kind.options;
  return options;
}

WriteOptions by_phdf5(const Kind& kind, const std::string& transfer) {
  WriteOptions options = by_direct(kind);
  options.options["engine"] = "phdf5";
  options.options["transfer"] = transfer;
  return options;
}

/// Collective. Empty if h5diff finds the files equal, else what it says.
std::string difference(const std::string& first, const std::string& second) {
  Comm comm = everyone();
  comm.barrier();
  std::uint64_t failed = 0;
  if (comm.is_root()) {
    const std::string command =
        std::string(QUIRE_H5DIFF) + " -v '" + first + "' '" + second + "' > '" + first + ".diff' 2>&1";
    const int status = std::system(command.c_str());
    failed = WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : 1;
  }
  comm.sum(std::span(&failed, 1));
  return failed == 0 ? "" : comm.is_root() ? bytes_of(first + ".diff") : "see rank 0";
}

using Fill = std::function<void(WriteStep& step, std::int64_t number)>;

void write_file(const std::string& path, const WriteOptions& options, std::int64_t count, const Fill& fill) {
  Writer out = create(path, everyone(), options);
  out.set("code", Value("engines"));
  for (std::int64_t number = 0; number < count; ++number) {
    WriteStep step = out.step(number);
    fill(step, number);
    step.commit();
  }
  out.close();
}

class Engines : public testing::TestWithParam<std::string> {
 protected:
  /// Writes by both engines and compares.
  void compare(const Kind& kind, const std::string& name, std::int64_t count, const Fill& fill) {
    const std::string direct = path(name + ".direct");
    const std::string parallel = path(name + "." + GetParam());
    write_file(direct, by_direct(kind), count, fill);
    write_file(parallel, by_phdf5(kind, GetParam()), count, fill);
    EXPECT_EQ(difference(parallel, direct), "") << name;
  }
};

TEST_P(Engines, WriteTheSameWhateverTheSpread) {
  Comm comm = everyone();
  for (const Kind& kind : kinds()) {
    const Format& format = format_named(kind.format);
    for (const Spread spread : spreads) {
      const bool is_other = std::string(kind.name) == "columns" || std::string(kind.name) == "chunks";
      if (is_other && (spread == Spread::last_has_nothing || spread == Spread::last_has_everything)) continue;
      const std::uint64_t total = spread == Spread::nobody_has_anything ? 0 : rows;
      const std::string name = std::string(kind.name) + test::name(spread);
      Sample sample(format, total);
      compare(kind, name, possible_steps(format, steps),
              [&](WriteStep& step, std::int64_t number) { sample.fill(step, number, slice(spread, total, comm)); });
      Reader in = open(path(name + "." + GetParam()), comm);
      ASSERT_EQ(in.size(), static_cast<std::uint64_t>(possible_steps(format, steps)));
      for (std::int64_t number = 0; number < possible_steps(format, steps); ++number) {
        EXPECT_EQ(sample.difference(in.step(number), slice(Spread::even, total, comm)), "") << name;
      }
      in.close();
    }
  }
}

TEST_P(Engines, AppendTheSame) {
  Comm comm = everyone();
  const Kind kind{"append", "h5part", {}};
  Sample sample(format_named(kind.format), rows);
  const auto fill = [&](WriteStep& step, std::int64_t number) {
    sample.fill(step, number, slice(Spread::even, rows, comm));
    step.set("gap", 0.5 * static_cast<double>(number), number == 0 ? "m" : "");
  };
  WriteOptions padded = by_phdf5(kind, GetParam());
  padded.options["step_name"] = "Turn";
  padded.options["step_width"] = "4";
  write_file(path("append." + GetParam()), padded, 2, fill);
  WriteOptions direct = by_direct(kind);
  direct.options["step_name"] = "Turn";
  direct.options["step_width"] = "4";
  write_file(path("append.direct"), direct, 2, fill);
  for (const WriteOptions& options : {by_direct(kind), by_phdf5(kind, GetParam())}) {
    const bool is_direct = !options.options.contains("engine");
    Writer out = append(path("append." + (is_direct ? "direct" : GetParam())), comm, 0, Later::drop, options);
    for (std::int64_t number = 1; number < steps; ++number) {
      WriteStep step = out.step(number);
      fill(step, number);
      step.commit();
    }
    WriteStep twice = out.step(1);
    fill(twice, 1);
    EXPECT_THROW(twice.commit(), Error);
    out.close();
  }
  EXPECT_EQ(difference(path("append." + GetParam()), path("append.direct")), "");
}

TEST_P(Engines, WriteTheSameFromPieces) {
  Comm comm = everyone();
  for (const Kind& kind : kinds()) {
    Sample sample(format_named(kind.format), rows);
    const Slice mine = slice(Spread::even, rows, comm);
    compare(kind, std::string("pieces_") + kind.name, 1, [&](WriteStep& step, std::int64_t number) {
      step.rows(mine.count);
      for (const Column& column : sample.columns()) step.declare(column);
      sample.put_fields(step, number, mine);
      step.open();
      for (std::uint64_t done = 0; done < mine.count; done += 3) {
        const Slice block{mine.first + done, std::min<std::uint64_t>(3, mine.count - done)};
        std::vector<ConstView> views;
        for (const Column& column : sample.columns()) views.push_back(sample.column(column, number, block));
        step.write("", done, views);
      }
    });
  }
}

/// Values of other types and places in memory, of which not all fit into the buffer at once.
TEST_P(Engines, ConvertTheSame) {
  Comm comm = everyone();
  constexpr std::uint64_t many = 5000;
  for (const Kind& kind : kinds()) {
    const Slice mine = slice(Spread::even, many, comm);
    struct Particle {
      double x;
      float y;
      std::int16_t charge;
    };
    std::vector<Particle> particles;
    for (std::uint64_t i = mine.first; i < mine.end(); ++i) {
      particles.push_back({static_cast<double>(i), static_cast<float>(i) / 2, static_cast<std::int16_t>(i % 100)});
    }
    const auto member = [&](Type type, std::size_t offset) {
      return ConstView(type, reinterpret_cast<const std::byte*>(particles.data()) + offset, mine.count,
                       sizeof(Particle));
    };
    const auto fill = [&](WriteStep& step, std::int64_t /*number*/) {
      step.put("x", member(Type::float64, offsetof(Particle, x)), "m");
      step.put("y", member(Type::float32, offsetof(Particle, y)));
      step.put("q", member(Type::int16, offsetof(Particle, charge)));
    };
    const std::string name = std::string("convert_") + kind.name;
    write_file(path(name + ".direct"), by_direct(kind), 1, fill);
    WriteOptions small = by_phdf5(kind, GetParam());
    small.options["staging"] = "4096";
    write_file(path(name + "." + GetParam()), small, 1, fill);
    EXPECT_EQ(difference(path(name + "." + GetParam()), path(name + ".direct")), "") << name;
  }
}

/// Blocks with ghosts around, strided elements, ranks with nothing, and elements that nobody puts.
TEST_P(Engines, WriteTheSameFields) {
  Comm comm = everyone();
  const auto rank = static_cast<std::uint64_t>(comm.rank());
  const auto ranks = static_cast<std::uint64_t>(comm.size());
  std::vector<double> block(6 * 8);
  for (std::size_t i = 0; i < block.size(); ++i) block[i] = static_cast<double>(rank) + 0.01 * static_cast<double>(i);
  const std::vector<float> strided(4 * 5, static_cast<float>(rank) + 0.5F);
  const std::vector<std::int16_t> some{static_cast<std::int16_t>(rank + 1)};
  for (const Kind& kind : kinds()) {
    compare(kind, std::string("fields_") + kind.name, possible_steps(format_named(kind.format), 2),
            [&](WriteStep& step, std::int64_t number) {
              Field field;
              field.name = "ghosts";
              field.extents = {4 * ranks, 6};
              field.components = 2;
              field.unit = "V";
              step.put_field(field, Box{{4 * rank, 0}, {4, 6}}, {block, block},
                             {.extents = {6, 8}, .selection = Box{{1, 1}, {4, 6}}});
              Field lines;
              lines.name = "lines";
              lines.type = Type::float32;
              lines.extents = {4, 5 * ranks, 1};
              const Hyperslab mine{.start = {0, rank, 0}, .stride = {1, ranks, 1}, .count = {4, 5, 1}, .block = {}};
              step.put_field(lines, mine, {strided});
              Field holes;
              holes.name = "holes";
              holes.type = Type::int16;
              holes.extents = {3, 3, ranks};
              const bool puts = number == 0 && rank + 1 == ranks;
              step.put_field(holes, puts ? Selection(Box{{1, 1, rank}, {1, 1, 1}}) : Selection(),
                             {puts ? ConstView(some) : ConstView(std::span<const std::int16_t>())});
            });
  }
}

/// A step that one rank cannot write leaves no trace, and the file goes on.
TEST_P(Engines, TakeAFailedStepBack) {
  Comm comm = everyone();
  const Kind kind{"failed", "h5part", {}};
  const std::vector<double> good{1, 2};
  const std::vector<long double> bad{1.0L / 3.0L};
  const int culprit = comm.size() - 1;
  const auto fill = [&](WriteStep& step, std::int64_t /*number*/) { step.put("x", good); };
  write_file(path("failed.direct"), by_direct(kind), 2, fill);
  Writer out = create(path("failed." + GetParam()), comm, by_phdf5(kind, GetParam()));
  out.set("code", Value("engines"));
  for (std::int64_t number = 0; number < 2; ++number) {
    WriteStep step = out.step(number);
    fill(step, number);
    step.commit();
    WriteStep failing = out.step(7);
    failing.put("x", comm.rank() == culprit ? ConstView(bad) : ConstView(good));
    try {
      failing.commit();
      ADD_FAILURE() << "a value was lost";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::type) << error.what();
    }
    WriteStep left = out.step(8);
    left.put("x", good);
    left.abort("no time");
  }
  out.close();
  EXPECT_EQ(difference(path("failed." + GetParam()), path("failed.direct")), "");
}

TEST_P(Engines, CloseFilesWithoutSteps) {
  const Kind kind{"empty", "h5part", {}};
  compare(kind, "empty", 0, {});
}

TEST_P(Engines, CompressTheWholeFile) {
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

/// The knobs change how bytes are moved, not what is in the file.
TEST_P(Engines, TakeKnobs) {
  Comm comm = everyone();
  const Kind kind{"knobs", "h5part", {}};
  Sample sample(format_named(kind.format), rows);
  const auto fill = [&](WriteStep& step, std::int64_t number) {
    sample.fill(step, number, slice(Spread::even, rows, comm));
  };
  write_file(path("knobs.direct"), by_direct(kind), 2, fill);
  const std::vector<Options> turned{{{"collective_metadata", "false"}},
                                    {{"metadata_block", "65536"}},
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

INSTANTIATE_TEST_SUITE_P(Transfers, Engines, testing::Values("independent", "collective"),
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
  for (const Options& only : std::vector<Options>{{{"existing", "replace"}},
                                                  {{"filter", "deflate"}},
                                                  {{"grow", "true"}, {"chunk", "5"}},
                                                  {{"piece", "65536"}}}) {
    WriteOptions options = by_phdf5(kind, "independent");
    for (const auto& [name, value] : only) options.options[name] = value;
    const std::string name = only.contains("grow") ? "grow" : only.begin()->first;
    expect_usage([&] { static_cast<void>(create(path("no.h5"), comm, options)); }, name);
  }
  WriteOptions options = by_phdf5(kind, "collective");
  options.transport = "mpi_independent";
  expect_usage([&] { static_cast<void>(create(path("no.h5"), comm, options)); }, "transport");
  options = by_phdf5(kind, "collective");
  options.options["hints"] = "striping";
  expect_usage([&] { static_cast<void>(create(path("no.h5"), comm, options)); }, "hint");
}

TEST(EngineOptions, LeaveAttachmentsToTheDirectEngine) {
  Comm comm = everyone();
  Writer out = create(path("attached.h5"), comm, by_phdf5({"attached", "h5part", {}}, "independent"));
  const std::vector<std::byte> bytes(3);
  EXPECT_THROW(out.attach("a", bytes), Error);
  out.close();
}

TEST(Comparison, SeesWhatDiffers) {
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

/// Every rank for itself: no communicator, so no MPI-IO either.
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

TEST(Errors, OfAFileThatCannotBeMadeAgree) {
  Comm comm = everyone();
  try {
    static_cast<void>(create(path("no_such_folder") + "/a.h5", comm, by_phdf5({"", "h5part", {}}, "independent")));
    ADD_FAILURE() << "a file was made in a folder that is not there";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::io) << error.what();
  }
}

}  // namespace
}  // namespace quire::test
