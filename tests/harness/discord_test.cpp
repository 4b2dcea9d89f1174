// Ranks that do different things: every rank raises, no rank waits for ever, earlier steps stay.

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <vector>

#include "quire/quire.hpp"
#include "support/environment.hpp"
#include "support/sample.hpp"

namespace quire::test::discord_test {
namespace {

constexpr std::uint64_t rows = 10;

class Discord : public testing::TestWithParam<const Format*> {
 protected:
  void SetUp() override {
    comm_.set_deadline(std::chrono::seconds(60));
    options_.format = GetParam()->name;
    options_.deadline = std::chrono::seconds(60);
    file_ = path("discord_" + std::string(GetParam()->name));
  }

  Slice mine() { return slice(Spread::even, rows, comm_); }
  [[nodiscard]] bool is_last() const { return comm_.rank() == comm_.size() - 1; }

  void write(Writer& out, std::int64_t number) {
    WriteStep step = out.step(number);
    sample_.fill(step, number, mine());
    step.commit();
  }

  /// Everything of a streamed step except the values of its columns.
  void declare(WriteStep& step, std::int64_t number) {
    const StepPart part = sample_.part(number, mine());
    for (const Attribute& attribute : part.description.attributes) step.set(attribute);
    step.table().rows(mine().count);
    sample_.declare(step, part);
    sample_.put_fields(step, number, mine());
  }

  /// The declared columns of this rank, in one block.
  void write_rows(WriteStep& step, std::int64_t number) {
    std::vector<ConstView> views;
    for (const Column& column : sample_.columns()) views.push_back(sample_.column(column, number, mine()));
    step.write("", 0, views);
  }

  /// Opens a step, which the last rank leaves without commit and all others commit.
  void leave_open_step(Writer& out) {
    WriteStep step = out.step(1);
    declare(step, 1);
    step.open();
    if (is_last()) return;
    write_rows(step, 1);
    const Error error = error_of([&] { step.commit(); });
    EXPECT_EQ(error.kind(), ErrorKind::aborted) << error.what();
    EXPECT_EQ(error.rank(), comm_.size() - 1) << error.what();
  }

  /// The error that commit() raises on this rank.
  static Error error_of(const std::function<void()>& action) {
    try {
      action();
    } catch (const Error& error) {
      return error;
    }
    ADD_FAILURE() << "no error";
    return {ErrorKind::internal, "none"};
  }

  /// The file still accepts a step, and then holds exactly these.
  void expect_usable(Writer& out, const std::vector<std::int64_t>& numbers) {
    write(out, numbers.back());
    out.close();
    Reader in = open(file_, comm_);
    EXPECT_EQ(in.numbers(), numbers);
    for (const std::int64_t number : numbers) EXPECT_EQ(sample_.difference(in.step(number), mine()), "");
    in.close();
  }

  Comm comm_ = everyone();
  WriteOptions options_;
  std::string file_;
  Sample sample_{*GetParam(), rows};
};

TEST_P(Discord, AColumnIsMissingOnOneRank) {
  Writer out = create(file_, comm_, options_);
  write(out, 0);
  std::vector<double> x(mine().count, 1.0);
  WriteStep step = out.step(1);
  if (is_last()) {
    step.put("x", x);
  } else {
    sample_.fill(step, 1, mine());
  }
  const Error error = error_of([&] { step.commit(); });
  EXPECT_EQ(error.kind(), ErrorKind::conflict) << error.what();
  EXPECT_TRUE(error.rank().has_value());
  EXPECT_NE(error.object(), "") << error.what();
  expect_usable(out, {0, 2});
}

TEST_P(Discord, AColumnHasAnotherTypeOnOneRankInTheFirstStep) {
  Writer out = create(file_, comm_, options_);
  const std::vector<double> wide(mine().count, 1.0);
  const std::vector<float> narrow(mine().count, 1.0F);
  WriteStep step = out.step(0);
  if (is_last()) {
    step.put("x", narrow);
  } else {
    step.put("x", wide);
  }
  const Error error = error_of([&] { step.commit(); });
  EXPECT_EQ(error.object(), "x") << error.what();
  EXPECT_NE(error.message().find("float32 here, float64 on rank 0"), std::string::npos) << error.what();
  expect_usable(out, {0});
}

TEST_P(Discord, AStepHasAnotherNumberOnOneRank) {
  Writer out = create(file_, comm_, options_);
  const std::vector<double> x(mine().count, 1.0);
  WriteStep step = out.step(is_last() ? 7 : 0);
  step.put("x", x);
  const Error error = error_of([&] { step.commit(); });
  EXPECT_EQ(error.object(), "step 7") << error.what();
  EXPECT_EQ(error.message(), "rank 0 writes step 0");
  EXPECT_EQ(error.advice(), "every rank gives a step the same number");
  expect_usable(out, {0});
}

TEST_P(Discord, AFieldHasOtherExtentsOnOneRank) {
  Field field;
  field.name = "phi";
  field.extents = {6, is_last() ? 5U : 4U};
  StepDescription held;
  held.fields = {field};
  if (GetParam()->fit_with_presets({}, held).adapted.fields.empty()) GTEST_SKIP() << "the format has no fields";
  Writer out = create(file_, comm_, options_);
  WriteStep step = out.step(0);
  step.put_field(field, Box{{0, 0}, {0, 0}}, {ConstView(Type::float64, nullptr, 0, sizeof(double))});
  const Error error = error_of([&] { step.commit(); });
  EXPECT_EQ(error.object(), "phi") << error.what();
  EXPECT_EQ(error.message(), "the field has 6 x 5 elements here, 6 x 4 on rank 0");
  expect_usable(out, {0});
}

TEST_P(Discord, ALossyColumnIsAnErrorUnlessAskedFor) {
  Writer out = create(file_, comm_, options_);
  const std::vector<float> narrow(mine().count, 1.0F);
  const std::vector<double> wide(mine().count, 0.1);
  WriteStep first = out.step(0);
  first.put("x", narrow).commit();
  WriteStep second = out.step(1);
  second.put("x", wide);
  // A format whose steps are independent may hold both types; then nothing is lost.
  bool refused = false;
  try {
    second.commit();
  } catch (const Error& error) {
    refused = true;
    EXPECT_EQ(error.kind(), ErrorKind::type) << error.what();
    EXPECT_NE(error.object().find('x'), std::string::npos) << error.what();
  }
  out.close();
  Reader in = open(file_, comm_);
  if (!refused) {
    std::vector<double> back(mine().count);
    in.step(1).read({}, mine(), {{"x", back}});
    EXPECT_EQ(back, wide);
  }
  EXPECT_EQ(in.size(), refused ? 1U : 2U);
  in.close();
}

TEST_P(Discord, OneRankPutsColumnsOfDifferentLengths) {
  Writer out = create(file_, comm_, options_);
  const std::vector<double> x(mine().count, 1.0);
  const std::vector<double> longer(mine().count + 1, 1.0);
  WriteStep step = out.step(0);
  step.put("x", x);
  step.put("y", is_last() ? longer : x);
  const Error error = error_of([&] { step.commit(); });
  EXPECT_EQ(error.object(), "y") << error.what();
  EXPECT_EQ(error.rank(), comm_.size() - 1) << error.what();
  expect_usable(out, {0});
}

TEST_P(Discord, AnExceptionOnOneRankFreesTheOthers) {
  Writer out = create(file_, comm_, options_);
  write(out, 0);
  std::string message;
  try {
    out.write_step(1, [&](WriteStep& step) {
      if (is_last()) throw std::runtime_error("the magnet quenched");
      sample_.fill(step, 1, mine());
    });
  } catch (const std::exception& error) {
    message = error.what();
  }
  EXPECT_NE(message.find("the magnet quenched"), std::string::npos) << message;
  expect_usable(out, {0, 2});
}

TEST_P(Discord, AbortInTheMiddleOfAStreamedStep) {
  Writer out = create(file_, comm_, options_);
  write(out, 0);
  WriteStep step = out.step(1);
  declare(step, 1);
  step.open();
  if (is_last()) {
    step.abort("enough");
  } else {
    write_rows(step, 1);
    EXPECT_EQ(error_of([&] { step.commit(); }).kind(), ErrorKind::aborted);
  }
  expect_usable(out, {0, 2});
}

// Rows without a block would be undefined in the file.
TEST_P(Discord, ARankDoesNotWriteAllRowsOfAStreamedStep) {
  Writer out = create(file_, comm_, options_);
  write(out, 0);
  for (const bool opens : {true, false}) {
    SCOPED_TRACE(opens ? "none after open" : "no open");
    WriteStep step = out.step(1);
    declare(step, 1);
    if (opens) step.open();
    const Error error = error_of([&] { step.commit(); });
    EXPECT_EQ(error.kind(), ErrorKind::usage) << error.what();
    EXPECT_TRUE(error.rank().has_value());
  }
  expect_usable(out, {0, 2});
}

TEST_P(Discord, ABlockOfAStreamedStepIsMissingOnOneRank) {
  Writer out = create(file_, comm_, options_);
  const std::vector<double> x(mine().count, 1.5);
  const std::uint64_t half = mine().count / 2;
  const auto block = [&](std::uint64_t first, std::uint64_t count) {
    return std::vector<ConstView>{ConstView(std::span(x).subspan(first, count))};
  };
  for (const bool skips : {true, false}) {
    SCOPED_TRACE(skips ? "the first one" : "the last one");
    WriteStep step = out.step(1);
    Column column;
    column.name = "x";
    step.table().rows(x.size()).declare(column);
    step.agree_on_rows();
    step.weigh("", block(0, x.size()));
    const Error error = error_of([&] {
      step.open();
      if (!is_last() || !skips) step.write("", 0, block(0, half));
      if (!is_last() || skips) step.write("", half, block(half, x.size() - half));
      step.commit();
    });
    EXPECT_EQ(error.kind(), ErrorKind::usage) << error.what();
    EXPECT_EQ(error.rank(), comm_.size() - 1) << error.what();
  }
  expect_usable(out, {2});
}

TEST_P(Discord, AStepLeftWithoutCommitIsReportedAtClose) {
  Writer out = create(file_, comm_, options_);
  write(out, 0);
  if (is_last()) {
    WriteStep forgotten = out.step(1);
    sample_.fill(forgotten, 1, mine());
  } else {
    WriteStep step = out.step(1);
    sample_.fill(step, 1, mine());
    const Error error = error_of([&] { step.commit(); });
    EXPECT_EQ(error.kind(), ErrorKind::aborted) << error.what();
  }
  out.close();
  Reader in = open(file_, comm_);
  EXPECT_EQ(in.numbers(), (std::vector<std::int64_t>{0}));
  in.close();
}

TEST_P(Discord, AnOpenStepLeftWithoutCommitIsReportedAtClose) {
  Writer out = create(file_, comm_, options_);
  write(out, 0);
  leave_open_step(out);
  out.close();
  Reader in = open(file_, comm_);
  EXPECT_EQ(in.numbers(), (std::vector<std::int64_t>{0}));
  in.close();
}

TEST_P(Discord, AnOpenStepLeftWithoutCommitIsReportedByTheNextCommit) {
  Writer out = create(file_, comm_, options_);
  write(out, 0);
  leave_open_step(out);
  if (is_last()) {
    EXPECT_EQ(error_of([&] { write(out, 2); }).kind(), ErrorKind::aborted);
  }
  expect_usable(out, {0, 3});
}

TEST_P(Discord, TheErrorNamesTheRankThatAborts) {
  Writer out = create(file_, comm_, options_);
  write(out, 0);
  const bool leaves = is_last();
  if (leaves) {
    out.abort("the beam was lost");
  } else {
    WriteStep step = out.step(1);
    sample_.fill(step, 1, mine());
    const Error error = error_of([&] { step.commit(); });
    EXPECT_EQ(error.kind(), ErrorKind::aborted) << error.what();
    EXPECT_EQ(error.rank(), comm_.size() - 1) << error.what();
    EXPECT_NE(std::string(error.what()).find("the beam was lost"), std::string::npos) << error.what();
    out.close();
  }
  Reader in = open(file_, comm_);
  EXPECT_EQ(in.numbers(), (std::vector<std::int64_t>{0}));
  in.close();
}

TEST_P(Discord, TheErrorNamesTheRankThatClosesWhileOthersCommit) {
  Writer out = create(file_, comm_, options_);
  if (!is_last()) {
    WriteStep step = out.step(0);
    sample_.fill(step, 0, mine());
    const Error error = error_of([&] { step.commit(); });
    EXPECT_EQ(error.kind(), ErrorKind::aborted) << error.what();
    EXPECT_EQ(error.rank(), comm_.size() - 1) << error.what();
  }
  out.close();
}

TEST_P(Discord, AttributesThatDifferAreAnError) {
  Writer out = create(file_, comm_, options_);
  WriteStep step = out.step(0);
  sample_.fill(step, 0, mine());
  step.set("charge", comm_.rank() == 0 ? 1.0 : 2.0, "C");
  const Error error = error_of([&] { step.commit(); });
  EXPECT_EQ(error.kind(), ErrorKind::conflict) << error.what();
  EXPECT_NE(error.object().find("charge"), std::string::npos) << error.what();
  expect_usable(out, {0});
}

TEST_P(Discord, FileAttributesThatDifferAreAnError) {
  Writer out = create(file_, comm_, options_);
  out.set("run", comm_.rank());
  WriteStep step = out.step(0);
  sample_.fill(step, 0, mine());
  const Error error = error_of([&] { step.commit(); });
  EXPECT_EQ(error.kind(), ErrorKind::conflict) << error.what();
  EXPECT_NE(error.object().find("run"), std::string::npos) << error.what();
  EXPECT_EQ(error_of([&] { out.close(); }).kind(), ErrorKind::conflict) << "the ranks still do not agree";
}

TEST_P(Discord, FileAttributesThatDifferAtTheEndAreAnError) {
  Writer out = create(file_, comm_, options_);
  write(out, 0);
  try {
    out.set("late", comm_.rank());
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::unsupported) << error.what();
    return expect_usable(out, {0, 1});
  }
  const Error error = error_of([&] { out.close(); });
  EXPECT_EQ(error.kind(), ErrorKind::conflict) << error.what();
  EXPECT_NE(error.object().find("late"), std::string::npos) << error.what();
  // Committed steps are kept, also where the file replaces another one at the end.
  options_.options["replacement"] = "whole";
  Writer other = create(file_, comm_, options_);
  write(other, 0);
  write(other, 1);
  other.set("late", comm_.rank());
  EXPECT_EQ(error_of([&] { other.close(); }).kind(), ErrorKind::conflict);
  Reader in = open(file_, comm_);
  EXPECT_EQ(in.numbers(), (std::vector<std::int64_t>{0, 1}));
  const std::vector<Attribute>& held = in.description().attributes;
  EXPECT_EQ(std::ranges::find(held, "late", &Attribute::name), held.end()) << "the right value is not known";
  EXPECT_EQ(sample_.difference(in.step(0), mine()), "");
  in.close();
}

TEST_P(Discord, AFileIsNotDescribedWhileAStepIsOpen) {
  Writer out = create(file_, comm_, options_);
  WriteStep step = out.step(0);
  declare(step, 0);
  step.open();
  EXPECT_EQ(error_of([&] { out.set("late", comm_.rank()); }).kind(), ErrorKind::usage);
  EXPECT_EQ(error_of([&] { out.describe("late", ""); }).kind(), ErrorKind::usage);
  write_rows(step, 0);
  step.commit();
  EXPECT_EQ(error_of([&] { out.describe("too late", ""); }).kind(), ErrorKind::usage);
  expect_usable(out, {0, 1});
}

TEST_P(Discord, OneCommunicatorOpensOneFile) {
  const std::string own = file_ + (is_last() ? "other" : "");
  const Error creating = error_of([&] { static_cast<void>(create(own, comm_, options_)); });
  EXPECT_EQ(creating.kind(), ErrorKind::conflict) << creating.what();
  EXPECT_EQ(creating.rank(), comm_.size() - 1) << creating.what();
  const Error opening = error_of([&] { static_cast<void>(open(own, comm_)); });
  EXPECT_EQ(opening.kind(), ErrorKind::conflict) << opening.what();
}

TEST_P(Discord, TwoFilesOnDifferentHalvesOfTheRanks) {
  const int half = comm_.rank() % 2;
  Comm mine = comm_.split(half, comm_.rank());
  const std::string own = file_ + std::to_string(half);
  Writer all = create(file_, comm_, options_);
  Writer some = create(own, mine, options_);
  Sample other(*GetParam(), rows + 3);
  for (const std::int64_t number : {0, 1}) {
    WriteStep wide = all.step(number);
    WriteStep narrow = some.step(number);
    sample_.fill(wide, number, this->mine());
    other.fill(narrow, number, slice(Spread::even, rows + 3, mine));
    if (half == 0) narrow.commit();
    wide.commit();
    if (half == 1) narrow.commit();
  }
  some.close();
  all.close();
  Reader in = open(own, mine);
  EXPECT_EQ(other.difference(in.step(1), slice(Spread::even, rows + 3, mine)), "");
  in.close();
  Reader whole = open(file_, comm_);
  EXPECT_EQ(sample_.difference(whole.step(1), this->mine()), "");
  whole.close();
}

TEST_P(Discord, AMissingFileIsTheSameErrorEverywhere) {
  const Error error = error_of([&] { static_cast<void>(open(path("nowhere"), comm_)); });
  EXPECT_EQ(error.kind(), ErrorKind::missing) << error.what();
  const Error unwritable = error_of([&] { static_cast<void>(create(path("no/folder"), comm_, options_)); });
  EXPECT_EQ(unwritable.kind(), ErrorKind::missing) << unwritable.what();
}

TEST_P(Discord, AMissingRankRunsIntoTheDeadline) {
  Comm some = comm_.split(0, comm_.rank());
  WriteOptions hasty = options_;
  hasty.deadline = std::chrono::milliseconds(300);
  Writer out = create(file_ + "deadline", some, hasty);
  if (!is_last()) {
    WriteStep step = out.step(0);
    sample_.fill(step, 0, mine());
    EXPECT_EQ(error_of([&] { step.commit(); }).kind(), ErrorKind::deadline);
  }
  comm_.barrier();
}

TEST_P(Discord, RanksAppendWithDifferentOptions) {
  Writer out = create(file_, comm_, options_);
  for (const std::int64_t number : {0, 1, 2}) write(out, number);
  out.close();
  const auto refused = [&](std::int64_t after, Later later, bool durable) {
    WriteOptions options = options_;
    options.durable = durable;
    const Error error = error_of([&] { static_cast<void>(append(file_, comm_, after, later, options)); });
    EXPECT_EQ(error.kind(), ErrorKind::conflict) << error.what();
    EXPECT_EQ(error.rank(), comm_.size() - 1) << error.what();
    EXPECT_EQ(error.file(), file_) << error.what();
  };
  refused(is_last() ? 1 : 0, Later::drop, false);
  refused(2, is_last() ? Later::refuse : Later::drop, false);
  refused(2, Later::refuse, is_last());
  Reader in = open(file_, comm_);
  EXPECT_EQ(in.numbers(), (std::vector<std::int64_t>{0, 1, 2}));
  in.close();
}

// Rank 0 describes steps ahead: a rank that asks for another one would wait for an answer alone.
TEST_P(Discord, RanksReadDifferentSteps) {
  Writer out = create(file_, comm_, options_);
  for (const std::int64_t number : {0, 1, 2}) write(out, number);
  out.close();
  Reader in = open(file_, comm_);
  EXPECT_TRUE(in.try_at(0) && in.try_at(1));
  const auto is_refused = [&](const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::conflict) << error.what();
    EXPECT_EQ(error.file(), file_) << error.what();
  };
  is_refused(error_of([&] { static_cast<void>(in.try_at(is_last() ? 0 : 2)); }));
  is_refused(error_of([&] { static_cast<void>(in.at(is_last() ? 0 : 2)); }));
  is_refused(error_of([&] { static_cast<void>(in.step(is_last() ? 0 : 2)); }));
  EXPECT_EQ(in.try_at(2)->number(), 2);
  in.close();
}

TEST_P(Discord, ErrorsOfAppendNameTheFile) {
  Writer out = create(file_, comm_, options_);
  write(out, 0);
  write(out, 10);
  out.close();
  for (const auto& [after, kind] : {std::pair(5, ErrorKind::missing), std::pair(0, ErrorKind::conflict)}) {
    const Error error = error_of([&] { static_cast<void>(append(file_, comm_, after, Later::refuse, options_)); });
    EXPECT_EQ(error.kind(), kind) << error.what();
    EXPECT_EQ(error.file(), file_) << error.what();
    EXPECT_EQ(error.rank(), 0) << error.what();
  }
}

TEST_P(Discord, AFileIsClosedOnOneRankBeforeItsOpenStepIsCommitted) {
  Writer out = create(file_, comm_, options_);
  write(out, 0);
  WriteStep step = out.step(1);
  declare(step, 1);
  step.open();
  if (!is_last()) {
    write_rows(step, 1);
    const Error error = error_of([&] { step.commit(); });
    EXPECT_EQ(error.kind(), ErrorKind::aborted) << error.what();
    EXPECT_EQ(error.rank(), comm_.size() - 1) << error.what();
  }
  out.close();
  EXPECT_THROW(step.commit(), Error);
  Reader in = open(file_, comm_);
  EXPECT_EQ(in.numbers(), std::vector<std::int64_t>{0});
  in.close();
}

class DiscordOfStreams : public testing::TestWithParam<const Format*> {};

TEST_P(DiscordOfStreams, AnOpenStepLeftWithoutCommitIsReportedAtClose) {
  Comm comm = everyone();
  const bool leaves = comm.rank() == comm.size() - 1;
  WriteOptions options;
  options.format = GetParam()->name;
  options.deadline = std::chrono::seconds(60);
  std::optional<StreamWriter> kept;
  {
    Writer out = create(path("left"), comm, options);
    {
      WriteStep step = out.step(0);
      kept = step.stream({.rank = comm.rank(), .chunk_bytes = 100});
      step.open();
      if (!leaves) {
        EXPECT_THROW(step.commit(), Error);
      }
    }
    out.close();
  }
  // The file is removed, and nothing can be written through its stream.
  EXPECT_THROW(kept->write(std::vector<std::byte>(10)), Error);
}

INSTANTIATE_TEST_SUITE_P(Formats, DiscordOfStreams, testing::ValuesIn(formats_of_streams()),
                         [](const auto& chosen) { return std::string(chosen.param->name); });

INSTANTIATE_TEST_SUITE_P(Formats, Discord, testing::ValuesIn(formats_of_steps()),
                         [](const auto& chosen) { return std::string(chosen.param->name); });

}  // namespace
}  // namespace quire::test::discord_test
