// The main function of every MPI test: all ranks run the same tests, failures name their rank, and all ranks
// leave with the same exit code.
//
// QUIRE_TEST_RANKS   the world size that the test was registered with; another one fails at once. This detects
//                    the mpiexec of another MPI, under which every process is rank 0 of 1.

#include <gtest/gtest.h>
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string>

#include "support/chosen_source.hpp"

namespace {

/// Reports failures and skipped tests with the rank. Rank 0 alone prints everything else, with GoogleTest's own
/// printer.
class RankReporter : public testing::EmptyTestEventListener {
 public:
  explicit RankReporter(int rank) : rank_(rank) {}

 private:
  void OnTestStart(const testing::TestInfo& test) override {
    test_ = std::string(test.test_suite_name()) + '.' + test.name();
  }

  void OnTestEnd(const testing::TestInfo& /*test*/) override { test_.clear(); }

  // GoogleTest holds its lock while it reports a result: a query of the current test here would deadlock.
  void OnTestPartResult(const testing::TestPartResult& result) override {
    if (result.passed()) return;
    std::ostringstream line;
    line << "[rank " << rank_ << "] " << (result.skipped() ? "skipped " : "FAILED ");
    if (!test_.empty()) line << test_ << ": ";
    if (result.file_name() != nullptr) line << result.file_name() << ':' << result.line_number() << ": ";
    line << result.message() << '\n';
    // One write for the whole message, so that messages of different ranks do not mix.
    const std::string text = line.str();
    std::fwrite(text.data(), 1, text.size(), stderr);
  }

  int rank_;
  std::string test_;
};

/// Exit code with which ctest counts a test as skipped (SKIP_RETURN_CODE).
constexpr int skipped_exit_code = 77;

bool world_size_is_as_registered(int size) {
  const char* expected = std::getenv("QUIRE_TEST_RANKS");
  if (expected == nullptr) {
    std::fprintf(stderr, "QUIRE_TEST_RANKS is not set: run this test through ctest\n");
    return false;
  }
  if (std::atoi(expected) == size) return true;
  std::fprintf(stderr, "world size is %d, the test was registered for %s: mpiexec of another MPI?\n", size, expected);
  return false;
}

/// Runs all tests. *Collective*.
/// @return 0 if the tests passed on every rank, 1 if any failed on any rank, 77 if none ran to its end.
int run_and_agree(int rank) {
  testing::TestEventListeners& listeners = testing::UnitTest::GetInstance()->listeners();
  if (rank != 0) delete listeners.Release(listeners.default_result_printer());
  listeners.Append(new RankReporter(rank));  // owned by GoogleTest

  const int failed_here = RUN_ALL_TESTS() == 0 ? 0 : 1;
  const testing::UnitTest& all = *testing::UnitTest::GetInstance();
  const int ran_here = all.test_to_run_count() > all.skipped_test_count() ? 1 : 0;
  const int empty_here = all.test_to_run_count() == 0 ? 1 : 0;

  const int mine[2] = {failed_here + empty_here, ran_here};
  int anybody[2] = {0, 0};
  MPI_Allreduce(mine, anybody, 2, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  if (anybody[0] != 0) return 1;
  return anybody[1] != 0 ? 0 : skipped_exit_code;
}

}  // namespace

int main(int argc, char** argv) {
  int provided = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  testing::InitGoogleTest(&argc, argv);
  quire::test::choose_source();

  int rank = 0;
  int size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);

  int exit_code = 1;
  if (provided < MPI_THREAD_FUNNELED) {
    std::fprintf(stderr, "this MPI does not provide MPI_THREAD_FUNNELED\n");
  } else if (world_size_is_as_registered(size)) {
    exit_code = run_and_agree(rank);
  }
  MPI_Finalize();
  return exit_code;
}
