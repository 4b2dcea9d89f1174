#include "kernels/ratio_table.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>

namespace quire::bench {
namespace {

double load_average() {
  std::array<double, 1> load{};
  return getloadavg(load.data(), 1) == 1 ? load[0] : -1.0;
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

/// How much faster `own` is than `reference`: repetition by repetition.
std::vector<double> paired(const std::vector<double>& own, const std::vector<double>& reference) {
  std::vector<double> result;
  for (std::size_t i = 0; i < std::min(own.size(), reference.size()); ++i) result.push_back(reference[i] / own[i]);
  return result;
}

}  // namespace

bool RatioTable::ReportContext(const Context&) {
  load_before_ = load_average();
  return true;
}

void RatioTable::ReportRuns(const std::vector<Run>& runs) {
  for (const Run& run : runs) {
    if (run.run_type != Run::RT_Iteration || run.error_occurred) continue;
    const double bytes = run.counters.at("bytes").value * static_cast<double>(run.iterations);
    seconds_per_gb_[run.run_name.function_name].push_back(run.cpu_accumulated_time / bytes * 1e9);
  }
}

void RatioTable::Finalize() {
  std::printf("%-3s %-38s %5s %9s %9s %7s %6s %8s\n", "", "kernel against reference, CPU time", "must", "aim",
              "measured", "paired", "best", "c (s/GB)");
  for (const Ratio& ratio : ratios_) {
    const auto& own = seconds_per_gb_[ratio.benchmark];
    const auto& reference = seconds_per_gb_[ratio.reference];
    if (own.empty() || reference.empty()) continue;
    const double measured = median(reference) / median(own);
    std::printf("%-3s %-38s %5.2f %9s %9.2f %7.2f %6.2f %8.3f%s\n", ratio.target.c_str(), ratio.what.c_str(),
                ratio.must, ratio.aim.c_str(), measured, median(paired(own, reference)),
                *std::ranges::min_element(reference) / *std::ranges::min_element(own), median(own),
                measured < ratio.must ? "  below must" : "");
  }
  std::printf("load average %.2f before, %.2f after (this program included)\n", load_before_, load_average());
}

}  // namespace quire::bench
