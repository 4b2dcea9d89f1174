#include "driver/engine.hpp"

#include <string_view>

#include "quire/base/error.hpp"

namespace quire::bench {
namespace {

void count_sizes(Trial& trial, const std::string& name, const CallSizes& sizes) {
  constexpr std::array<std::string_view, CallSizes::limits.size() + 1> classes{"<=4KiB", "<=64KiB", "<=1MiB", "<=4MiB",
                                                                               ">4MiB"};
  for (std::size_t size = 0; size < classes.size(); ++size) {
    trial.counts[name + "/" + std::string(classes[size])] += sizes.calls[size];
  }
}

/// Moves nothing: what is left is the program itself.
class NoEngine final : public Engine {
 public:
  using Engine::Engine;
  void prepare_writing() override {}
  void write(const std::string& /*folder*/, Trial& /*trial*/) override {}
  void rewrite(const std::string& /*folder*/, Trial& /*trial*/) override {}
  void verify(const std::string& /*folder*/) override {}
  void prepare_reading(const std::string& /*folder*/) override {}
  void read(const std::string& /*folder*/, Trial& /*trial*/) override {}
  void check_read() override {}
};

}  // namespace

void count_calls(Trial& trial, const TransportCounters& counters) {
  trial.counts["opens"] += counters.opens;
  trial.counts["creates"] += counters.creates;
  trial.counts["stats"] += counters.stats;
  trial.counts["writes"] += counters.writes;
  trial.counts["reads"] += counters.reads;
  trial.counts["bytes_written"] += counters.bytes_written;
  trial.counts["bytes_read"] += counters.bytes_read;
  trial.counts["syncs"] += counters.syncs;
  count_sizes(trial, "write_sizes", counters.write_sizes);
  count_sizes(trial, "read_sizes", counters.read_sizes);
}

std::unique_ptr<Engine> make_engine(Task task) {
  const std::string engine = task.method.engine;
  if (engine != "raw-shared" && engine != "raw-own" && task.cell.cache == "direct") {
    throw Error(ErrorKind::usage, "only raw engines read around the page cache");
  }
  if (task.cell.to) return make_conversion_engine(std::move(task));
  if (engine == "library") return make_library_engine(std::move(task));
  if (engine == "raw-shared") return make_raw_engine(std::move(task), true);
  if (engine == "raw-own") return make_raw_engine(std::move(task), false);
  if (engine == "mpiio") return make_mpiio_engine(std::move(task));
#ifdef QUIRE_BENCH_PARALLEL_HDF5
  if (engine == "hdf5") return make_hdf5_engine(std::move(task));
#endif
#ifdef QUIRE_BENCH_PNETCDF
  if (engine == "pnetcdf") return make_pnetcdf_engine(std::move(task));
#endif
  if (engine == "nothing") return std::make_unique<NoEngine>(std::move(task));
  throw Error(ErrorKind::usage, "there is no engine \"" + engine + "\"")
      .advise("library, raw-shared, raw-own, mpiio, nothing; hdf5 and pnetcdf where they were built in");
}

}  // namespace quire::bench
