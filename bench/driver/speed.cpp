#include <algorithm>
#include <filesystem>
#include <numeric>
#include <optional>
#include <random>

#include "driver/clock.hpp"
#include "driver/json.hpp"
#include "driver/run.hpp"
#include "driver/scratch.hpp"
#include "quire/api/reader.hpp"
#include "quire/base/error.hpp"

namespace quire::bench {
namespace {

/// A method of the run and what became of it.
struct Runner {
  MethodSpec spec;
  std::unique_ptr<Method> method;
  std::vector<Sample> samples;
  TransportCounters counters;
};

/// The order of the methods in one pass.
using Order = std::vector<std::size_t>;

Order draw_order(std::mt19937_64& random, std::size_t count) {
  Order order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  // By hand: the same order from the same seed with every standard library.
  for (std::size_t i = count; i > 1; --i) std::swap(order[i - 1], order[random() % i]);
  return order;
}

/// Removes a file, others of its set that it names, and all others beside it whose names go on with a dot: a file of
/// each rank, parts of a multifile.
void remove(const std::string& path, const Comm& comm) {
  if (!comm.is_root()) return;
  const std::filesystem::path first(path);
  for (const std::string& member : named_members(path)) std::filesystem::remove(first.parent_path() / member);
  std::filesystem::remove(path);
  std::vector<std::filesystem::path> others;
  for (const auto& entry : std::filesystem::directory_iterator(first.parent_path())) {
    if (entry.path().filename().string().starts_with(first.filename().string() + ".")) others.push_back(entry.path());
  }
  for (const auto& other : others) std::filesystem::remove(other);
}

/// Changes one byte well inside the data: after the header, before the border between the ranks of a pair.
void spoil(const std::string& path) {
  const std::string file = std::filesystem::exists(path) ? path : path + ".0";
  spoil_byte(file, std::filesystem::file_size(file) / 3);
}

class Speed {
 public:
  Speed(const Request& request, Comm comm)
      : request_(request),
        comm_(std::move(comm)),
        reads_(request.operation == "read"),
        mine_(request.workload.rows_of(comm_.rank(), comm_.size())),
        source_(request.workload, mine_, Block::Use::source),
        target_(reads_ ? request.workload : Workload{}, reads_ ? mine_ : Slice{}, Block::Use::target) {
    const Setting setting{request.workload, comm_, &source_, &target_};
    for (const MethodSpec& spec : request.methods) runners_.push_back({spec, make_method(spec, setting), {}, {}});
  }

  void run() {
    if (reads_) make_files();
    std::mt19937_64 random(request_.seed);
    pass(draw_order(random, runners_.size()), true);
    for (unsigned p = 0; p < request_.passes; ++p) {
      orders_.push_back(draw_order(random, runners_.size()));
      pass(orders_.back(), false);
    }
    for (const std::string& file : files_) remove(file, comm_);
    if (comm_.is_root()) report();
  }

 private:
  /// The file that a method reads: its own, or that of the method it names.
  [[nodiscard]] std::string file_of(const Runner& runner) const {
    const std::filesystem::path path(request_.path);
    const std::string maker = runner.spec.get("file", runner.spec.name);
    return (path.parent_path() / (maker + "." + path.filename().string())).string();
  }

  void make_files() {
    for (const Runner& runner : runners_) {
      const std::string file = file_of(runner);
      if (std::ranges::find(files_, file) != files_.end()) continue;
      const std::string maker = runner.spec.get("file", runner.spec.name);
      const auto found = std::ranges::find(runners_, maker, [](const Runner& r) { return r.spec.name; });
      if (found == runners_.end()) throw Error(ErrorKind::usage, "no method \"" + maker + "\" makes the file");
      remove(file, comm_);
      comm_.barrier();
      found->method->write(file);
      comm_.barrier();
      check_written(*found, file);
      files_.push_back(file);
    }
    for (Runner& runner : runners_) runner.method->prepare_reading(file_of(runner));
  }

  void check_written(Runner& runner, const std::string& file) {
    if (runner.spec.name == request_.damaged && comm_.is_root()) spoil(file);
    comm_.barrier();
    check_together(comm_, [&] { runner.method->verify_written(file); });
  }

  void pass(const Order& order, bool warm_up) {
    for (const std::size_t index : order) {
      Runner& runner = runners_[index];
      const Sample sample = reads_ ? read(runner, warm_up) : write(runner, warm_up);
      if (!warm_up) runner.samples.push_back(sample);
      runner.counters = runner.method->counters();
    }
  }

  Sample write(Runner& runner, bool warm_up) {
    // Whatever method wrote before: its file goes right before the clock starts, so that its memory is free and warm.
    remove(request_.path, comm_);
    const Sample sample = measure(comm_, [&] { runner.method->write(request_.path); });
    if (warm_up) check_written(runner, request_.path);
    files_.assign(1, request_.path);
    return sample;
  }

  Sample read(Runner& runner, bool warm_up) {
    if (warm_up) target_.forget();
    const Sample sample = measure(comm_, [&] { runner.method->read(file_of(runner)); });
    if (warm_up) check_together(comm_, [&] { runner.method->verify_read(); });
    return sample;
  }

  void report() const {
    print_line({{"record", "run"},
                {"operation", request_.operation},
                {"ranks", static_cast<std::uint64_t>(comm_.size())},
                {"columns", static_cast<std::uint64_t>(request_.workload.columns.size())},
                {"rows", request_.workload.rows},
                {"steps", request_.workload.steps},
                {"bytes", request_.workload.payload()},
                {"passes", static_cast<std::uint64_t>(request_.passes)},
                {"seed", request_.seed},
                {"orders", orders_}});
    for (const Runner& runner : runners_) print_line(line_of(runner));
  }

  /// The results of a method; a ratio to another one above 1 means that it is faster.
  [[nodiscard]] Json line_of(const Runner& runner) const {
    const auto seconds = seconds_of(runner.samples);
    Json medians = Json::object();
    Json paired = Json::object();
    for (const Runner& other : runners_) {
      medians[other.spec.name] = median(seconds_of(other.samples)) / median(seconds);
      paired[other.spec.name] = paired_ratio(seconds, seconds_of(other.samples));
    }
    const double gigabytes = static_cast<double>(request_.workload.payload()) * 1e-9;
    const TransportCounters& counters = runner.counters;
    const std::uint64_t calls = reads_ ? counters.reads : counters.writes;
    const std::uint64_t bytes = reads_ ? counters.bytes_read : counters.bytes_written;
    return {{"record", "method"},
            {"name", runner.spec.name},
            {"median", median(seconds)},
            {"best", *std::ranges::min_element(seconds)},
            {"gb_per_second", gigabytes / median(seconds)},
            {"c", median(cpu_seconds_of(runner.samples)) / gigabytes},
            {"ratio_of_medians", medians},
            {"median_of_ratios", paired},
            {"seconds", seconds},
            {"verified", std::uint64_t{1}},
            {"calls_on_rank_0", calls},
            {"bytes_per_call_on_rank_0", calls == 0 ? 0 : bytes / calls}};
  }

  const Request& request_;
  Comm comm_;
  bool reads_;
  Slice mine_;
  Block source_;
  Block target_;
  std::vector<Runner> runners_;
  std::vector<Order> orders_;
  std::vector<std::string> files_;
};

}  // namespace

void check_together(Comm& comm, const std::function<void()>& check) {
  std::optional<Error> mine;
  try {
    check();
  } catch (const Error& error) {
    mine = error;
  }
  try {
    agree(comm, mine);
  } catch (const Error& error) {
    throw WrongBytes(error);
  }
}

void run_speed(const Request& request, Comm comm) { Speed(request, std::move(comm)).run(); }

}  // namespace quire::bench
