// The operations of the fuzzers of this folder on small files of every format, and on inputs that the fuzzers have
// found.

#include "harness/fuzzed_file.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <ostream>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "harness/fuzzed_inputs.hpp"
#include "support/choices.hpp"
#include "support/environment.hpp"

namespace quire::test::fuzzed_file_test {
namespace {

struct Action {
  std::string name;
  std::function<void(std::span<const std::uint8_t>)> run;
};

const std::vector<Action>& actions() {
  static const std::vector<Action> all{
      {"append", append_to_fuzzed}, {"repair", repair_fuzzed}, {"convert", convert_fuzzed}};
  return all;
}

void PrintTo(const Action& action, std::ostream* out) { *out << action.name; }

class FuzzedFile : public testing::TestWithParam<Action> {};

TEST_P(FuzzedFile, IsHarmlessForAnyChoices) {
  std::mt19937 random(23);
  for (FuzzedInput& input : fuzzed_inputs()) {
    SCOPED_TRACE(input.name);
    EXPECT_NO_THROW(GetParam().run(input.bytes));
    for (int round = 0; round < 3; ++round) {
      std::vector<int> chosen;
      for (std::size_t i = 0; i < Choices::bytes; ++i) chosen.push_back(static_cast<std::uint8_t>(random()));
      std::ranges::copy(chosen, input.bytes.begin());
      EXPECT_NO_THROW(GetParam().run(input.bytes)) << testing::PrintToString(chosen);
    }
  }
}

TEST_P(FuzzedFile, KnownInputsAreHarmless) {
  std::size_t found = 0;
  const std::filesystem::path data = std::getenv("QUIRE_TEST_DATA");
  for (const auto& entry : std::filesystem::directory_iterator(data / "fuzzed" / GetParam().name)) {
    SCOPED_TRACE(entry.path().filename().string());
    const std::string bytes = bytes_of(entry.path().string());
    EXPECT_NO_THROW(GetParam().run({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()}));
    ++found;
  }
  EXPECT_GT(found, 0U);
}

INSTANTIATE_TEST_SUITE_P(Actions, FuzzedFile, testing::ValuesIn(actions()),
                         [](const auto& chosen) { return chosen.param.name; });

}  // namespace
}  // namespace quire::test::fuzzed_file_test
