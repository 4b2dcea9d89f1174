// Split files with metadata and raw data: the contents of the driver information, damage in it, missing or truncated
// files, and kills at any moment.

#include "format/hdf5/image/split.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "quire/format/format.hpp"
#include "quire/quire.hpp"
#include "support/environment.hpp"
#include "support/killed_files.hpp"
#include "support/sample.hpp"

namespace quire::test::split_test {
namespace {

constexpr std::uint64_t rows = 12;

const Format& h5part() { return format_named("h5part"); }

WriteOptions splitting(const Options& more = {}) {
  WriteOptions options;
  options.options = more;
  options.options["split"] = "true";
  return options;
}

/// A file in a separate folder, so that tests do not find the files of others.
std::string first_in(const std::string& folder, const std::string& name = "x-m.h5") {
  // An earlier run may have left a pair with a damaged first file, whose raw data must not be overwritten.
  std::filesystem::remove_all(path(folder));
  std::filesystem::create_directories(path(folder));
  return path(folder + "/" + name);
}

std::string raw_of(const std::string& first) {
  return first.substr(0, first.size() - std::string("-m.h5").size()) + "-r.h5";
}

void write_step(Writer& out, Sample& sample, std::int64_t number) {
  WriteStep step = out.step(number);
  sample.fill(step, number, {0, rows});
  step.commit();
  sample.forget();
}

void write_steps(const std::string& file, const WriteOptions& options, std::int64_t steps) {
  Sample sample(h5part(), rows);
  Writer out = create(file, Comm::self(), options);
  for (std::int64_t number = 0; number < steps; ++number) write_step(out, sample, number);
  out.close();
}

/// The number of complete steps, each of which must contain what was written.
std::uint64_t whole_steps(const std::string& file, const ReadOptions& options = {}) {
  Sample sample(h5part(), rows);
  Reader in = open(file, Comm::self(), options);
  const std::uint64_t whole = in.check().whole_steps;
  for (std::uint64_t i = 0; i < whole; ++i) EXPECT_EQ(sample.difference(in.at(i), {0, rows}), "") << "step " << i;
  in.close();
  return whole;
}

/// A step with only one column: its rows end inside a chunk, and no field follows.
void write_table(Writer& out, std::int64_t number) {
  const std::vector<double> values(rows, static_cast<double>(number));
  WriteStep step = out.step(number);
  step.put("x", ConstView(values));
  step.commit();
}

/// The same for such steps.
std::uint64_t whole_tables(const std::string& file) {
  Reader in = open(file);
  const std::uint64_t whole = in.check().whole_steps;
  for (std::uint64_t i = 0; i < whole; ++i) {
    std::vector<double> values(rows);
    const ReadStep step = in.at(i);
    step.read(step.description().tables.front().name, Slice{0, rows}, {{"x", View(values)}});
    EXPECT_EQ(values, std::vector<double>(rows, static_cast<double>(step.number()))) << "step " << i;
  }
  in.close();
  return whole;
}

/// The error of opening a file, checking it and reading its contents.
Error error_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "there was no error";
  return {ErrorKind::internal, ""};
}

// ---- The driver information

std::string text(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Written by h5py 3.16 with HDF5 2.0: driver="split", 4968 bytes of metadata and 4485 bytes of raw data.
const std::string from_hdf5(
    "\x01\x01\x03\x03\x01\x01\x00\x00"
    "\x00\x00\x00\x00\x00\x00\x00\x00\x68\x13\x00\x00\x00\x00\x00\x00"
    "\xff\xff\xff\xff\xff\xff\xff\x7f\x85\x11\x00\x00\x00\x00\x00\x00"
    "%s-m.h5\0%s-r.h5",
    56);

TEST(SplitInformation, IsThatOfHdf5) {
  hdf5::Split split;
  split.raw_end = 4485;
  EXPECT_EQ(text(split.encode(4968)), from_hdf5);
}

TEST(SplitInformation, NamesTheOtherFile) {
  const hdf5::Split split;
  EXPECT_EQ(split.raw_name_beside("beam-m.h5"), "beam-r.h5");
  EXPECT_EQ(split.raw_name_beside("100%-m.h5"), "100%-r.h5");
  EXPECT_EQ(split.raw_name_beside("beam.h5"), std::nullopt);
  EXPECT_EQ(split.raw_name_beside("-m.h5"), std::nullopt) << "nothing is left for the common part";
  const hdf5::Split other{.first_name = "%s.h5", .raw_name = "raw-%s.h5"};
  EXPECT_EQ(other.raw_name_beside("beam.h5"), "raw-beam.h5");
  split.require_name("beam-m.h5");
  for (const auto& [name, better] : std::map<std::string, std::string>{
           {"beam.h5", "beam-m.h5"}, {"beam.0.hdf5", "beam.0-m.h5"}, {".hidden", ".hidden-m.h5"}}) {
    const Error error = error_of([&] { split.require_name(name); });
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    EXPECT_EQ(error.advice(), "name it " + better);
  }
}

TEST(SplitInformation, AddressesOfRawDataBelongToMemberOne) {
  EXPECT_EQ(hdf5::place_of(4096), 4096U);
  EXPECT_EQ(hdf5::place_of(hdf5::first_raw_address + 24), address_in(1, 24));
  EXPECT_EQ(hdf5::raw_address_of(address_in(1, 24)), hdf5::first_raw_address + 24);
  const hdf5::FileEnds ends{.first = 100, .raw = 50};
  EXPECT_TRUE(ends.hold(60, 40));
  EXPECT_FALSE(ends.hold(60, 41));
  EXPECT_TRUE(ends.hold(address_in(1, 40), 10));
  EXPECT_FALSE(ends.hold(address_in(1, 40), 11));
  EXPECT_FALSE(ends.hold(hdf5::place_of(~std::uint64_t{0} - 1), 1));
  EXPECT_FALSE(ends.hold(ends.place(address_in(1, 0)), 1)) << "an address between both files is damage";
  EXPECT_EQ(hdf5::FileEnds{.first = 100}.place(address_in(1, 0)), address_in(1, 0)) << "one file may be large";
}

/// Checks that a file is refused with an error about it, or read with the values that were written.
void expect_refused_or_read(const std::string& file, const std::string& bytes, const std::string& when) {
  write_bytes(file, bytes);
  try {
    const Error* damage = nullptr;
    Reader in = open(file);
    const CheckReport report = in.check();
    if (report.damage) damage = &*report.damage;
    if (damage == nullptr) {
      EXPECT_EQ(whole_steps(file), 2U) << when;
    }
    in.close();
  } catch (const Error& error) {
    const bool is_about_file = error.kind() == ErrorKind::bad_file || error.kind() == ErrorKind::unsupported ||
                               error.kind() == ErrorKind::missing || error.kind() == ErrorKind::memory;
    EXPECT_TRUE(is_about_file) << when << ": " << error.what();
    EXPECT_FALSE(error.file().empty()) << when;
  }
}

class SplitDamage : public testing::TestWithParam<std::string> {};

TEST_P(SplitDamage, InAnyByteIsRefusedOrHarmless) {
  const std::string file = first_in("split_damage_" + GetParam());
  write_steps(file, splitting({{"library_version", GetParam()}}), 2);
  const std::string whole = bytes_of(file);
  const std::size_t information = whole.find(hdf5::split_information);
  ASSERT_NE(information, std::string::npos);
  for (std::size_t at = 0; at < information + 80; ++at) {
    for (const char mask : {'\x01', '\x80', '\xff'}) {
      std::string bytes = whole;
      bytes[at] = static_cast<char>(bytes[at] ^ mask);
      expect_refused_or_read(file, bytes, "byte " + std::to_string(at));
    }
  }
  expect_refused_or_read(file, whole.substr(0, information + 30), "cut");
}

INSTANTIATE_TEST_SUITE_P(Versions, SplitDamage, testing::Values("earliest", "v18", "v110"),
                         [](const auto& chosen) { return chosen.param; });

TEST(SplitFiles, OfOtherDriversAreRefusedByName) {
  const std::string file = first_in("split_multi");
  write_steps(file, splitting(), 1);
  const std::string whole = bytes_of(file);
  const std::size_t map = whole.find(hdf5::split_information) + 8;
  std::string bytes = whole;
  bytes[map + 1] = 2;  // B-trees in a third file
  write_bytes(file, bytes);
  const Error error = error_of([&] { static_cast<void>(open(file)); });
  EXPECT_EQ(error.kind(), ErrorKind::unsupported);
  EXPECT_NE(std::string(error.what()).find("multi driver"), std::string::npos) << error.what();
}

TEST(SplitFiles, ClaimNoMoreRawDataThanThereAre) {
  const std::string file = first_in("split_claims");
  write_steps(file, splitting(), 1);
  std::string bytes = bytes_of(file);
  const std::size_t end = bytes.find(hdf5::split_information) + 8 + 8 + 3 * 8;
  bytes[end + 4] = 1;  // 4 GiB more
  write_bytes(file, bytes);
  const Error error = error_of([&] { static_cast<void>(open(file)); });
  EXPECT_EQ(error.kind(), ErrorKind::bad_file);
  EXPECT_NE(std::string(error.what()).find("raw data is cut"), std::string::npos) << error.what();
}

// ---- Missing, cut and longer files

TEST(SplitFiles, WithoutRawDataAreMissingByName) {
  const std::string file = first_in("split_missing");
  write_steps(file, splitting(), 1);
  std::filesystem::remove(raw_of(file));
  for (const auto& work : std::vector<std::function<void()>>{
           [&] { static_cast<void>(open(file)); },
           [&] { static_cast<void>(append(file)); },
       }) {
    const Error error = error_of(work);
    EXPECT_EQ(error.kind(), ErrorKind::missing) << error.what();
    EXPECT_NE(std::string(error.what()).find("x-r.h5"), std::string::npos) << error.what();
  }
  EXPECT_FALSE(std::filesystem::exists(raw_of(file)));
}

TEST(SplitFiles, WithOtherNamesReportTheExpectedOnes) {
  const std::string file = first_in("split_renamed");
  write_steps(file, splitting(), 1);
  const std::string other = path("split_renamed/y.h5");
  std::filesystem::rename(file, other);
  const Error error = error_of([&] { static_cast<void>(open(other)); });
  EXPECT_EQ(error.kind(), ErrorKind::missing);
  EXPECT_NE(std::string(error.what()).find("NAME-m.h5 and NAME-r.h5"), std::string::npos) << error.what();
}

TEST(SplitFiles, BothRenamedAreRead) {
  const std::string file = first_in("split_moved");
  write_steps(file, splitting(), 2);
  const std::string other = path("split_moved/y-m.h5");
  std::filesystem::rename(file, other);
  std::filesystem::rename(raw_of(file), raw_of(other));
  EXPECT_EQ(whole_steps(other), 2U);
}

TEST(SplitFiles, WithTruncatedRawDataGiveCompleteSteps) {
  const std::string file = first_in("split_cut");
  write_steps(file, splitting(), 2);
  std::filesystem::resize_file(raw_of(file), std::filesystem::file_size(raw_of(file)) - 1);
  EXPECT_EQ(error_of([&] { static_cast<void>(open(file)); }).kind(), ErrorKind::bad_file);
  EXPECT_EQ(error_of([&] { static_cast<void>(append(file)); }).kind(), ErrorKind::bad_file);
  ReadOptions tolerant;
  tolerant.options["cut"] = "true";
  EXPECT_EQ(whole_steps(file, tolerant), 1U);
  Reader in = open(file, Comm::self(), tolerant);
  EXPECT_TRUE(in.check().damage.has_value());
  in.close();
}

TEST(SplitFiles, KeepRawDataOfNoStepUntilTheNext) {
  const std::string file = first_in("split_leftover");
  write_steps(file, splitting(), 1);
  const std::string whole = bytes_of(raw_of(file));
  write_bytes(raw_of(file), whole + std::string(1000, 'x'));
  Reader in = open(file);
  const std::vector<std::string> warnings = in.check().warnings;
  in.close();
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_NE(warnings[0].find("1000 bytes at the end of x-r.h5"), std::string::npos) << warnings[0];
  EXPECT_FALSE(repair(file));
  EXPECT_EQ(bytes_of(raw_of(file)).size(), whole.size() + 1000) << "maybe the values of another pair";
  Sample sample(h5part(), rows);
  Writer more = append(file);
  write_step(more, sample, 1);
  more.close();
  EXPECT_EQ(bytes_of(raw_of(file)).find('x', whole.size()), std::string::npos);
  EXPECT_EQ(whole_steps(file), 2U);
}

TEST(SplitFiles, DropRawDataThatAnInterruptedPublicationLeft) {
  const std::string file = first_in("split_interrupted");
  write_steps(file, splitting(), 1);
  const std::string whole = bytes_of(raw_of(file));
  write_bytes(raw_of(file), whole + std::string(1000, 'x'));
  write_bytes(file, bytes_of(file) + std::string(100, 'x'));
  EXPECT_TRUE(repair(file));
  EXPECT_EQ(bytes_of(raw_of(file)), whole);
  EXPECT_FALSE(repair(file));
  EXPECT_EQ(whole_steps(file), 1U);
}

// ---- Writing

TEST(SplitFiles, KeepRawDataOutOfTheMetadata) {
  const std::string file = first_in("split_sizes");
  constexpr std::size_t many = 100000;
  const std::vector<double> values(many, 0.5);
  Writer out = create(file, Comm::self(), splitting());
  WriteStep step = out.step(0);
  step.put("x", ConstView(values));
  step.commit();
  out.close();
  EXPECT_LT(std::filesystem::file_size(file), 16U << 10);
  EXPECT_EQ(std::filesystem::file_size(raw_of(file)), many * sizeof(double));
  Reader in = open(file);
  EXPECT_EQ(in.description().members, (std::vector<std::string>{"x-m.h5", "x-r.h5"}));
  in.close();
}

TEST(SplitFiles, ContainNoTimes) {
  for (const std::string version : {"v18", "v110"}) {
    const std::string file = first_in("split_clock_" + version);
    write_steps(file, splitting({{"library_version", version}}), 2);
    const std::string bytes = bytes_of(file);
    const std::size_t header = bytes.rfind("OHDR", bytes.find(hdf5::split_information));
    ASSERT_NE(header, std::string::npos);
    EXPECT_EQ(bytes.substr(header + 6, 16), std::string(16, '\0')) << "four times, in " << version;
  }
}

TEST(SplitFiles, WithoutStepsHaveBothFiles) {
  const std::string file = first_in("split_empty");
  Writer out = create(file, Comm::self(), splitting());
  out.set("code", Value("empty"));
  out.close();
  EXPECT_EQ(std::filesystem::file_size(raw_of(file)), 0U);
  EXPECT_EQ(whole_steps(file), 0U);
  Sample sample(h5part(), rows);
  Writer more = append(file);
  write_step(more, sample, 0);
  more.close();
  EXPECT_EQ(whole_steps(file), 1U);
}

TEST(SplitFiles, DropLaterStepsAndTheirRawData) {
  const std::string file = first_in("split_dropped");
  write_steps(file, splitting(), 3);
  const auto size = std::filesystem::file_size(raw_of(file));
  Writer more = append(file, Comm::self(), 0, Later::drop);
  more.close();
  EXPECT_EQ(whole_steps(file), 1U);
  EXPECT_LT(std::filesystem::file_size(raw_of(file)), size);
}

TEST(SplitFiles, HaveTheirStepsReplaced) {
  const std::string file = first_in("split_replaced");
  write_steps(file, splitting(), 3);
  Sample sample(h5part(), rows);
  WriteOptions replacing;
  replacing.options["existing"] = "replace";
  Writer more = append(file, Comm::self(), {}, Later::refuse, replacing);
  write_step(more, sample, 1);
  more.close();
  EXPECT_EQ(whole_steps(file), 3U);
}

TEST(SplitFiles, KeepAttachments) {
  const std::string file = first_in("split_attached");
  const std::vector<std::byte> input(3000, std::byte{'q'});
  write_steps(file, splitting(), 1);
  Writer more = append(file);
  more.attach("run.in", input);
  Sample sample(h5part(), rows);
  write_step(more, sample, 1);
  more.close();
  Reader in = open(file);
  EXPECT_EQ(in.attachment("run.in"), input);
  in.close();
  EXPECT_EQ(whole_steps(file), 2U);
}

TEST(SplitFiles, ReplaceOlderOnesAsAWhole) {
  const std::string file = first_in("split_whole");
  write_steps(file, splitting(), 3);
  write_steps(file, splitting({{"replacement", "whole"}}), 2);
  EXPECT_EQ(whole_steps(file), 2U);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(path("split_whole")), {}), 2);
}

TEST(SplitFiles, AreRefusedWhereUnsupported) {
  const auto creating = [](const std::string& name, const WriteOptions& options) {
    return error_of([&] { static_cast<void>(create(path(name), Comm::self(), options)); });
  };
  EXPECT_EQ(creating("split.sdds", splitting()).kind(), ErrorKind::usage);
  EXPECT_EQ(creating("split-m.h5.gz", splitting()).kind(), ErrorKind::usage);
  EXPECT_EQ(creating("split-m.h5", splitting({{"alignment", "24"}})).kind(), ErrorKind::usage);
  EXPECT_FALSE(std::filesystem::exists(path("split-m.h5")));
  const std::string file = path("one.h5");
  write_steps(file, {}, 1);
  EXPECT_EQ(error_of([&] { static_cast<void>(append(file, Comm::self(), {}, Later::refuse, splitting())); }).kind(),
            ErrorKind::conflict);
}

// ---- A kill at any moment

/// The kind of chunks, and whether the file is opened again before each step.
using Kill = std::tuple<std::string, bool>;
class SplitCrash : public testing::TestWithParam<Kill> {};

TEST_P(SplitCrash, KeepsWhatWasCommitted) {
  const auto& [chunk, reopened] = GetParam();
  const std::string name = "split_" + chunk + (reopened ? "_again" : "");
  const std::string traced = first_in(name + "_traced");
  const std::string crashed = first_in(name + "_crashed");
  KilledFiles killed;
  Options chunks;
  if (chunk == "chunked") chunks = {{"chunk", "12"}, {"filter", "deflate"}};
  const bool has_tables_alone = chunk == "begun_chunks";
  if (has_tables_alone) chunks = {{"chunk", "300"}};
  WriteOptions options = splitting(chunks);
  killed.wrap(options);
  Sample sample(h5part(), rows);
  const auto write = [&](Writer& file, std::int64_t number) {
    has_tables_alone ? write_table(file, number) : write_step(file, sample, number);
  };
  std::optional<Writer> out = create(traced, Comm::self(), options);
  for (std::int64_t number = 0; number < 3; ++number) {
    if (reopened && number > 0) {
      out->close();
      out = append(traced, Comm::self(), {}, Later::refuse, options);
    }
    write(*out, number);
  }
  out->close();

  std::uint64_t seen = 0;
  const auto count = [&] {
    try {
      return has_tables_alone ? whole_tables(crashed) : whole_steps(crashed);
    } catch (const Error& error) {
      EXPECT_TRUE(error.kind() == ErrorKind::bad_file || error.kind() == ErrorKind::missing) << error.what();
      return std::uint64_t{0};
    }
  };
  killed.replay(path(name + "_traced/x"), path(name + "_crashed/x"), [&](const std::string& when) {
    SCOPED_TRACE(when);
    const std::uint64_t now = count();
    EXPECT_GE(now, seen) << "a step was lost";
    seen = std::max(seen, now);
    if (now == 0) return;
    const std::string first = bytes_of(crashed);
    const std::string raw = bytes_of(raw_of(crashed));
    Writer more = append(crashed);
    write(more, 100);
    more.close();
    EXPECT_EQ(count(), now + 1) << "after appending to the crashed file";
    write_bytes(crashed, first);
    write_bytes(raw_of(crashed), raw);
    repair(crashed);
    EXPECT_EQ(count(), now) << "after repair";
    Reader repaired = open(crashed);
    for (const std::string& warning : repaired.check().warnings) {
      EXPECT_NE(warning.find("the next step that is written drops them"), std::string::npos) << warning;
    }
    repaired.close();
    // Later only one of the files changes.
    write_bytes(crashed, first);
    write_bytes(raw_of(crashed), raw);
  });
  EXPECT_EQ(seen, 3U);
}

class SplitAgain : public testing::TestWithParam<std::int64_t> {};

TEST_P(SplitAgain, AfterAKillAtAnyMoment) {
  const std::string name = "split_again_" + std::to_string(GetParam());
  const std::string traced = first_in(name + "_traced");
  const std::string crashed = first_in(name + "_crashed");
  KilledFiles killed;
  WriteOptions options = splitting();
  killed.wrap(options);
  Sample sample(h5part(), rows);
  Writer out = create(traced, Comm::self(), options);
  for (std::int64_t number = 0; number < GetParam(); ++number) write_step(out, sample, number);
  out.attach("run.in", std::vector<std::byte>(3000, std::byte{'q'}));
  out.close();

  bool was_first_empty = false;
  killed.replay(path(name + "_traced/x"), path(name + "_crashed/x"), [&](const std::string& when) {
    SCOPED_TRACE(when);
    std::map<std::string, std::string> left;
    for (const std::string& one : {crashed, raw_of(crashed)}) {
      if (std::filesystem::exists(one)) left[one] = bytes_of(one);
    }
    was_first_empty = was_first_empty || left[crashed].empty();
    write_steps(crashed, splitting(), 1);
    EXPECT_EQ(whole_steps(crashed), 1U);
    for (const std::string& one : {crashed, raw_of(crashed)}) std::filesystem::remove(one);
    for (const auto& [one, bytes] : left) write_bytes(one, bytes);
  });
  EXPECT_TRUE(was_first_empty) << "the first moment is seen";
}

INSTANTIATE_TEST_SUITE_P(Steps, SplitAgain, testing::Values(0, 2));

INSTANTIATE_TEST_SUITE_P(Kinds, SplitCrash,
                         testing::Values(Kill("contiguous", false), Kill("contiguous", true), Kill("chunked", true),
                                         Kill("begun_chunks", false), Kill("begun_chunks", true)),
                         [](const auto& chosen) {
                           return std::get<0>(chosen.param) + (std::get<1>(chosen.param) ? "_reopened" : "_one_run");
                         });

}  // namespace
}  // namespace quire::test::split_test
