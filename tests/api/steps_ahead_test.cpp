// Steps that are described in advance.

#include "api/read/steps_ahead.hpp"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "quire/base/error.hpp"

namespace quire::steps_ahead_test {
namespace {

/// `steps` steps of some columns, one of them damaged.
class FewSteps final : public Describer {
 public:
  FewSteps(std::uint64_t steps, std::size_t columns) : steps_(steps), columns_(columns) {}

  [[nodiscard]] const FileDescription& file() const override { return file_; }
  [[nodiscard]] std::uint64_t steps() override { return steps_; }
  [[nodiscard]] std::int64_t step_number(std::uint64_t index) override { return static_cast<std::int64_t>(index); }
  [[nodiscard]] std::optional<StepLayout> step(std::uint64_t index) override {
    asked.push_back(index);
    if (index == damaged) throw Error(ErrorKind::bad_file, "step is damaged");
    if (index >= steps_) return std::nullopt;
    StepLayout layout;
    layout.description.number = static_cast<std::int64_t>(index);
    layout.tables.resize(1);
    layout.tables[0].runs.resize(columns_);
    return layout;
  }
  [[nodiscard]] DescriberCapabilities capabilities() override { return {.looks_ahead = is_fast}; }

  std::vector<std::uint64_t> asked;
  std::optional<std::uint64_t> damaged;
  bool is_fast = true;

 private:
  std::uint64_t steps_;
  std::size_t columns_;
  FileDescription file_;
};

std::vector<std::int64_t> numbers_of(const std::vector<StepLayout>& layouts) {
  std::vector<std::int64_t> numbers;
  for (const StepLayout& layout : layouts) numbers.push_back(layout.description.number);
  return numbers;
}

TEST(DescribeAhead, DescribesSmallStepsThatFollow) {
  FewSteps file(100, 6);
  EXPECT_EQ(numbers_of(describe_ahead(file, 3, true)), (std::vector<std::int64_t>{3, 4, 5, 6, 7, 8, 9, 10}));
  EXPECT_EQ(numbers_of(describe_ahead(file, 98, true)), (std::vector<std::int64_t>{98, 99}));
  EXPECT_TRUE(describe_ahead(file, 100, true).empty());
}

TEST(DescribeAhead, DescribesNoUnneededSteps) {
  FewSteps file(100, 6);
  EXPECT_EQ(numbers_of(describe_ahead(file, 3, false)), std::vector<std::int64_t>{3});
  file.is_fast = false;
  EXPECT_EQ(numbers_of(describe_ahead(file, 3, true)), std::vector<std::int64_t>{3});
  FewSteps wide(100, 500);
  EXPECT_EQ(numbers_of(describe_ahead(wide, 3, true)), std::vector<std::int64_t>{3});
  EXPECT_EQ(wide.asked, std::vector<std::uint64_t>{3});
  FewSteps middle(100, 40);
  EXPECT_EQ(numbers_of(describe_ahead(middle, 3, true)), (std::vector<std::int64_t>{3, 4, 5}));
}

TEST(DescribeAhead, DamageIsReportedOnlyForItsStep) {
  FewSteps file(100, 6);
  file.damaged = 5;
  EXPECT_EQ(numbers_of(describe_ahead(file, 3, true)), (std::vector<std::int64_t>{3, 4}));
  EXPECT_THROW(static_cast<void>(describe_ahead(file, 5, true)), Error);
}

TEST(StepsAhead, AreTakenInOrderAndOnce) {
  FewSteps file(100, 6);
  StepsAhead ahead;
  EXPECT_TRUE(ahead.follows(0));
  EXPECT_EQ(ahead.take(0), std::nullopt);
  EXPECT_EQ(ahead.keep(0, describe_ahead(file, 0, true))->description.number, 0);
  EXPECT_EQ(ahead.take(0), std::nullopt);
  EXPECT_EQ(ahead.take(1)->description.number, 1);
  EXPECT_EQ(ahead.take(3), std::nullopt);
  EXPECT_TRUE(ahead.follows(2));
  // Another order: the steps described in advance are dropped.
  EXPECT_EQ(ahead.keep(50, describe_ahead(file, 50, ahead.follows(50)))->description.number, 50);
  EXPECT_EQ(ahead.take(51), std::nullopt);
  EXPECT_TRUE(ahead.follows(51));
  EXPECT_EQ(ahead.keep(100, {}), std::nullopt);
  EXPECT_FALSE(ahead.follows(101));
}

}  // namespace
}  // namespace quire::steps_ahead_test
