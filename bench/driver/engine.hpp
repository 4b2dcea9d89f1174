#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "driver/computing.hpp"
#include "driver/plan.hpp"
#include "driver/share.hpp"
#include "driver/shared_sources.hpp"
#include "quire/comm/comm.hpp"
#include "quire/spi/transport/transport.hpp"

namespace quire::bench {

/// Parts of an operation, as far as a method measures them. All but `sync` are parts of the total: `wait` is for other
/// ranks inside the method, `barrier` after it, `copy` what the arrays of a program wait for while a thread writes
/// their bytes, `commit_sync` what the method itself makes durable. `sync` follows the total.
enum class Phase : std::uint8_t {
  compute,
  plan,
  create,
  metadata,
  data,
  copy,
  wait,
  commit_sync,
  close,
  slept,
  barrier,
  total,
  sync,
};
inline constexpr std::array<const char*, 13> phase_names{"compute", "plan",  "create",      "metadata", "data",
                                                         "copy",    "wait",  "commit_sync", "close",    "slept",
                                                         "barrier", "total", "sync"};

/// What one rank's clock and counters say of one operation.
class Trial {
 public:
  /// Adds seconds to a phase.
  void add(Phase phase, double seconds) { at(phase) = at(phase).value_or(0) + seconds; }
  /// Runs `work` and adds its seconds to a phase; returns them.
  template <class Work>
  double time(Phase phase, const Work& work) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    add(phase, seconds);
    return seconds;
  }
  [[nodiscard]] const std::optional<double>& seconds(Phase phase) const {
    return seconds_[static_cast<std::size_t>(phase)];
  }
  /// By name ("opens", "write_sizes/<=4KiB"); the same names on all ranks.
  std::map<std::string, std::uint64_t> counts;

 private:
  std::optional<double>& at(Phase phase) { return seconds_[static_cast<std::size_t>(phase)]; }
  std::array<std::optional<double>, phase_names.size()> seconds_;
};

/// What all engines are given. `comm` is of the ranks that the clock looks at.
struct Task {
  const Cell& cell;
  CellMethod method;
  Comm comm;
  std::string target{};  ///< the folder that a conversion writes to
  SharedSources* sources = nullptr;
};

/// One way to move the data of a cell. write(), rewrite() and read() are what the clock measures: from opening to
/// closing; they may be called again. Files stand in a folder that is empty before write().
class Engine {
 public:
  explicit Engine(Task task) : task_(std::move(task)) {}
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;
  virtual ~Engine() = default;

  /// Collective. Memory and values for write() and rewrite().
  virtual void prepare_writing() = 0;
  /// Collective. Writes all steps.
  virtual void write(const std::string& folder, Trial& trial) = 0;
  /// Collective. The same once more, with the same partition: into the same file, or the next one of its series.
  virtual void rewrite(const std::string& folder, Trial& trial) = 0;
  /// Collective. Each rank reads what another one wrote last. Throws bad_file errors if that is wrong: on all ranks or
  /// on one.
  virtual void verify(const std::string& folder) = 0;

  /// Collective. Memory for read(), which holds nothing of what is to be read.
  virtual void prepare_reading(const std::string& folder) = 0;
  /// Collective. Reads all steps, or of all steps what the operation asks for.
  virtual void read(const std::string& folder, Trial& trial) = 0;
  /// Independent. Throws bad_file errors unless read() has read what was written.
  virtual void check_read() = 0;

  /// Independent, rank 0. The bytes in all files, if the method's layout is known without writing.
  [[nodiscard]] virtual std::optional<std::uint64_t> predicted_bytes() const { return std::nullopt; }

 protected:
  [[nodiscard]] const Task& task() const noexcept { return task_; }
  [[nodiscard]] const Cell& cell() const noexcept { return task_.cell; }
  [[nodiscard]] Comm& comm() noexcept { return task_.comm; }
  [[nodiscard]] const Comm& comm() const noexcept { return task_.comm; }
  [[nodiscard]] std::uint64_t steps() const noexcept { return task_.cell.data.steps; }
  /// What this rank writes; and memory for what it does before.
  [[nodiscard]] std::shared_ptr<const ShareMemory> make_source(ShareMemory::Order order) {
    computing_ = Computing(cell().data.compute, bytes_of_rank(cell().data, comm().rank(), comm().size()));
    return task_.sources->get(cell(), comm(), order);
  }
  /// What the program does before it writes a step.
  void compute(Trial& trial) {
    if (cell().data.compute > 0) trial.time(Phase::compute, [&] { computing_.run(); });
  }
  /// Writes all steps by `write(step)`.
  template <class Write>
  void write_each(Trial& trial, const Write& write) {
    for (std::uint64_t s = 0; s < steps(); ++s) {
      compute(trial);
      trial.time(Phase::data, [&] { write(s); });
    }
  }

 private:
  Task task_;
  Computing computing_;
};

/// Independent. Throws usage errors for engines that this build does not have, and for what an engine cannot do.
[[nodiscard]] std::unique_ptr<Engine> make_engine(Task task);

[[nodiscard]] std::unique_ptr<Engine> make_library_engine(Task task);
/// Plain MPI-IO on one file: fields by file views, everything else in the layout of the shared raw file.
[[nodiscard]] std::unique_ptr<Engine> make_mpiio_engine(Task task);
/// Reads a file of the library and writes what was read to another one, in Task::target; check_read() is collective.
[[nodiscard]] std::unique_ptr<Engine> make_conversion_engine(Task task);
#ifdef QUIRE_BENCH_PARALLEL_HDF5
/// An HDF5 file by parallel HDF5.
[[nodiscard]] std::unique_ptr<Engine> make_hdf5_engine(Task task);
#endif
#ifdef QUIRE_BENCH_PNETCDF
/// A classic netCDF file by PnetCDF.
[[nodiscard]] std::unique_ptr<Engine> make_pnetcdf_engine(Task task);
#endif
/// A file shared by all ranks, or one of each.
[[nodiscard]] std::unique_ptr<Engine> make_raw_engine(Task task, bool shared);

/// Adds the calls of a rank to a trial.
void count_calls(Trial& trial, const TransportCounters& counters);

}  // namespace quire::bench
