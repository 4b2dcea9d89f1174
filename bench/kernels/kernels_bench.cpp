// Targets K1 to K3 of specs/performance.md: packing and unpacking records in a buffer that stays in the second-level
// cache, against memcpy of as many bytes into and out of the same buffer, in one interleaved run. Target T2 with them.

#include <benchmark/benchmark.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kernels/interleave.hpp"
#include "kernels/parse_bench.hpp"
#include "kernels/print_bench.hpp"
#include "kernels/ratio_table.hpp"
#include "kernels/version.hpp"

namespace quire::bench {
namespace {

constexpr std::size_t column_memory = 64 << 20;  // of all columns together: far larger than the caches
constexpr std::size_t buffer_bytes = 1 << 20;    // one piece of a transport

struct Free {
  void operator()(std::byte* memory) const { std::free(memory); }
};
using Memory = std::unique_ptr<std::byte, Free>;

/// Touched memory on huge pages.
Memory allocate(std::size_t bytes) {
  constexpr std::size_t huge_page = 2 << 20;
  bytes = (bytes + huge_page - 1) / huge_page * huge_page;
  Memory memory(static_cast<std::byte*>(std::aligned_alloc(huge_page, bytes)));
  madvise(memory.get(), bytes, MADV_HUGEPAGE);
  std::memset(memory.get(), 1, bytes);
  return memory;
}

/// What all benchmarks share.
struct Arena {
  Memory columns = allocate(column_memory + (1 << 20));
  Memory buffer = allocate(buffer_bytes);
};

/// Records of some layout, their columns contiguous in the arena.
struct Layout {
  std::size_t record_bytes = 0;
  std::vector<kernels::CellShape> cells;

  Layout& add(std::size_t count, std::size_t size, kernels::CellCode code) {
    for (std::size_t i = 0; i < count; ++i) {
      cells.push_back({record_bytes, size, code});
      record_bytes += size;
    }
    return *this;
  }
  [[nodiscard]] std::size_t rows() const { return column_memory / record_bytes / 64 * 64; }
  [[nodiscard]] std::size_t piece_rows() const { return buffer_bytes / record_bytes / 64 * 64; }
};

/// Where columns begin: not all at the same place modulo 4096, which no real program's memory does either.
template <class Column>
std::vector<Column> columns_at(const Arena& arena, const Layout& layout, std::size_t row) {
  std::vector<Column> columns;
  std::byte* next = arena.columns.get();
  for (const auto& cell : layout.cells) {
    columns.push_back({next + row * cell.size, static_cast<std::ptrdiff_t>(cell.size)});
    next += layout.rows() * cell.size + 320;
  }
  return columns;
}

enum class Direction { pack, unpack };

void run_kernel(benchmark::State& state, const Arena& arena, const Layout& layout, Direction direction) {
  const kernels::RecordShape shape(layout.record_bytes, layout.cells);
  const std::size_t rows = layout.piece_rows();
  std::size_t row = 0;
  for (auto _ : state) {
    if (direction == Direction::pack) {
      kernels::pack(shape, columns_at<kernels::Source>(arena, layout, row), rows, arena.buffer.get());
    } else {
      kernels::unpack(shape, columns_at<kernels::Target>(arena, layout, row), rows, arena.buffer.get());
    }
    benchmark::ClobberMemory();
    row = row + 2 * rows <= layout.rows() ? row + rows : 0;
  }
  state.counters["bytes"] = static_cast<double>(rows * layout.record_bytes);
}

void run_memcpy(benchmark::State& state, const Arena& arena, Direction direction) {
  std::size_t at = 0;
  for (auto _ : state) {
    std::byte* const column = arena.columns.get() + at;
    if (direction == Direction::pack) {
      std::memcpy(arena.buffer.get(), column, buffer_bytes);
    } else {
      std::memcpy(column, arena.buffer.get(), buffer_bytes);
    }
    benchmark::ClobberMemory();
    at = at + 2 * buffer_bytes <= column_memory ? at + buffer_bytes : 0;
  }
  state.counters["bytes"] = buffer_bytes;
}

struct Case {
  std::string target;
  std::string what;
  Layout layout;
  std::string reference;  ///< empty: memcpy
  double must;
  std::string aim;
};

std::vector<Case> cases() {
  using kernels::CellCode;
  std::vector<Case> list;
  for (const std::size_t count : {4, 6, 7, 8, 16, 64, 128}) {
    list.push_back(
        {"K1", std::to_string(count) + " x float64", Layout().add(count, 8, CellCode::copy), "", 0.5, "0.6-0.95"});
  }
  list.push_back(
      {"K2", "7 x float64 + int32", Layout().add(7, 8, CellCode::copy).add(1, 4, CellCode::copy), "", 0.4, "0.7"});
  list.push_back({"K2", "192 x int32", Layout().add(192, 4, CellCode::copy), "", 0.4, "0.7"});
  list.push_back({"K3", "8 x float64 swapped", Layout().add(8, 8, CellCode::reverse), "8 x float64", 0.9, "1.0"});
  list.push_back({"K3", "192 x int32 swapped", Layout().add(192, 4, CellCode::reverse), "192 x int32", 0.9, "1.0"});
  list.push_back({"K3", "7 x float64 + int32 swapped",
                  Layout().add(7, 8, CellCode::reverse).add(1, 4, CellCode::reverse), "7 x float64 + int32", 0.9,
                  "1.0"});
  return list;
}

std::vector<Ratio> register_all(const Arena& arena) {
  std::vector<Ratio> ratios;
  for (const Direction direction : {Direction::pack, Direction::unpack}) {
    const std::string prefix = direction == Direction::pack ? "pack " : "unpack ";
    benchmark::RegisterBenchmark((prefix + "memcpy").c_str(),
                                 [&arena, direction](benchmark::State& state) { run_memcpy(state, arena, direction); });
    for (const Case& one : cases()) {
      benchmark::RegisterBenchmark((prefix + one.what).c_str(),
                                   [&arena, direction, layout = one.layout](benchmark::State& state) {
                                     run_kernel(state, arena, layout, direction);
                                   });
      ratios.push_back({one.target, prefix + one.what, prefix + one.what,
                        prefix + (one.reference.empty() ? "memcpy" : one.reference), one.must, one.aim});
    }
  }
  for (Ratio& ratio : register_parsing()) ratios.push_back(std::move(ratio));
  for (Ratio& ratio : register_printing()) ratios.push_back(std::move(ratio));
  std::ranges::stable_sort(ratios, {}, &Ratio::target);
  return ratios;
}

}  // namespace
}  // namespace quire::bench

int main(int argc, char** argv) {
  // Defaults before the caller's arguments, which win: interleaved at random, nine passes.
  std::vector<std::string> words{argv[0], "--benchmark_repetitions=9", "--benchmark_enable_random_interleaving=true",
                                 "--benchmark_min_time=0.05"};
  words.insert(words.end(), argv + 1, argv + argc);
  std::vector<char*> arguments;
  std::ranges::transform(words, std::back_inserter(arguments), [](std::string& word) { return word.data(); });
  int count = static_cast<int>(arguments.size());
  benchmark::Initialize(&count, arguments.data());
  if (benchmark::ReportUnrecognizedArguments(count, arguments.data())) return 2;
  const quire::bench::Arena arena;
  quire::bench::RatioTable table(quire::bench::register_all(arena));
  benchmark::RunSpecifiedBenchmarks(&table);
  return 0;
}
