// Split files, written and read by several ranks, have the same bytes on any number of ranks.

#include <gtest/gtest.h>

#include <filesystem>
#include <numeric>
#include <utility>
#include <vector>

#include "quire/format/format.hpp"
#include "quire/quire.hpp"
#include "support/environment.hpp"
#include "support/error_of.hpp"
#include "support/sample.hpp"
#include "transport/forwarding.hpp"

namespace quire::test::split_ranks_test {
namespace {

constexpr std::uint64_t rows = 23;
constexpr std::int64_t steps = 3;

struct Kind {
  std::string name;
  std::string format;
  Options options;
};

std::vector<Kind> kinds_of_steps() {
  return {{"contiguous", "h5part", {}},
          {"unaligned", "h5part", {{"alignment", "8"}, {"library_version", "v110"}}},
          {"compressed", "h5part", {{"chunk", "5"}, {"field_chunk", "3"}, {"filter", "deflate"}}}};
}

/// Kinds of files with a single step.
std::vector<Kind> kinds_of_one_step() { return {{"plain", "hdf5", {}}, {"matrix", "hdf5", {{"layout", "matrix"}}}}; }

std::string name_of(const testing::TestParamInfo<Kind>& info) { return info.param.name; }

/// The same name in another folder, because names are stored in the file.
std::string file_in(const Kind& kind, const std::string& folder) {
  const std::string place = path("split_" + kind.name + "." + folder);
  std::filesystem::create_directories(place);
  return place + "/x-m.h5";
}

std::string raw_of(const std::string& first) { return first.substr(0, first.size() - 4) + "r.h5"; }
std::string both(const std::string& first) { return bytes_of(first) + bytes_of(raw_of(first)); }

class SplitRanks : public testing::TestWithParam<Kind> {
 protected:
  [[nodiscard]] static WriteOptions options() {
    WriteOptions result;
    result.format = GetParam().format;
    result.transport = transport();
    result.options = GetParam().options;
    result.options["split"] = "true";
    return result;
  }
  static void write(Writer& out, Sample& sample, std::int64_t number, const Slice& mine) {
    WriteStep step = out.step(number);
    sample.fill(step, number, mine);
    step.commit();
    sample.forget();
  }
  void expect_values(const std::string& file, Sample& sample, std::int64_t count) const {
    Comm comm = everyone();
    for (const Spread spread : {Spread::even, Spread::first_has_nothing, Spread::last_has_everything}) {
      ReadOptions reading;
      reading.transport = transport();
      reading.format = GetParam().format;
      Reader in = open(file, comm, reading);
      ASSERT_EQ(in.size(), static_cast<std::uint64_t>(count));
      for (std::int64_t number = 0; number < count; ++number) {
        EXPECT_EQ(sample.difference(in.step(number), slice(spread, rows, comm)), "") << "step " << number;
      }
      in.close();
    }
  }
};

TEST_P(SplitRanks, WriteTheBytesOfOne) {
  Comm comm = everyone();
  const Format& format = format_named(GetParam().format);
  Sample sample(format, rows);
  const std::string file = file_in(GetParam(), "together");
  const std::int64_t count = possible_steps(format, steps);
  for (const bool alone : {false, true}) {
    const std::string target = alone ? file_in(GetParam(), "alone" + std::to_string(comm.rank())) : file;
    Writer out = alone ? create(target, Comm::self(), options()) : create(target, comm, options());
    for (std::int64_t number = 0; number < count; ++number) {
      write(out, sample, number, alone ? Slice{0, rows} : slice(Spread::even, rows, comm));
    }
    out.close();
  }
  EXPECT_EQ(both(file), both(file_in(GetParam(), "alone" + std::to_string(comm.rank()))));
  comm.barrier();
  expect_values(file, sample, count);
}

/// Kinds of files with several steps.
class SplitRanksOfSteps : public SplitRanks {};

TEST_P(SplitRanksOfSteps, AppendToEachOther) {
  const Format& format = format_named(GetParam().format);
  Comm comm = everyone();
  Sample sample(format, rows);
  const std::string file = file_in(GetParam(), "appended");
  Writer out = create(file, comm, options());
  write(out, sample, 0, slice(Spread::last_has_everything, rows, comm));
  write(out, sample, 9, slice(Spread::even, rows, comm));
  out.close();
  WriteOptions appending = options();
  appending.options.erase("split");
  Writer more = append(file, comm, 0, Later::drop, appending);
  write(more, sample, 1, slice(Spread::first_has_nothing, rows, comm));
  write(more, sample, 2, slice(Spread::even, rows, comm));
  more.close();
  comm.barrier();
  expect_values(file, sample, steps);
}

TEST_P(SplitRanksOfSteps, DoNotSeeAStepThatWasGivenUp) {
  const Format& format = format_named(GetParam().format);
  Comm comm = everyone();
  Sample sample(format, rows);
  const std::string file = file_in(GetParam(), "given_up");
  Writer out = create(file, comm, options());
  write(out, sample, 0, slice(Spread::even, rows, comm));
  {
    WriteStep step = out.step(1);
    if (comm.rank() == comm.size() - 1) step.abort("on purpose");
    if (comm.rank() != comm.size() - 1) {
      sample.fill(step, 1, slice(Spread::even, rows, comm));
      EXPECT_THROW(step.commit(), Error);
    }
    sample.forget();
  }
  write(out, sample, 1, slice(Spread::even, rows, comm));
  out.close();
  comm.barrier();
  expect_values(file, sample, 2);
  Reader in = open(file, comm);
  EXPECT_TRUE(in.check().warnings.empty()) << "an aborted step leaves nothing";
  in.close();
}

/// Records the contents of both files whenever rank 0 has truncated one of them. Opening the raw data fails at first,
/// or always.
class CutFiles {
 public:
  CutFiles(std::string first, bool may_open_again) : first_(std::move(first)), may_open_again_(may_open_again) {}

  void wrap(WriteOptions& options) {
    options.wrapper = [this](std::unique_ptr<Transport> inner, const std::string& file, int rank) {
      if (rank != 0) return inner;
      if (file == raw_of(first_) && (!may_open_again_ || !std::exchange(was_opened_, true))) {
        throw Error(ErrorKind::io, "on purpose");
      }
      return std::unique_ptr<Transport>(std::make_unique<Watched>(std::move(inner), *this));
    };
  }
  void look() { seen_.emplace_back(bytes_or_none(first_), bytes_or_none(raw_of(first_))); }
  [[nodiscard]] const std::vector<std::pair<std::string, std::string>>& seen() const { return seen_; }

 private:
  /// A file of one step whose commit failed is removed.
  static std::string bytes_or_none(const std::string& path) {
    return std::filesystem::exists(path) ? bytes_of(path) : std::string();
  }
  class Watched final : public ForwardingTransport {
   public:
    Watched(std::unique_ptr<Transport> inner, CutFiles& files) : ForwardingTransport(std::move(inner)), files_(files) {}
    void resize(std::uint64_t size) override {
      ForwardingTransport::resize(size);
      files_.look();
    }

   private:
    CutFiles& files_;
  };

  std::string first_;
  bool may_open_again_;
  bool was_opened_ = false;
  std::vector<std::pair<std::string, std::string>> seen_;
};

TEST_P(SplitRanks, LeaveNoOrphanedRawDataWhenTheFirstStepFails) {
  Comm comm = everyone();
  Sample sample(format_named(GetParam().format), rows);
  for (const bool may_open_again : {true, false}) {
    const std::string file = file_in(GetParam(), may_open_again ? "taken_back" : "not_taken_back");
    CutFiles files(file, may_open_again);
    WriteOptions failing = options();
    failing.options["replacement"] = "direct";
    files.wrap(failing);
    Writer out = create(file, comm, failing);
    EXPECT_THROW(write(out, sample, 0, slice(Spread::even, rows, comm)), Error);
    sample.forget();
    static_cast<void>(error_of([&] { out.close(); }));
    comm.barrier();
    if (!comm.is_root()) continue;
    files.look();
    const std::string killed = file_in(GetParam(), "killed");
    for (const auto& [first, raw] : files.seen()) {
      EXPECT_TRUE(!first.empty() || raw.empty()) << "raw data without a first file";
      write_bytes(killed, first);
      write_bytes(raw_of(killed), raw);
      // Other ranks must not wait for this one.
      const auto error = error_of([&] {
        Writer again = create(killed, Comm::self(), options());
        write(again, sample, 0, {0, rows});
        again.close();
      });
      EXPECT_FALSE(error) << error->what();
    }
  }
}

INSTANTIATE_TEST_SUITE_P(KindsOfSteps, SplitRanks, testing::ValuesIn(kinds_of_steps()), name_of);
INSTANTIATE_TEST_SUITE_P(KindsOfOneStep, SplitRanks, testing::ValuesIn(kinds_of_one_step()), name_of);
INSTANTIATE_TEST_SUITE_P(KindsOfSteps, SplitRanksOfSteps, testing::ValuesIn(kinds_of_steps()), name_of);

/// Adding rows to a compressed column reads its last chunk from the other file.
TEST(SplitGrowth, AddsRowsOfAllRanks) {
  Comm comm = everyone();
  const std::string file = file_in({"growth", {}, {}}, "together");
  WriteOptions options;
  options.transport = transport();
  options.options = {{"split", "true"}, {"chunk", "8"}, {"filter", "deflate"}, {"grow", "true"}};
  const auto add = [&](Writer& out, int part) {
    const Slice mine = slice(Spread::even, rows, comm);
    std::vector<double> values(mine.count);
    std::iota(values.begin(), values.end(), static_cast<double>(static_cast<std::uint64_t>(part) * rows + mine.first));
    WriteStep step = out.step(0);
    step.put("x", ConstView(values));
    step.commit();
  };
  Writer out = create(file, comm, options);
  add(out, 0);
  add(out, 1);
  out.close();
  options.options.erase("split");
  Writer more = append(file, comm, {}, Later::refuse, options);
  add(more, 2);
  more.close();
  Reader in = open(file, comm);
  std::vector<double> all(3 * rows);
  in.at(0).read("", {0, 3 * rows}, {{"x", View(all)}});
  in.close();
  std::vector<double> wanted(3 * rows);
  std::iota(wanted.begin(), wanted.end(), 0.0);
  EXPECT_EQ(all, wanted);
}

}  // namespace
}  // namespace quire::test::split_ranks_test
