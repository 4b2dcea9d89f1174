// A file of one step that is created, written and closed by one call: the bytes of the four calls with half the
// collectives. If ranks differ or one fails, all ranks raise the same error and the old file stays.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "quire/quire.hpp"
#include "support/reported_rank.hpp"
#include "support/variant_file.hpp"
#include "transport/faulty.hpp"

namespace quire::test::write_file_test {
namespace {

namespace files = std::filesystem;

constexpr std::uint64_t rows = 64;

class WriteFile : public VariantFile {
 protected:
  WriteFile() : VariantFile("write_file") {
    if (comm_.is_root()) remove_all();
    comm_.barrier();
  }

  [[nodiscard]] int last() const { return comm_.size() - 1; }
  [[nodiscard]] bool is_last() const { return comm_.rank() == last(); }

  /// The files of the path, by name: one, those of a set, or those of a directory.
  [[nodiscard]] std::map<std::string, std::string> found() const {
    std::map<std::string, std::string> all;
    for (const auto& entry : files::recursive_directory_iterator(files::path(file_).parent_path())) {
      const std::string name = entry.path().string();
      if (name.starts_with(file_) && entry.is_regular_file()) all[name] = bytes_of(name);
    }
    return all;
  }

  void remove_all() const {
    for (const auto& [name, bytes] : found()) files::remove(name);
    files::remove_all(file_);
  }

  void fill(WriteStep& step, Spread spread) { sample_.fill(step, 0, slice(spread, rows, comm_)); }

  void write_by_four_calls(Spread spread) {
    Writer out = create(file_, comm_, options_);
    WriteStep step = out.step(0);
    fill(step, spread);
    step.commit();
    out.close();
  }

  Writer write_at_once(Spread spread = Spread::even) {
    return write_file(
        file_, comm_, 0, [&](Writer&, WriteStep& step) { fill(step, spread); }, options_);
  }

  /// The old file stays until the new one is complete; compressed files are always replaced this way.
  void replace_whole() { options_.options["replacement"] = "whole"; }

  void expect_no_leftovers() const {
    for (const auto& [name, bytes] : found()) EXPECT_EQ(name.find(".quire-"), std::string::npos) << name;
  }

  void fail_on(int rank, std::uint64_t after) {
    options_.wrapper = [=](std::unique_ptr<Transport> inner, const std::string&, int of) {
      if (of != rank) return inner;
      return faulty(std::move(inner), {.after_bytes = after, .error_number = 28, .on_read = false, .on_sync = false});
    };
  }

  /// Expects the same error on all ranks and no new file.
  void expect_failure(ErrorKind kind, const std::function<void(Writer&, WriteStep&)>& fill,
                      std::optional<int> rank = std::nullopt) {
    const auto error = error_of([&] { static_cast<void>(write_file(file_, comm_, 0, fill, options_)); });
    ASSERT_TRUE(error.has_value());
    EXPECT_EQ(error->kind(), kind) << error->what();
    if (rank.has_value()) {
      EXPECT_EQ(error->rank(), reported_rank(comm_, *rank)) << error->what();
    }
    comm_.barrier();
  }

  /// Writes a file, to be replaced later.
  std::map<std::string, std::string> old_file() {
    static_cast<void>(write_at_once());
    comm_.barrier();
    auto all = found();
    comm_.barrier();
    return all;
  }

  /// With and without an open step at the time of the exception.
  void expect_old_file_after_exceptions() {
    const auto old = old_file();
    for (const bool is_open : {false, true}) {
      SCOPED_TRACE(is_open);
      const auto give_up = [&](Writer& out, WriteStep& step) {
        fill(step, Spread::last_has_everything);
        if (is_open && !out.weighs_values()) step.open();
        if (is_last()) throw std::runtime_error("this rank has no values");
      };
      EXPECT_ANY_THROW(static_cast<void>(write_file(file_, comm_, 0, give_up, options_)));
      comm_.barrier();
      EXPECT_EQ(found(), old);
      comm_.barrier();
    }
  }

  void expect_whole() {
    Reader in = open(file_, comm_);
    EXPECT_EQ(in.size(), 1U);
    EXPECT_EQ(in.check().whole_steps, 1U);
    EXPECT_EQ(sample_.difference(in.at(0), slice(Spread::even, rows, comm_)), "");
    in.close();
  }

  Sample sample_{*GetParam().format, rows};
};

TEST_P(WriteFile, HasTheBytesOfTheFourCalls) {
  for (const Spread spread : spreads) {
    SCOPED_TRACE(name(spread));
    write_by_four_calls(spread);
    comm_.barrier();
    const auto expected = found();
    comm_.barrier();
    if (comm_.is_root()) remove_all();
    comm_.barrier();
    const Writer out = write_at_once(spread);
    EXPECT_EQ(out.schema().tables.size(), 1U);
    comm_.barrier();
    EXPECT_EQ(found(), expected);
    comm_.barrier();
    if (comm_.is_root()) remove_all();
    comm_.barrier();
  }
}

TEST_P(WriteFile, CallsTwoCollectivesIfAStepCallsTwo) {
  std::uint64_t before = comm_.collectives();
  Writer out = create(file_, comm_, options_);
  const std::uint64_t made = out.comm().collectives() - before;
  WriteStep step = out.step(0);
  fill(step, Spread::even);
  step.commit();
  const std::uint64_t committed = out.comm().collectives() - before;
  out.close();
  const std::uint64_t closed = out.comm().collectives() - before;
  comm_.barrier();
  if (comm_.is_root()) remove_all();
  comm_.barrier();

  before = comm_.collectives();
  Writer at_once = write_at_once();
  const std::uint64_t all = at_once.comm().collectives() - before;
  const bool is_simple = made == 1 && committed - made == 2 && closed - committed == 1 && !out.weighs_values() &&
                         !is_transport_collective(options_.transport);
  if (is_simple) {
    EXPECT_EQ(all, 2U);
  } else {
    EXPECT_LE(all, closed);
  }
}

TEST_P(WriteFile, ReplacesAnotherFile) {
  static_cast<void>(write_at_once(Spread::last_has_everything));
  static_cast<void>(write_at_once());
  comm_.barrier();
  expect_whole();
}

TEST_P(WriteFile, ReplacesTheWholeFile) {
  replace_whole();
  static_cast<void>(write_at_once(Spread::last_has_everything));
  static_cast<void>(write_at_once());
  comm_.barrier();
  expect_whole();
  expect_no_leftovers();
}

TEST_P(WriteFile, AnExceptionKeepsTheOldFile) {
  replace_whole();
  expect_old_file_after_exceptions();
}

TEST_P(WriteFile, AnExceptionKeepsTheOldCompressedFile) {
  options_.options["compression"] = "gzip";
  expect_old_file_after_exceptions();
}

TEST_P(WriteFile, AFullDiskKeepsTheOldFile) {
  replace_whole();
  const auto old = old_file();
  for (int rank = 0; rank < comm_.size(); ++rank) {
    SCOPED_TRACE(rank);
    fail_on(rank, 1);
    expect_failure(
        ErrorKind::io, [&](Writer&, WriteStep& step) { fill(step, Spread::even); }, rank);
    EXPECT_EQ(found(), old);
    comm_.barrier();
  }
}

TEST_P(WriteFile, AFailedSyncOnOneRankKeepsTheOldFile) {
  replace_whole();
  const auto old = old_file();
  for (int rank = 0; rank < comm_.size(); ++rank) {
    SCOPED_TRACE(rank);
    options_.wrapper = [=](std::unique_ptr<Transport> inner, const std::string&, int of) {
      if (of != rank) return inner;
      return faulty(std::move(inner), {.after_bytes = 0, .error_number = 5, .on_read = false, .on_sync = true});
    };
    const auto error = error_of([&] { static_cast<void>(write_at_once()); });
    comm_.barrier();
    // A rank whose data others have written has nothing to sync.
    EXPECT_TRUE(error.has_value() || is_transport_collective(options_.transport));
    if (error) {
      EXPECT_EQ(error->kind(), ErrorKind::io) << error->what();
      // As after create(), the new file may be left next to the old one.
      for (const auto& [name, bytes] : old) EXPECT_EQ(bytes_of(name), bytes) << name;
    }
    comm_.barrier();
  }
}

TEST_P(WriteFile, AMovedStepIsAnErrorOnAllRanks) {
  const auto error = error_of([&] {
    static_cast<void>(write_file(
        file_, comm_, 0,
        [&](Writer&, WriteStep& step) {
          fill(step, Spread::even);
          if (is_last()) {
            const WriteStep other(std::move(step));
          }
        },
        options_));
  });
  EXPECT_TRUE(error.has_value());
}

TEST_P(WriteFile, AnyExceptionEndsAllRanks) {
  EXPECT_ANY_THROW(static_cast<void>(write_file(
      file_, comm_, 0,
      [&](Writer&, WriteStep& step) {
        fill(step, Spread::even);
        if (is_last()) throw 1;
      },
      options_)));
}

TEST_P(WriteFile, AnExceptionOnOneRankLeavesNoNewFile) {
  const std::string reason = "this rank has no values";
  try {
    static_cast<void>(write_file(
        file_, comm_, 0,
        [&](Writer&, WriteStep& step) {
          fill(step, Spread::even);
          if (is_last()) throw std::runtime_error(reason);
        },
        options_));
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_FALSE(is_last());
    EXPECT_EQ(error.kind(), ErrorKind::aborted) << error.what();
    EXPECT_NE(error.message().find(reason), std::string::npos) << error.what();
  } catch (const std::runtime_error& error) {
    EXPECT_TRUE(is_last());
    EXPECT_EQ(error.what(), reason);
  }
  comm_.barrier();
  static_cast<void>(write_at_once());
  comm_.barrier();
  expect_whole();
}

TEST_P(WriteFile, AnUnknownOptionOnOneRankIsAnErrorOnAll) {
  if (is_last()) options_.options["no_such_option"] = "1";
  expect_failure(
      ErrorKind::usage, [&](Writer&, WriteStep& step) { fill(step, Spread::even); }, last());
  EXPECT_TRUE(found().empty());
}

TEST_P(WriteFile, OtherOptionsOnOneRankAreAConflict) {
  if (comm_.size() == 1) return;
  if (is_last()) options_.lossy = true;
  expect_failure(
      ErrorKind::conflict, [&](Writer&, WriteStep& step) { fill(step, Spread::even); }, last());
  EXPECT_TRUE(found().empty());
}

TEST_P(WriteFile, AnotherFormatOnOneRankIsAConflict) {
  if (comm_.size() == 1) return;
  const auto formats = formats_of_tables();
  const auto other = std::ranges::find_if(formats, [](const Format* format) { return format != GetParam().format; });
  if (is_last()) {
    options_.format = (*other)->name;
    options_.options.clear();
  }
  Sample sample(**other, rows);
  const auto fill_any = [&](Writer&, WriteStep& step) {
    (is_last() ? sample : sample_).fill(step, 0, slice(Spread::even, rows, comm_));
  };
  expect_failure(ErrorKind::conflict, fill_any, last());
}

TEST_P(WriteFile, AnotherColumnOnOneRankIsAConflict) {
  if (comm_.size() == 1) return;
  const std::vector<double> x(1, 1.0);
  expect_failure(ErrorKind::conflict, [&](Writer&, WriteStep& step) {
    if (is_last()) {
      step.put("other", x).put("second", x).put("third", x);
    } else {
      fill(step, Spread::even);
    }
  });
  static_cast<void>(write_at_once());
  comm_.barrier();
  expect_whole();
}

TEST_P(WriteFile, AMissingFolderIsAnErrorOnAllRanks) {
  file_ = path("no_such_folder") + "/" + GetParam().name();
  const auto error = error_of([&] { static_cast<void>(write_at_once()); });
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(error->kind(), ErrorKind::missing) << error->what();
  EXPECT_FALSE(files::exists(path("no_such_folder")));
}

TEST_P(WriteFile, AFullDiskOnAnyRankIsAnErrorOnAll) {
  for (int rank = 0; rank < comm_.size(); ++rank) {
    for (const std::uint64_t after : {0, 1, 100}) {
      SCOPED_TRACE("rank " + std::to_string(rank) + " after " + std::to_string(after));
      fail_on(rank, after);
      const auto fill_it = [&](Writer&, WriteStep& step) { fill(step, Spread::even); };
      expect_failure(ErrorKind::io, fill_it, rank);
    }
  }
  options_.wrapper = {};
  static_cast<void>(write_at_once());
  comm_.barrier();
  expect_whole();
}

TEST_P(WriteFile, TheFillFunctionMayOnlyFill) {
  const std::vector<std::function<void(Writer&, WriteStep&)>> calls{
      [](Writer& out, WriteStep&) { out.close(); },
      [](Writer& out, WriteStep&) { out.abort("no reason"); },
      [](Writer& out, WriteStep&) { out.attach("notes", {}); },
      [](Writer&, WriteStep& step) { step.commit(); },
  };
  for (const auto& call : calls) {
    expect_failure(ErrorKind::usage, [&](Writer& out, WriteStep& step) {
      fill(step, Spread::even);
      static_cast<void>(out.counters());
      static_cast<void>(out.timing());
      call(out, step);
    });
  }
  static_cast<void>(write_at_once());
  comm_.barrier();
  expect_whole();
}

TEST_P(WriteFile, HoldsTheAttributesOfTheFile) {
  const Writer out = write_file(
      file_, comm_, 0,
      [&](Writer& file, WriteStep& step) {
        file.set("made_by", "a test");
        fill(step, Spread::even);
      },
      options_);
  comm_.barrier();
  Reader in = open(file_, comm_);
  const auto& attributes = in.description().attributes;
  const bool is_there = std::ranges::any_of(attributes, [](const Attribute& one) { return one.name == "made_by"; });
  const bool is_in_step = std::ranges::any_of(in.at(0).description().attributes,
                                              [](const Attribute& one) { return one.name == "made_by"; });
  EXPECT_TRUE(is_there || is_in_step);
  in.close();
}

INSTANTIATE_TEST_SUITE_P(Variants, WriteFile, testing::ValuesIn(variants()), name_of);

}  // namespace
}  // namespace quire::test::write_file_test
