// What is counted rather than timed: memory beyond the caller's arrays, and collectives of a step.

#include <algorithm>
#include <array>
#include <filesystem>

#include "driver/json.hpp"
#include "driver/library.hpp"
#include "driver/run.hpp"
#include "quire/api/writer.hpp"

namespace quire::bench {
namespace {

/// Of the peaks of all ranks the largest and the sum.
struct Peak {
  std::uint64_t largest = 0;
  std::uint64_t sum = 0;
};

Peak peak_of(Comm& comm, const std::function<void()>& work) {
  comm.barrier();
  const MemoryPeak memory;
  work();
  const std::uint64_t extra = memory.extra();
  std::array<std::uint64_t, 1> largest{extra};
  std::array<std::uint64_t, 1> sum{extra};
  comm.maximum(largest);
  comm.sum(sum);
  return {largest[0], sum[0]};
}

void print_peak(const Request& request, const Comm& comm, const std::string& method, const char* operation,
                const Peak& peak) {
  if (!comm.is_root()) return;
  print_line({{"record", "memory"},
              {"name", method},
              {"operation", operation},
              {"ranks", static_cast<std::uint64_t>(comm.size())},
              {"bytes", request.workload.payload()},
              {"extra_of_a_rank", peak.largest},
              {"extra_of_all", peak.sum}});
}

/// Runs a method once with little data: code and tables of libraries become resident, which are not buffers.
void touch_libraries(const MethodSpec& spec, const Request& request, Comm& comm) {
  Workload small = request.workload;
  small.rows = (1000 / small.unit() + 1) * small.unit();
  small.steps = 1;
  const Slice mine = small.rows_of(comm.rank(), comm.size());
  const Block source(small, mine, Block::Use::source);
  const Block target(small, mine, Block::Use::target);
  const auto method = make_method(spec, {small, comm, &source, &target});
  method->write(request.path);
  comm.barrier();
  method->prepare_reading(request.path);
  method->read(request.path);
}

}  // namespace

void run_memory(const Request& request, Comm comm) {
  const Slice mine = request.workload.rows_of(comm.rank(), comm.size());
  const Block source(request.workload, mine, Block::Use::source);
  const Block target(request.workload, mine, Block::Use::target);
  for (const MethodSpec& spec : request.methods) {
    touch_libraries(spec, request, comm);
    const auto method = make_method(spec, {request.workload, comm, &source, &target});
    const Peak writing = peak_of(comm, [&] { method->write(request.path); });
    print_peak(request, comm, spec.name, "write", writing);
    check_together(comm, [&] { method->verify_written(request.path); });
    method->prepare_reading(request.path);
    target.forget();
    const Peak reading = peak_of(comm, [&] { method->read(request.path); });
    check_together(comm, [&] { method->verify_read(); });
    print_peak(request, comm, spec.name, "read", reading);
    comm.barrier();
    if (comm.is_root() && !request.kept.empty()) std::filesystem::rename(request.path, request.kept);
    if (comm.is_root()) std::filesystem::remove(request.path);
  }
}

void run_collectives(const Request& request, Comm comm) {
  constexpr std::int64_t steps = 4;
  const Slice mine = request.workload.rows_of(comm.rank(), comm.size());
  const Block source(request.workload, mine, Block::Use::source);
  for (const MethodSpec& spec : request.methods) {
    const WriteOptions options = library_options(spec);
    Writer writer = create(request.path, comm, options);
    std::uint64_t of_a_new_shape = 0;
    std::uint64_t of_a_repeated_shape = 0;
    for (std::int64_t s = 0; s < steps; ++s) {
      const std::uint64_t before = writer.comm().collectives();
      WriteStep step = writer.step(s);
      put_all(step, comm, options, source);
      step.commit();
      std::uint64_t& most = s == 0 ? of_a_new_shape : of_a_repeated_shape;
      most = std::max(most, writer.comm().collectives() - before);
    }
    writer.close();
    comm.barrier();
    if (!comm.is_root()) continue;
    std::filesystem::remove(request.path);
    print_line({{"record", "collectives"},
                {"name", spec.name},
                {"ranks", static_cast<std::uint64_t>(comm.size())},
                {"new_shape", of_a_new_shape},
                {"repeated_shape", of_a_repeated_shape}});
  }
}

}  // namespace quire::bench
