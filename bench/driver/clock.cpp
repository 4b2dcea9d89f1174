#include "driver/clock.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <iterator>

namespace quire::bench {
namespace {

double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

}  // namespace

Sample measure(Comm& comm, const std::function<void()>& work) {
  comm.barrier();
  const double cpu_start = cpu_seconds();
  const double start = now();
  work();
  const double cpu = cpu_seconds() - cpu_start;
  comm.barrier();
  const double seconds = now() - start;

  constexpr double nano = 1e9;
  std::array<std::uint64_t, 2> words{static_cast<std::uint64_t>(std::llround(cpu * nano)),
                                     comm.is_root() ? static_cast<std::uint64_t>(std::llround(seconds * nano)) : 0};
  comm.sum(words);
  return {static_cast<double>(words[1]) / nano, static_cast<double>(words[0]) / nano};
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

std::vector<double> seconds_of(const std::vector<Sample>& samples) {
  std::vector<double> result;
  std::ranges::transform(samples, std::back_inserter(result), &Sample::seconds);
  return result;
}

std::vector<double> cpu_seconds_of(const std::vector<Sample>& samples) {
  std::vector<double> result;
  std::ranges::transform(samples, std::back_inserter(result), &Sample::cpu_seconds);
  return result;
}

double paired_ratio(const std::vector<double>& own, const std::vector<double>& reference) {
  std::vector<double> ratios;
  std::ranges::transform(reference, own, std::back_inserter(ratios), std::divides<>());
  return median(ratios);
}

}  // namespace quire::bench
