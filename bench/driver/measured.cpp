#include "driver/measured.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <thread>

#include "driver/memory.hpp"
#include "driver/offsets.hpp"

namespace quire::bench {
namespace {

double processor_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

double slowest(const std::vector<double>& seconds) { return *std::ranges::max_element(seconds); }

Json describe_times(Comm& comm, const Measured& measured) {
  Json times{{"returned", slowest(gather(comm, measured.returned))}, {"durable", nullptr}};
  if (measured.durable) times["durable"] = slowest(gather(comm, *measured.durable));
  return times;
}

Json describe_phases(Comm& comm, const Trial& trial) {
  Json phases = Json::object();
  for (std::size_t p = 0; p < phase_names.size(); ++p) {
    const auto& mine = trial.seconds(static_cast<Phase>(p));
    // A phase that only some ranks know counts 0 on the others.
    const auto known = gather(comm, mine ? 1 : 0);
    if (std::ranges::find(known, 1.0) != known.end()) phases[phase_names[p]] = gather(comm, mine.value_or(0));
  }
  return phases;
}

Json describe_counts(Comm& comm, const Trial& trial) {
  Json counts = Json::object();
  std::vector<std::uint64_t> sums;
  for (const auto& [name, count] : trial.counts) sums.push_back(count);
  comm.sum(sums);
  std::size_t at = 0;
  for (const auto& [name, count] : trial.counts) {
    const std::size_t slash = name.find('/');
    Json& place = slash == std::string::npos ? counts[name] : counts[name.substr(0, slash)][name.substr(slash + 1)];
    place = sums[at++];
  }
  return counts;
}

}  // namespace

void measure_trial(Comm& comm, const Cell& cell, const std::function<void(Trial&)>& work, Measured& measured) {
  const Fault& fault = cell.fault;
  std::optional<Error> mine;
  Trial whole;
  std::optional<MemoryPeak> memory;
  if (cell.measures_memory) memory.emplace();
  comm.barrier();
  const double processor = processor_seconds();
  measured.began = clock_now();
  whole.time(Phase::total, [&] {
    try {
      if (fault.kind != Fault::Kind::lie) work(measured.trial);
    } catch (const Error& error) {
      mine = error;
    }
    if (fault.kind == Fault::Kind::sleep) {
      const bool sleeps = fault.rank.value_or(comm.rank()) == comm.rank();
      measured.trial.time(Phase::slept, [&] {
        if (sleeps) std::this_thread::sleep_for(std::chrono::duration<double>(fault.seconds));
      });
    }
    measured.processor = processor_seconds() - processor;
    if (memory) measured.memory = memory->extra();
    measured.trial.time(Phase::barrier, [&] { comm.barrier(); });
  });
  measured.returned = *whole.seconds(Phase::total);
  measured.trial.add(Phase::total, measured.returned);
  measured.error = together(comm, [&] {
    if (mine) throw *mine;
  });
}

Json describe(Comm& comm, const Measured& measured) {
  if (measured.error) {
    return {{"times", {{"returned", nullptr}, {"durable", nullptr}}},
            {"phases", Json::object()},
            {"counters", Json::object()}};
  }
  Json results{{"times", describe_times(comm, measured)},
               {"phases", describe_phases(comm, measured.trial)},
               {"processor", gather(comm, measured.processor)},
               {"counters", describe_counts(comm, measured.trial)}};
  if (measured.memory) results["peak"] = gather(comm, static_cast<double>(*measured.memory));
  return results;
}

}  // namespace quire::bench
