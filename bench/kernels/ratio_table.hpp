#pragma once

#include <benchmark/benchmark.h>

#include <map>
#include <string>
#include <vector>

namespace quire::bench {

/// A target of specs/performance.md: one benchmark's speed as a multiple of another's in the same run.
struct Ratio {
  std::string target;  ///< "K1"
  std::string what;
  std::string benchmark;
  std::string reference;
  double must = 0;
  std::string aim;
};

/// Collects the CPU time of every repetition and prints one line per ratio at the end: ratio of medians, the median of
/// the ratios of equal repetitions (they differ when the run was disturbed), the best of each, seconds per GB.
class RatioTable final : public benchmark::BenchmarkReporter {
 public:
  explicit RatioTable(std::vector<Ratio> ratios) : ratios_(std::move(ratios)) {}

  bool ReportContext(const Context& context) override;
  void ReportRuns(const std::vector<Run>& runs) override;
  void Finalize() override;

 private:
  std::vector<Ratio> ratios_;
  std::map<std::string, std::vector<double>> seconds_per_gb_;  ///< by benchmark, in the order of repetitions
  double load_before_ = 0;
};

}  // namespace quire::bench
