// Ranks that call different functions of an open writer: all of them raise, for every pair of calls, and the file stays
// usable.

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "quire/quire.hpp"
#include "quire/spi/format/planner_capabilities.hpp"
#include "support/environment.hpp"
#include "support/sample.hpp"

namespace quire::test::discord_calls_test {
namespace {

/// What a rank calls on the open step or on the file.
enum class Doing { commit, open, rows, attach, detach, abort, leave, close, give_up };
constexpr std::array doings{
    std::pair(Doing::commit, "commit"), std::pair(Doing::open, "open"),     std::pair(Doing::rows, "agree_on_rows"),
    std::pair(Doing::attach, "attach"), std::pair(Doing::detach, "detach"), std::pair(Doing::abort, "abort"),
    std::pair(Doing::leave, "leave"),   std::pair(Doing::close, "close"),   std::pair(Doing::give_up, "give up")};
/// How far the step is at that moment.
enum class Stage { none, filled, agreed, placed };
constexpr std::array stages{std::pair(Stage::none, "no step"), std::pair(Stage::filled, "filled"),
                            std::pair(Stage::agreed, "agreed on rows"), std::pair(Stage::placed, "placed")};

bool is_possible(Doing doing, Stage stage) {
  const bool is_of_file =
      doing == Doing::attach || doing == Doing::detach || doing == Doing::close || doing == Doing::give_up;
  if (is_of_file || stage == Stage::none) return is_of_file;
  const bool is_before_places = doing == Doing::open || doing == Doing::rows;
  return stage != Stage::placed || !is_before_places;
}
/// Calls that end the step or the file notify the other ranks, and need not raise.
bool is_silent(Doing doing) {
  return doing == Doing::abort || doing == Doing::leave || doing == Doing::close || doing == Doing::give_up;
}

class DiscordOfCalls : public testing::TestWithParam<Variant> {
 protected:
  void SetUp() override {
    comm_.set_deadline(std::chrono::seconds(20));
    options_ = GetParam().write_options();
    options_.deadline = std::chrono::seconds(20);
    file_ = path("calls_" + GetParam().name());
  }

  /// Rows of a step, enough for ranks to share chunks.
  void declare(WriteStep& step) {
    Column column;
    column.name = "x";
    step.table().rows(x_.size()).declare(column);
  }

  std::unique_ptr<WriteStep> step_at(Writer& out, Stage stage) {
    if (stage == Stage::none) return nullptr;
    auto step = std::make_unique<WriteStep>(out.step(1));
    const std::vector<ConstView> block{ConstView(std::span(x_))};
    if (stage == Stage::filled) {
      step->put("x", x_);
      return step;
    }
    declare(*step);
    step->agree_on_rows();
    step->weigh("", block);
    if (stage == Stage::agreed) return step;
    step->open();
    step->write("", 0, block);
    return step;
  }

  void act(Writer& out, std::unique_ptr<WriteStep>& step, Doing doing) {
    switch (doing) {
      case Doing::commit:
        return step->commit();
      case Doing::open:
        return step->open();
      case Doing::rows:
        // Where this call is harmless, the next one differs.
        step->agree_on_rows();
        return out.detach("nothing");
      case Doing::attach:
        return out.attach("some", {});
      case Doing::detach:
        return out.detach("nothing");
      case Doing::abort:
        return step->abort("enough");
      case Doing::leave:
        step.reset();
        return out.close();
      case Doing::close:
        return out.close();
      case Doing::give_up:
        return out.abort("enough");
    }
  }

  /// All ranks throw the same error, except those whose call is silent.
  void expect_common_error(Writer& out, Stage stage, Doing most, Doing last) {
    const Doing mine = comm_.rank() == comm_.size() - 1 ? last : most;
    std::unique_ptr<WriteStep> step = step_at(out, stage);
    std::optional<Error> raised;
    try {
      act(out, step, mine);
    } catch (const Error& error) {
      raised = error;
    }
    if (is_silent(mine)) {
      EXPECT_FALSE(raised) << raised->what();
      return;
    }
    ASSERT_TRUE(raised) << "no error";
    EXPECT_NE(raised->kind(), ErrorKind::deadline) << raised->what();
    EXPECT_NE(raised->kind(), ErrorKind::internal) << raised->what();
    EXPECT_EQ(raised->file(), file_) << raised->what();
  }

  Comm comm_ = everyone();
  WriteOptions options_;
  std::string file_;
  std::vector<double> x_ = std::vector<double>(5, 1.5);
};

TEST_P(DiscordOfCalls, IsAnErrorOnAllRanks) {
  for (const auto& [stage, stage_name] : stages) {
    for (const auto& [most, most_name] : doings) {
      for (const auto& [last, last_name] : doings) {
        if (most == last || !is_possible(most, stage) || !is_possible(last, stage)) continue;
        if (is_silent(most) && is_silent(last)) continue;
        const std::string when = std::string(stage_name) + ", " + most_name + " against " + last_name;
        SCOPED_TRACE(when);
        Writer out = create(file_, comm_, options_);
        expect_common_error(out, stage, most, last);
        // The remaining ranks close the file, which has no step but is whole.
        out.close();
        Reader in = open(file_, comm_);
        EXPECT_EQ(in.size(), 0U);
        in.close();
        if (HasFailure()) return;
      }
    }
  }
}

/// After a call that is refused on all ranks, the file accepts further steps.
TEST_P(DiscordOfCalls, LeavesTheFileUsable) {
  for (const Stage stage : {Stage::filled, Stage::agreed, Stage::placed}) {
    Writer out = create(file_, comm_, options_);
    expect_common_error(out, stage, Doing::commit, Doing::attach);
    WriteStep step = out.step(2);
    step.put("x", x_);
    step.commit();
    out.close();
    Reader in = open(file_, comm_);
    EXPECT_EQ(in.numbers(), std::vector<std::int64_t>{2});
    in.close();
  }
}

/// An attachment cannot wait for the step: a rank that has written blocks must get an error that they are gone.
TEST_P(DiscordOfCalls, ReportsThatTheOpenStepWasAborted) {
  for (const Doing most : {Doing::commit, Doing::attach, Doing::detach}) {
    Writer out = create(file_, comm_, options_);
    std::unique_ptr<WriteStep> step = step_at(out, Stage::placed);
    std::string message;
    try {
      act(out, step, comm_.rank() == comm_.size() - 1 ? Doing::attach : most);
    } catch (const Error& error) {
      message = error.what();
    }
    EXPECT_NE(message.find("the open step was taken back"), std::string::npos) << message;
    EXPECT_NE(message.find("attach before it is opened"), std::string::npos) << message;
    step.reset();
    out.close();
  }
}

/// One kind of file for each way in which the ranks of a format of steps synchronize.
std::vector<Variant> kinds_of_planners() {
  std::vector<Variant> all;
  std::set<std::tuple<std::string_view, bool, bool>> known;
  for (const Variant& variant : variants_of_steps()) {
    const auto planner = variant.format->plan_writing(CheckedOptions(variant.format->write_options, variant.options));
    const PlannerCapabilities can = planner->capabilities();
    if (known.emplace(variant.format->name, can.weigher != nullptr, can.encodes_together()).second) {
      all.push_back(variant);
    }
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(Formats, DiscordOfCalls, testing::ValuesIn(kinds_of_planners()),
                         [](const auto& chosen) { return chosen.param.name(); });

}  // namespace
}  // namespace quire::test::discord_calls_test
