// The library by its public interface: any format and any transport, both by name.

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <span>
#include <string_view>

#include "driver/carrier.hpp"
#include "driver/counting_comm.hpp"
#include "driver/engine.hpp"
#include "driver/predicted.hpp"
#include "driver/ranks.hpp"
#include "driver/scratch.hpp"
#include "quire/base/error.hpp"
#include "quire/format/format.hpp"

namespace quire::bench {
namespace {

/// The calls by which files are written, of the options of a method; otherwise create(), commit() and close().
struct Calls {
  static constexpr std::string_view call = "call";
  static constexpr std::string_view commit = "commit";

  bool at_once = false;                        ///< write_file(), for files of one step
  std::optional<AsyncCommit> in_background{};  ///< commit_async()

  [[nodiscard]] static Calls of(const CellMethod& method) {
    constexpr std::array<std::string_view, 1> calls{"write_file"};
    constexpr std::array<std::string_view, 2> commits{"async", "borrow"};
    Calls found{.at_once = place_of(method, call, calls, "write_file").has_value()};
    const auto how = place_of(method, commit, commits, "async or borrow");
    if (how) found.in_background = AsyncCommit{.borrow = *how == 1};
    if (!found.at_once || !found.in_background) return found;
    throw Error(ErrorKind::usage, "write_file commits its step itself").on(std::string(commit));
  }

 private:
  static std::optional<std::size_t> place_of(const CellMethod& method, std::string_view option,
                                             std::span<const std::string_view> known, std::string_view advice) {
    const auto given = method.options.find(option);
    if (given == method.options.end()) return std::nullopt;
    const auto found = std::ranges::find(known, given->second);
    if (found != known.end()) return static_cast<std::size_t>(found - known.begin());
    throw Error(ErrorKind::usage, "there is no " + std::string(option) + " \"" + given->second + "\"")
        .advise("say " + std::string(advice) + ", or leave it out");
  }
};

/// The options of the writer itself that a plan may set beside those of the format.
WriteOptions write_options(const CellMethod& method) {
  WriteOptions options;
  options.format = method.format;
  options.transport = method.transport;
  for (const auto& [name, value] : method.options) {
    if (name == "durable") {
      options.durable = value == "true";
    } else if (name == "lossy") {
      options.lossy = value == "true";
    } else if (name != Calls::call && name != Calls::commit) {
      options.options[name] = value;
    }
  }
  return options;
}

/// Of the options that a method has been given, those that a reader or a writer has: both get what they know.
Options known_options(const std::vector<Option>& known, const Options& given) {
  Options chosen;
  for (const Option& option : known) {
    const auto found = given.find(option.name);
    if (found != given.end()) chosen.insert(*found);
  }
  return chosen;
}

/// What a step of the workload gets.
using PutStep = std::function<void(std::uint64_t step, WriteStep& target, Comm& comm)>;

class LibraryEngine final : public Engine {
 public:
  explicit LibraryEngine(Task given)
      : Engine(std::move(given)),
        options_(write_options(task().method)),
        format_(format_named(options_.format)),
        carrier_(
            carrier_of(cell().data, format_,
                       CheckedOptions(format_.write_options, known_options(format_.write_options, options_.options)))),
        calls_(Calls::of(task().method)) {
    const bool continues = !format_.holds_one_step && (steps() > 1 || cell().operation == "rewrite");
    if (!calls_.at_once || !continues) return;
    throw Error(ErrorKind::usage, "write_file writes files of one step").on(std::string(Calls::call));
  }

  void prepare_writing() override { source_ = make_source(order_for(carrier_)); }

  void write(const std::string& folder, Trial& trial) override {
    series_ = 0;
    write_series(folder, 0, trial, put_source());
  }
  /// Collective. The same with what another engine has read.
  void write_found(const std::string& folder, Trial& trial, const LibraryEngine& source) {
    write_series(folder, 0, trial,
                 [&](std::uint64_t s, WriteStep& step, Comm& comm) { source.landings_[s]->put(step, comm); });
  }

  void rewrite(const std::string& folder, Trial& trial) override {
    series_ += 1;
    if (format_.holds_one_step) {
      write_series(folder, series_ * steps(), trial, put_source());
    } else {
      CommCounts counts;
      std::optional<Writer> writer;
      trial.time(Phase::create, [&] {
        writer.emplace(append(path(folder, 0), counting(comm(), counts), {}, Later::refuse, options_));
      });
      write_steps(*writer, {series_ * steps(), steps()}, trial, put_source());
      count_messages(trial, counts);
    }
  }

  void verify(const std::string& folder) override {
    const auto landing = make_landing(carrier_, cell(), (comm().rank() + 1) % comm().size(), comm().size());
    std::optional<Error> first;
    Trial trial;
    read_series(folder, {}, trial, [&](std::uint64_t, const ReadStep& step) {
      landing->read(step, Transfers::independent);
      try {
        landing->check();
      } catch (const Error& error) {
        // A rank that has found wrong bytes still takes part in what follows.
        if (!first) first = error;
      }
    });
    if (first) throw *first;
  }

  void prepare_reading(const std::string& folder) override {
    for (std::uint64_t s = 0; s < steps(); ++s) {
      landings_.push_back(make_landing(carrier_, cell(), comm().rank(), comm().size()));
    }
    if (!task().method.is_aligned) return;
    Trial unmeasured;
    read_series(folder, read_options(), unmeasured,
                [&](std::uint64_t s, const ReadStep& step) { landings_[s]->align(step); });
  }

  void read(const std::string& folder, Trial& trial) override {
    const Transfers transfers = transfers_of(options_.transport);
    read_series(folder, read_options(), trial,
                [&](std::uint64_t s, const ReadStep& step) { landings_[s]->read(step, transfers); });
  }

  [[nodiscard]] std::optional<std::uint64_t> predicted_bytes() const override {
    if (!comm().is_root() || cell().operation != "write") return std::nullopt;
    try {
      return predicted_size(cell().data, comm().size(), carrier_, options_);
    } catch (const Error&) {
      // Writing reports the error on all ranks.
      return std::nullopt;
    }
  }

  void check_read() override {
    for (const auto& landing : landings_) landing->check();
  }

 private:
  /// Files of one step make a series. Others are named as the first of a pair, of metadata and raw data, must be.
  [[nodiscard]] std::string path(const std::string& folder, std::uint64_t step) const {
    if (cell().maker) return only_file_in(folder);
    const std::string suffix(format_.suffixes.empty() ? "" : format_.suffixes.front());
    return folder + "/data" + (format_.holds_one_step ? "-" + std::to_string(step) : "-m") + suffix;
  }

  [[nodiscard]] ReadOptions read_options() const {
    ReadOptions options;
    options.transport = options_.transport;
    options.options = known_options(format_.read_options, options_.options);
    return options;
  }

  [[nodiscard]] PutStep put_source() const {
    return [this](std::uint64_t, WriteStep& step, Comm& comm) { put_case(step, comm, carrier_, *source_, layout_); };
  }

  [[nodiscard]] std::uint64_t in_a_file() const { return format_.holds_one_step ? 1 : steps(); }

  void write_series(const std::string& folder, std::uint64_t first, Trial& trial, const PutStep& put) {
    for (std::uint64_t s = 0; s < steps(); s += in_a_file()) {
      if (calls_.at_once) {
        compute(trial);
        write_at_once(path(folder, first + s), s, trial, put);
        continue;
      }
      CommCounts counts;
      std::optional<Writer> writer;
      trial.time(Phase::create,
                 [&] { writer.emplace(create(path(folder, first + s), counting(comm(), counts), options_)); });
      write_steps(*writer, {format_.holds_one_step ? 0 : first, in_a_file()}, trial,
                  [&](std::uint64_t i, WriteStep& step, Comm& ranks) { put(s + i, step, ranks); });
      count_messages(trial, counts);
    }
  }

  /// A file of one step in one call.
  void write_at_once(const std::string& path, std::uint64_t source, Trial& trial, const PutStep& put) {
    CommCounts counts;
    std::optional<Writer> writer;
    const auto fill = [&](Writer& file, WriteStep& step) { put(source, step, file.comm()); };
    Trial watch;
    const double seconds =
        watch.time(Phase::data, [&] { writer.emplace(write_file(path, counting(comm(), counts), 0, fill, options_)); });
    add_timing(trial, {}, now(*writer), seconds);
    count_calls(trial, writer->counters());
    count_messages(trial, counts);
  }

  /// Steps of these numbers, and the end of the file.
  void write_steps(Writer& writer, const Slice& numbers, Trial& trial, const PutStep& put) {
    double seconds = 0;
    const Moment before = now(writer);
    for (std::uint64_t i = 0; i < numbers.count; ++i) {
      compute(trial);
      const std::uint64_t collectives = writer.comm().collectives();
      Trial watch;
      seconds += watch.time(Phase::data, [&] {
        WriteStep step = writer.step(static_cast<std::int64_t>(numbers.first + i));
        put(i, step, writer.comm());
        calls_.in_background ? step.commit_async(*calls_.in_background) : step.commit();
      });
      std::uint64_t& most = trial.counts[i == 0 ? "collectives_of_first_step" : "collectives_of_later_steps"];
      most = std::max(most, writer.comm().collectives() - collectives);
    }
    add_timing(trial, before, now(writer), seconds);
    trial.time(Phase::close, [&] { writer.close(); });
    count_calls(trial, writer.counters());
  }

  template <class Use>
  void read_series(const std::string& folder, const ReadOptions& options, Trial& trial, const Use& use) {
    const std::uint64_t before = series_ * steps();
    for (std::uint64_t s = 0; s < steps(); s += in_a_file()) {
      CommCounts counts;
      std::optional<Reader> reader;
      trial.time(Phase::create,
                 [&] { reader.emplace(open(path(folder, before + s), counting(comm(), counts), options)); });
      double seconds = 0;
      const Moment opened{reader->timing()};
      for (std::uint64_t i = 0; i < in_a_file(); ++i) {
        Trial watch;
        seconds += watch.time(Phase::data, [&] { use(s + i, reader->at(format_.holds_one_step ? 0 : before + i)); });
      }
      add_timing(trial, opened, {reader->timing()}, seconds);
      trial.time(Phase::close, [&] { reader->close(); });
      count_calls(trial, reader->counters());
      count_messages(trial, counts);
    }
  }

  /// What an open file says about its time.
  struct Moment {
    Timing timing{};
    double sync_seconds = 0;
    double copy_seconds = 0;
  };

  /// Copies are made by the caller, who does not wait for what the thread in the background does.
  [[nodiscard]] Moment now(const Writer& writer) const {
    const Timing timing = writer.timing();
    if (!calls_.in_background) return {timing, writer.counters().sync_seconds};
    return {.timing = timing, .copy_seconds = calls_.in_background->borrow ? 0 : timing.encode};
  }

  /// Splits the seconds between opening and closing: what the library does not name moved data.
  static void add_timing(Trial& trial, const Moment& before, const Moment& after, double seconds) {
    const double plan = after.timing.plan - before.timing.plan;
    const double metadata = after.timing.metadata - before.timing.metadata;
    const double wait = after.timing.wait - before.timing.wait;
    const double sync = after.sync_seconds - before.sync_seconds;
    const double copy = after.copy_seconds - before.copy_seconds;
    trial.add(Phase::plan, plan);
    trial.add(Phase::metadata, metadata);
    trial.add(Phase::wait, wait);
    if (sync > 0) trial.add(Phase::commit_sync, sync);
    if (copy > 0) trial.add(Phase::copy, copy);
    trial.add(Phase::data, std::max(0.0, seconds - plan - metadata - wait - sync - copy));
  }

  static void count_messages(Trial& trial, const CommCounts& counts) {
    trial.counts["collectives"] += counts.collectives;
    trial.counts["messages"] += counts.messages;
    trial.counts["message_bytes"] += counts.message_bytes;
  }

  WriteOptions options_;
  const Format& format_;
  Carrier carrier_;
  Calls calls_;
  ElementLayout layout_;      ///< of the first step of elements, for all that follow
  std::uint64_t series_ = 0;  ///< how often all steps have been written before those that count
  std::shared_ptr<const ShareMemory> source_;
  std::vector<std::unique_ptr<Landing>> landings_;
};

/// The task of the second half of a conversion: the readers write.
Cell cell_of_target(const Cell& cell) {
  Cell target = cell;
  target.operation = "write";
  target.ranks = cell.readers;
  target.data.compute = 0;
  target.to.reset();
  return target;
}

class ConversionEngine final : public Engine {
 public:
  explicit ConversionEngine(Task given)
      : Engine(std::move(given)),
        target_cell_(cell_of_target(cell())),
        source_({cell(), task().method, comm()}),
        target_({target_cell_, *cell().to, comm()}) {}

  void prepare_writing() override {}
  void write(const std::string& /*folder*/, Trial& /*trial*/) override { refuse(); }
  void rewrite(const std::string& /*folder*/, Trial& /*trial*/) override { refuse(); }
  void verify(const std::string& /*folder*/) override { refuse(); }

  void prepare_reading(const std::string& folder) override { source_.prepare_reading(folder); }
  void read(const std::string& folder, Trial& trial) override {
    source_.read(folder, trial);
    target_.write_found(task().target, trial, source_);
  }
  void check_read() override {
    // A rank that has found wrong values still takes part in looking at the target.
    const auto wrong = together(comm(), [&] { source_.check_read(); });
    target_.verify(task().target);
    if (wrong) throw Error(*wrong);
  }

 private:
  [[noreturn]] static void refuse() { throw Error(ErrorKind::internal, "a conversion reads and writes in one go"); }

  Cell target_cell_;
  LibraryEngine source_;
  LibraryEngine target_;
};

}  // namespace

std::unique_ptr<Engine> make_library_engine(Task task) { return std::make_unique<LibraryEngine>(std::move(task)); }

std::unique_ptr<Engine> make_conversion_engine(Task task) {
  if (task.method.engine != "library" || task.cell.to->engine != "library") {
    throw Error(ErrorKind::usage, "only files of the library are converted");
  }
  return std::make_unique<ConversionEngine>(std::move(task));
}

}  // namespace quire::bench
