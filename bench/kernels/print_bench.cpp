#include "kernels/print_bench.hpp"

#include <cmath>
#include <cstdio>
#include <random>

#include "kernels/number_print.hpp"

namespace quire::bench {
namespace {

constexpr std::size_t numbers = 4096;

/// Coordinates and momenta of a beam: both signs, all digits, small exponents.
std::vector<double> sample() {
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  std::vector<double> values(numbers);
  for (std::size_t i = 0; i < numbers; ++i) values[i] = normal(random) * std::pow(10.0, static_cast<double>(i % 8) - 6);
  return values;
}

void run_print(benchmark::State& state, kernels::Digits digits) {
  const std::vector<double> values = sample();
  std::vector<char> text(numbers * (kernels::widest_number + 1));
  const auto print = kernels::number_printer(Type::float64, digits);
  for (auto _ : state) {
    char* out = text.data();
    for (const double& value : values) {
      out = print(reinterpret_cast<const std::byte*>(&value), out);
      *out++ = ' ';
    }
    benchmark::ClobberMemory();
  }
  state.counters["bytes"] = numbers * sizeof(double);
}

void run_snprintf(benchmark::State& state) {
  const std::vector<double> values = sample();
  std::vector<char> text(numbers * (kernels::widest_number + 1));
  for (auto _ : state) {
    char* out = text.data();
    for (const double value : values) {
      out += std::snprintf(out, kernels::widest_number, "%22.15e", value);
      *out++ = ' ';
    }
    benchmark::ClobberMemory();
  }
  state.counters["bytes"] = numbers * sizeof(double);
}

}  // namespace

std::vector<Ratio> register_printing() {
  benchmark::RegisterBenchmark("print snprintf", run_snprintf);
  benchmark::RegisterBenchmark("print float64, 16 digits", run_print, kernels::Digits::printf);
  benchmark::RegisterBenchmark("print float64, shortest", run_print, kernels::Digits::shortest);
  return {{"T2", "print float64, 16 digits", "print float64, 16 digits", "print snprintf", 2.3, "2.7-3.5"},
          {"T2", "print float64, shortest", "print float64, shortest", "print snprintf", 2.3, "2.7-3.5"}};
}

}  // namespace quire::bench
