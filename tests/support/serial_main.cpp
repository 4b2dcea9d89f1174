// The main function of the MPI tests in a build without MPI, where they run as the one rank of a serial program.

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  const char* expected = std::getenv("QUIRE_TEST_RANKS");
  if (expected == nullptr || std::string_view(expected) != "1") {
    std::fprintf(stderr, "QUIRE_TEST_RANKS must be 1 in a serial build: run this test through ctest\n");
    return 1;
  }
  const int failed = RUN_ALL_TESTS();
  const testing::UnitTest& all = *testing::UnitTest::GetInstance();
  if (failed != 0 || all.test_to_run_count() == 0) return 1;
  constexpr int skipped_exit_code = 77;  // SKIP_RETURN_CODE of the registered test
  return all.skipped_test_count() == all.test_to_run_count() ? skipped_exit_code : 0;
}
