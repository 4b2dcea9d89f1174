// The parallel HDF5 library reads the same values as our own engine.

#include <gtest/gtest.h>

#include <memory>
#include <numeric>

#include "phdf5_files.hpp"
#include "quire/quire.hpp"
#include "quire/transport/trace.hpp"
#include "support/environment.hpp"
#include "support/sample.hpp"

namespace quire::test {
namespace {

constexpr std::uint64_t rows = 23;

ReadOptions through_phdf5(const std::string& transfer) {
  ReadOptions options;
  options.options = {{"engine", "phdf5"}, {"transfer", transfer}};
  return options;
}

class Reading : public testing::TestWithParam<std::string> {
 protected:
  /// Opens with each engine, the direct one first.
  [[nodiscard]] std::vector<Reader> both(const std::string& file) const {
    return {open(file, everyone()), open(file, everyone(), through_phdf5(GetParam()))};
  }
  static void close_all(std::vector<Reader>& readers) {
    for (Reader& reader : readers) reader.close();
  }
};

TEST_P(Reading, FindsTheSameWhateverTheSpread) {
  Comm comm = everyone();
  for (const Kind& kind : kinds("collective")) {
    const Format& format = format_named(kind.format);
    const auto steps = possible_steps(format, 2);
    for (const std::uint64_t total : {rows, std::uint64_t{0}}) {
      Sample sample(format, total);
      const std::string file = path(std::string("spread_") + kind.name + "." + GetParam());
      write_file(file, by_direct(kind), steps, [&](WriteStep& step, std::int64_t number) {
        sample.fill(step, number, slice(Spread::even, total, comm));
      });
      Reader in = open(file, comm, through_phdf5(GetParam()));
      ASSERT_EQ(in.size(), static_cast<std::uint64_t>(steps));
      for (const Spread spread : spreads) {
        for (std::int64_t number = 0; number < steps; ++number) {
          EXPECT_EQ(sample.difference(in.step(number), slice(spread, total, comm)), "") << kind.name << name(spread);
        }
      }
      in.close();
    }
  }
}

/// The values are not read by the transport, but by the library.
TEST_P(Reading, DoesNotUseTheTransport) {
  Comm comm = everyone();
  const std::vector<double> values(1000, comm.rank() + 0.5);
  write_file(path("trace." + GetParam()), by_direct({"trace", "h5part", {}}), 1,
             [&](WriteStep& step, std::int64_t /*number*/) { step.put("x", values); });
  const auto trace = std::make_shared<Trace>();
  ReadOptions options = through_phdf5(GetParam());
  options.wrapper = [&](std::unique_ptr<Transport> inner, const std::string& /*path*/, int /*rank*/) {
    return traced(std::move(inner), trace);
  };
  Reader in = open(path("trace." + GetParam()), comm, options);
  const ReadStep step = in.at(0);
  const auto count = [&] { return std::ranges::count(trace->events, TraceEvent::What::read, &TraceEvent::what); };
  const auto before = count();
  const std::uint64_t bytes_before = in.counters().bytes_read;
  std::vector<double> found(values.size());
  step.read("", Slice{values.size() * static_cast<std::uint64_t>(comm.rank()), values.size()}, {{"x", found}});
  EXPECT_EQ(found, values);
  EXPECT_EQ(count(), before);
  EXPECT_EQ(in.counters().bytes_read - bytes_before, values.size() * sizeof(double));
  in.close();
}

/// Every second row, rows in any order and repeated, and more single rows than the library unites.
TEST_P(Reading, SelectsTheSameRows) {
  Comm comm = everyone();
  const auto rank = static_cast<std::uint64_t>(comm.rank());
  constexpr std::uint64_t many = 400;
  std::vector<std::uint64_t> thirds(100);
  for (std::uint64_t i = 0; i < thirds.size(); ++i) thirds[i] = 3 * i + rank % 2;
  const std::vector<RowSelection> selections{
      Slice{rank, 50},
      Hyperslab{.start = {rank}, .stride = {5}, .count = {60}, .block = {2}},
      std::vector<std::uint64_t>{7, 3, 3, 399, 0, 4},
      thirds,
      rank == 0 ? RowSelection(Slice{}) : RowSelection(thirds),
  };
  for (const Kind& kind : kinds("collective")) {
    const std::string file = path(std::string("rows_") + kind.name + "." + GetParam());
    std::vector<double> x(many);
    std::vector<double> y(many);
    std::iota(x.begin(), x.end(), 0.25);
    std::iota(y.begin(), y.end(), -300.0);
    write_file(file, by_direct(kind), 1, [&](WriteStep& step, std::int64_t /*number*/) {
      const Slice mine = slice(Spread::even, many, comm);
      step.put("x", std::span(x).subspan(mine.first, mine.count));
      step.put("y", std::span(y).subspan(mine.first, mine.count));
    });
    for (const RowSelection& selection : selections) {
      std::vector<std::vector<double>> found;
      std::vector<Reader> readers = both(file);
      for (const Reader& in : readers) {
        auto& own = found.emplace_back(2 * selection.count());
        const std::span all(own);
        // The second column has another stride.
        in.at(0).read("", selection, {{"y", all.first(selection.count())}, {"x", all.last(selection.count())}});
      }
      close_all(readers);
      EXPECT_EQ(found[0], found[1]) << kind.name;
    }
  }
}

/// The parts of the ranks of an array of 12 x 16.
std::vector<Selection> parts_of(const Comm& comm) {
  const auto rank = static_cast<std::uint64_t>(comm.rank());
  const auto ranks = static_cast<std::uint64_t>(comm.size());
  std::vector<Hyperslab> united;
  std::vector<Hyperslab> diagonal;
  for (std::uint64_t i = 0; i < 3; ++i)
    united.push_back({.start = {4 * i, 5 * i}, .stride = {}, .count = {2, 3}, .block = {}});
  for (std::uint64_t i = 0; i < 48; ++i) {
    diagonal.push_back(
        {.start = {i / 4, 4 * (i % 4) + (i / 4 + rank) % 4}, .stride = {}, .count = {1, 1}, .block = {}});
  }
  return {Box{{12 / ranks * rank, 0}, {12 / ranks, 16}},
          Hyperslab{.start = {0, rank}, .stride = {1, ranks}, .count = {12, 16 / ranks}, .block = {}},
          Hyperslab{.start = {rank, 1}, .stride = {4, 5}, .count = {2, 3}, .block = {1, 2}},
          Box{{3 * rank, 4}, {3, 8}},
          Selection(united),
          Selection(diagonal),
          rank == 0 ? Selection() : Selection(Box{{0, 0}, {12, 16}})};
}

TEST_P(Reading, SelectsTheSameElements) {
  Comm comm = everyone();
  const std::uint64_t rank = static_cast<std::uint64_t>(comm.rank());
  std::vector<float> all(12 * 16);
  std::iota(all.begin(), all.end(), 1.0F);
  std::vector<float> half = all;
  for (float& value : half) value /= 2;
  std::vector<Kind> of_fields = kinds("collective");
  of_fields.push_back({"tiles", "hdf5", {{"field_chunk", "3x4"}, {"filter", "deflate"}}});
  for (const Kind& kind : of_fields) {
    const std::string file = path(std::string("elements_") + kind.name + "." + GetParam());
    write_file(file, by_direct(kind), 1, [&](WriteStep& step, std::int64_t /*number*/) {
      Field field;
      field.name = "phi";
      field.type = Type::float32;
      field.extents = {12, 16};
      field.components = 2;
      const std::span<const float> none;
      step.put_field(field, rank == 0 ? Selection(Box{{0, 0}, {12, 16}}) : Selection(),
                     {rank == 0 ? std::span<const float>(all) : none, rank == 0 ? std::span<const float>(half) : none});
    });
    std::vector<Reader> readers = both(file);
    const std::size_t more = readers[0].at(0).description().fields.at(0).extents.size() - 2;
    for (const Selection& part : parts_of(comm)) {
      std::vector<Hyperslab> slabs = part.parts();
      for (Hyperslab& slab : slabs) {
        slab.start.insert(slab.start.begin(), more, 0);
        slab.count.insert(slab.count.begin(), more, 1);
        if (!slab.stride.empty()) slab.stride.insert(slab.stride.begin(), more, 1);
        if (!slab.block.empty()) slab.block.insert(slab.block.begin(), more, 1);
      }
      const Selection selection(slabs);
      const auto count = static_cast<std::size_t>(selection.elements());
      // As stored, converted, and with ghost cells.
      std::vector<std::vector<float>> first(2, std::vector<float>(count, -1));
      std::vector<std::vector<double>> second(2, std::vector<double>(count, -1));
      std::vector<std::vector<float>> third(2, std::vector<float>(count + 2, -1));
      std::vector<std::vector<double>> fourth(2, std::vector<double>(count + 2, -1));
      const MemorySelection inside{.extents = {count + 2}, .selection = Box{{1}, {count}}};
      for (std::size_t i = 0; i < readers.size(); ++i) {
        const ReadStep step = readers[i].at(0);
        step.read_field("phi", selection, {first[i], second[i]});
        step.read_field("phi", selection, {third[i], fourth[i]}, inside);
      }
      EXPECT_EQ(first[0], first[1]) << kind.name;
      EXPECT_EQ(second[0], second[1]) << kind.name;
      EXPECT_EQ(third[0], third[1]) << kind.name;
      EXPECT_EQ(fourth[0], fourth[1]) << kind.name;
    }
    close_all(readers);
  }
}

/// Chunks without values are not allocated; HDF5 cannot read such datasets collectively.
TEST_P(Reading, FindsZerosInMissingChunks) {
  Comm comm = everyone();
  const std::string file = path("sparse." + GetParam());
  write_file(
      file, by_direct({"sparse", "hdf5", {{"field_chunk", "4x4"}}}), 1, [&](WriteStep& step, std::int64_t /*number*/) {
        const std::vector<double> one{5};
        const bool has = comm.rank() == 0;
        Field field;
        field.name = "phi";
        field.extents = {8, 8};
        step.put_field(field, has ? Selection(Box{{4, 0}, {1, 1}}) : Selection(), {std::span(one).first(has ? 1 : 0)});
      });
  std::vector<Reader> readers = both(file);
  for (const Selection& part :
       {Selection(Box{{0, 0}, {8, 8}}), comm.rank() == 0 ? Selection() : Selection(Box{{3, 0}, {2, 8}})}) {
    std::vector<std::vector<double>> found(2, std::vector<double>(static_cast<std::size_t>(part.elements()), -1));
    for (std::size_t i = 0; i < readers.size(); ++i) readers[i].at(0).read_field("phi", part, {found[i]});
    EXPECT_EQ(found[0], found[1]);
  }
  close_all(readers);
}

/// One rank fails: collective readers all report it, and no rank waits for ever.
TEST_P(Reading, FailsOnAllRanksOfACollectiveRead) {
  Comm comm = everyone();
  const bool is_together = GetParam() == "collective";
  const bool is_culprit = comm.rank() + 1 == comm.size();
  const std::vector<double> values{1, 1.0 / 3};
  write_file(path("failing." + GetParam()), by_direct({"failing", "h5part", {}}), 1,
             [&](WriteStep& step, std::int64_t /*number*/) { step.put("x", values).put("y", values); });
  Reader in = open(path("failing." + GetParam()), comm, through_phdf5(GetParam()));
  const ReadStep step = in.at(0);
  std::vector<double> found(2);
  std::vector<float> small(2);
  const auto expect = [&](ErrorKind kind, const std::function<void()>& work) {
    try {
      work();
      EXPECT_FALSE(is_together || is_culprit) << "nothing was wrong";
    } catch (const Error& error) {
      EXPECT_TRUE(is_together || is_culprit) << error.what();
      EXPECT_EQ(error.kind(), kind) << error.what();
    }
  };
  expect(ErrorKind::missing, [&] { step.read("", Slice{0, 2}, {{is_culprit ? "z" : "x", found}}); });
  expect(ErrorKind::usage, [&] { step.read("", Slice{is_culprit ? 9U : 0U, 2}, {{"x", found}}); });
  // The first column of the failing rank, and the only column of the others, was read before.
  expect(ErrorKind::type, [&] {
    std::vector<ReadColumn> columns{{"x", found}, {"y", found}};
    if (is_culprit) columns[1].out = small;
    step.read("", Slice{0, 2}, columns);
  });
  if (is_together && comm.size() > 1) {
    expect(ErrorKind::usage, [&] { step.read("", Slice{0, 2}, {{is_culprit ? "x" : "y", found}}); });
  }
  step.read("", Slice{0, 2}, {{"y", found}});
  EXPECT_EQ(found, values);
  in.close();
}

INSTANTIATE_TEST_SUITE_P(Phdf5, Reading, testing::Values("independent", "collective"),
                         [](const auto& chosen) { return chosen.param; });

void expect_error(ErrorKind kind, const std::string& about, const std::function<void()>& action) {
  try {
    action();
    ADD_FAILURE() << about << " was taken";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind) << error.what();
    EXPECT_NE(std::string(error.what()).find(about), std::string::npos) << error.what();
  }
}

TEST(ReadingOptions, ThatHaveNoEffectAreErrors) {
  Comm comm = everyone();
  const std::vector<double> values{1, 2};
  const auto fill = [&](WriteStep& step, std::int64_t /*number*/) { step.put("x", values); };
  write_file(path("options.h5"), by_direct({"options", "h5part", {}}), 1, fill);
  const auto refuse = [&](const std::string& about, const Options& options, const std::string& transport = "posix") {
    ReadOptions all;
    all.options = options;
    all.transport = transport;
    expect_error(ErrorKind::usage, about, [&] { static_cast<void>(open(path("options.h5"), comm, all)); });
  };
  refuse("transfer", {{"transfer", "collective"}});
  refuse("hints", {{"hints", "a=b"}});
  refuse("transfer", {{"engine", "phdf5"}, {"transfer", "some"}});
  refuse("hint", {{"engine", "phdf5"}, {"hints", "striping"}});
  refuse("collective_metadata", {{"engine", "phdf5"}, {"collective_metadata", "true"}});
  refuse("transport", {{"engine", "phdf5"}}, "mpi_independent");
  if (comm.size() > 1) {
    ReadOptions differing;
    if (comm.is_root()) differing = through_phdf5("independent");
    expect_error(ErrorKind::conflict, "engine=phdf5",
                 [&] { static_cast<void>(open(path("options.h5"), comm, differing)); });
  }
  ReadOptions knobs = through_phdf5("collective");
  knobs.options["collective_metadata"] = "false";
  knobs.options["hints"] = "romio_cb_read=disable";
  Reader in = open(path("options.h5"), comm, knobs);
  std::vector<double> found(2);
  in.at(0).read("", Slice{0, 2}, {{"x", found}});
  EXPECT_EQ(found, values);
  in.close();
}

/// Files that another library cannot read are refused.
TEST(ReadingOptions, RefuseFilesThatTheLibraryCannotRead) {
  Comm comm = everyone();
  const std::vector<double> values{1, 2};
  const auto fill = [&](WriteStep& step, std::int64_t /*number*/) { step.put("x", values); };
  write_file(path("packed.h5.gz"), by_direct({"packed", "h5part", {{"compression", "gzip"}}}), 1, fill);
  expect_error(ErrorKind::unsupported, "compressed as a whole",
               [&] { static_cast<void>(open(path("packed.h5.gz"), comm, through_phdf5("collective"))); });
}

/// Each rank reads on its own: no communicator, so no MPI-IO.
TEST(OneProcess, ReadsThroughTheLibraryAsWell) {
  const std::string file = path("alone" + std::to_string(everyone().rank()));
  const std::vector<double> values{1, 2};
  Writer out = create(file, Comm::self(), by_direct({"", "hdf5", {}}));
  WriteStep step = out.step(0);
  step.put("x", values);
  step.commit();
  out.close();
  Reader in = open(file, Comm::self(), through_phdf5("collective"));
  std::vector<double> found(2);
  in.at(0).read("", Slice{0, 2}, {{"x", found}});
  EXPECT_EQ(found, values);
  in.close();
}

}  // namespace
}  // namespace quire::test
