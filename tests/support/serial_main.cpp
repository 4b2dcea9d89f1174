// The main function of serial tests, and that of MPI tests in a build without MPI, where they run as the one rank of a
// serial program.

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "support/chosen_source.hpp"

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  quire::test::choose_source();
  const char* ranks = std::getenv("QUIRE_TEST_RANKS");
  if (ranks != nullptr && std::string_view(ranks) != "1") {
    std::fprintf(stderr, "QUIRE_TEST_RANKS is %s, but this program has one rank\n", ranks);
    return 1;
  }
  const int failed = RUN_ALL_TESTS();
  const testing::UnitTest& all = *testing::UnitTest::GetInstance();
  if (failed != 0 || all.test_to_run_count() == 0) return 1;
  constexpr int skipped_exit_code = 77;  // SKIP_RETURN_CODE of the registered test
  return all.skipped_test_count() == all.test_to_run_count() ? skipped_exit_code : 0;
}
