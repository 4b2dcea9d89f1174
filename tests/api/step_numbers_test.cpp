// Steps found by their numbers.

#include "api/read/step_numbers.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace quire::step_numbers_test {
namespace {

/// Steps with the numbers 10, 20, 30 and so on, which count the requests for numbers.
class CountingSteps final : public Describer {
 public:
  explicit CountingSteps(std::uint64_t steps) : steps_(steps) {}

  [[nodiscard]] const FileDescription& file() const override { return file_; }
  [[nodiscard]] std::uint64_t steps() override { return steps_; }
  [[nodiscard]] std::int64_t step_number(std::uint64_t index) override {
    ++asked;
    return static_cast<std::int64_t>(10 * (index + 1));
  }
  [[nodiscard]] std::optional<StepLayout> step(std::uint64_t) override { return std::nullopt; }

  std::size_t asked = 0;

 private:
  std::uint64_t steps_;
  FileDescription file_;
};

TEST(FindNumber, ReadsFewOfManyNumbers) {
  CountingSteps file(5'000'000);
  EXPECT_EQ(find_number(file, 10).index, 0U);
  EXPECT_EQ(find_number(file, 31'415'920).index, 3'141'591U);
  EXPECT_EQ(find_number(file, 50'000'000).index, 4'999'999U);
  EXPECT_LE(file.asked, 100U);
}

TEST(FindNumber, WithoutTheStepReturnsItsNeighbours) {
  CountingSteps file(100);
  for (const auto& [wanted, text] : {std::pair(std::int64_t{31}, "the nearest are 30, 40, 20"),
                                     std::pair(std::int64_t{-5}, "the nearest are 10, 20, 30"),
                                     std::pair(std::int64_t{9999}, "the nearest are 1000, 990, 980")}) {
    const FoundNumber found = find_number(file, wanted);
    EXPECT_FALSE(found.index.has_value());
    EXPECT_EQ(nearest_numbers(found.neighbours, wanted), text);
  }
  CountingSteps none(0);
  EXPECT_EQ(nearest_numbers(find_number(none, 1).neighbours, 1), "the file has no steps");
}

TEST(SomeNumbers, EndWithTheFile) {
  CountingSteps file(4);
  EXPECT_EQ(some_numbers(file, 0, 2), (std::vector<std::int64_t>{10, 20}));
  EXPECT_EQ(some_numbers(file, 2, 100), (std::vector<std::int64_t>{30, 40}));
  EXPECT_TRUE(some_numbers(file, 4, 1).empty());
  EXPECT_TRUE(some_numbers(file, 400, 1).empty());
}

}  // namespace
}  // namespace quire::step_numbers_test
