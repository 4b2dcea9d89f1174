#include "kernels/parse_bench.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <tuple>

#include "format/records.hpp"
#include "kernels/number_text.hpp"
#include "quire/spi/plan/record.hpp"

namespace quire::bench {
namespace {

constexpr std::size_t numbers = 4096;
constexpr std::size_t columns = 4;

/// Coordinates and momenta of a beam as the reference writer of text prints them: 16 digits.
std::string sample() {
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  std::string text;
  for (std::size_t i = 0; i < numbers; ++i) {
    std::array<char, 32> token{};
    std::snprintf(token.data(), token.size(), "%22.15e",
                  normal(random) * std::pow(10.0, static_cast<double>(i % 8) - 6));
    text += token.data();
    text += i % columns == columns - 1 ? '\n' : ' ';
  }
  return text;
}

/// A loop over all numbers of the text; `parse` returns where one ends.
template <class Parse>
void run_loop(benchmark::State& state, Parse parse) {
  const std::string text = sample();
  std::vector<double> values(numbers);
  for (auto _ : state) {
    const char* at = text.data();
    for (double& value : values) at = parse(at, text.data() + text.size(), value);
    benchmark::ClobberMemory();
  }
  state.counters["bytes"] = static_cast<double>(text.size());
}

const char* after_blanks(const char* at) {
  while (*at == ' ' || *at == '\n') ++at;
  return at;
}

/// The whole of the library's reading: lines, tokens, columns.
void run_decoder(benchmark::State& state) {
  const std::string text = sample();
  Run run;
  run.records = numbers / columns;
  run.bytes = text.size();
  run.text.emplace();
  std::vector<std::vector<double>> values(columns, std::vector<double>(numbers / columns));
  std::vector<ColumnTarget> targets;
  for (std::size_t c = 0; c < columns; ++c) {
    run.cells.push_back({c, Type::float64});
    targets.push_back({c, View(values[c]), {}});
  }
  const Place place{.runs = {run}};
  for (auto _ : state) {
    ReadPlan plan;
    add_rows(plan, place, {0, run.records}, targets, false);
    auto& decoder = *std::get<std::shared_ptr<Decoder>>(plan.extents.front().target);
    std::ignore = decoder.decode(0, std::as_bytes(std::span(text.data(), text.size())));
    benchmark::ClobberMemory();
  }
  state.counters["bytes"] = static_cast<double>(text.size());
}

}  // namespace

std::vector<Ratio> register_parsing() {
  benchmark::RegisterBenchmark("parse strtod", [](benchmark::State& state) {
    run_loop(state, [](const char* at, const char* /*end*/, double& value) {
      char* after = nullptr;
      value = std::strtod(at, &after);
      return static_cast<const char*>(after);
    });
  });
  benchmark::RegisterBenchmark("parse from_chars", [](benchmark::State& state) {
    run_loop(state, [](const char* at, const char* end, double& value) {
      return std::from_chars(after_blanks(at), end, value).ptr;
    });
  });
  benchmark::RegisterBenchmark("parse float64", [](benchmark::State& state) {
    run_loop(state, [](const char* at, const char* end, double& value) {
      return kernels::parse_number(after_blanks(at), end, value).end;
    });
  });
  benchmark::RegisterBenchmark("parse rows of 4 float64", run_decoder);
  return {{"T1", "parse float64", "parse float64", "parse strtod", 3.5, "4.5"},
          {"T1", "parse float64, from_chars", "parse float64", "parse from_chars", 0.7, "0.9"},
          // With lines, tokens and columns, of which the target says nothing.
          {"T1", "parse rows of 4 float64", "parse rows of 4 float64", "parse strtod", 2.5, "3.5"}};
}

}  // namespace quire::bench
