// The library by its public interface: any format and any transport, both by name.

#include <filesystem>

#include "driver/carrier.hpp"
#include "driver/engine.hpp"
#include "quire/base/error.hpp"

namespace quire::bench {
namespace {

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
    } else {
      options.options[name] = value;
    }
  }
  return options;
}

/// The options of a format alone: what its registry entry knows.
Options format_options(const Format& format, const Options& all) {
  Options known;
  for (const Option& option : format.write_options()) {
    const auto found = all.find(option.name);
    if (found != all.end()) known.insert(*found);
  }
  return known;
}

class LibraryEngine final : public Engine {
 public:
  explicit LibraryEngine(Task given)
      : Engine(std::move(given)),
        options_(write_options(task().method)),
        format_(format_named(options_.format)),
        carrier_(carrier_of(cell().data, format_,
                            CheckedOptions(format_.write_options(), format_options(format_, options_.options)))) {}

  void prepare_writing() override {
    source_.emplace(Share::of(cell().data, comm().rank(), comm().size()), order_for(carrier_));
    source_->fill();
  }

  void write(const std::string& folder, Trial& trial) override { write_series(folder, 0, trial); }

  void rewrite(const std::string& folder, Trial& trial) override {
    series_ += 1;
    if (format_.holds_one_step()) {
      write_series(folder, series_ * steps(), trial);
    } else {
      std::optional<Writer> writer;
      trial.time(Phase::create, [&] { writer.emplace(append(path(folder, 0), comm(), {}, Later::refuse, options_)); });
      write_steps(*writer, series_ * steps(), steps(), trial);
    }
  }

  void verify(const std::string& folder) override {
    const auto landing = make_landing(carrier_, cell(), (comm().rank() + 1) % comm().size(), comm().size());
    std::optional<Error> first;
    Trial trial;
    read_series(folder, {}, trial, [&](std::uint64_t, const ReadStep& step) {
      landing->read(step);
      try {
        landing->check();
      } catch (const Error& error) {
        // A rank that has found wrong bytes still takes part in what follows.
        if (!first) first = error;
      }
    });
    if (first) throw *first;
  }

  void prepare_reading(const std::string& /*folder*/) override {
    for (std::uint64_t s = 0; s < steps(); ++s) {
      landings_.push_back(make_landing(carrier_, cell(), comm().rank(), comm().size()));
    }
  }

  void read(const std::string& folder, Trial& trial) override {
    ReadOptions options;
    options.transport = options_.transport;
    read_series(folder, options, trial, [&](std::uint64_t s, const ReadStep& step) { landings_[s]->read(step); });
  }

  void check_read() override {
    for (const auto& landing : landings_) landing->check();
  }

 private:
  /// Files of one step make a series.
  [[nodiscard]] std::string path(const std::string& folder, std::uint64_t step) const {
    const std::string suffix(format_.suffixes().empty() ? "" : format_.suffixes().front());
    return folder + "/data" + (format_.holds_one_step() ? "-" + std::to_string(step) : "") + suffix;
  }

  void write_series(const std::string& folder, std::uint64_t first, Trial& trial) {
    const std::uint64_t in_a_file = format_.holds_one_step() ? 1 : steps();
    for (std::uint64_t s = 0; s < steps(); s += in_a_file) {
      std::optional<Writer> writer;
      trial.time(Phase::create, [&] { writer.emplace(create(path(folder, first + s), comm(), options_)); });
      write_steps(*writer, format_.holds_one_step() ? 0 : first, in_a_file, trial);
    }
  }

  /// Steps [first, first + count) and the end of the file.
  void write_steps(Writer& writer, std::uint64_t first, std::uint64_t count, Trial& trial) {
    double seconds = 0;
    const Timing before = writer.timing();
    for (std::uint64_t s = first; s < first + count; ++s) {
      Trial watch;
      seconds += watch.time(Phase::data, [&] {
        WriteStep step = writer.step(static_cast<std::int64_t>(s));
        put_case(step, writer.comm(), carrier_, *source_);
        step.commit();
      });
    }
    add_timing(trial, before, writer.timing(), seconds);
    trial.time(Phase::close, [&] { writer.close(); });
    count_calls(trial, writer.counters());
    // The file has a copy of the communicator, which goes on counting from there.
    trial.counts["collectives"] += writer.comm().collectives() - comm().collectives();
  }

  template <class Use>
  void read_series(const std::string& folder, const ReadOptions& options, Trial& trial, const Use& use) {
    const std::uint64_t in_a_file = format_.holds_one_step() ? 1 : steps();
    const std::uint64_t before = series_ * steps();
    for (std::uint64_t s = 0; s < steps(); s += in_a_file) {
      std::optional<Reader> reader;
      trial.time(Phase::create, [&] { reader.emplace(open(path(folder, before + s), comm(), options)); });
      double seconds = 0;
      const Timing opened = reader->timing();
      for (std::uint64_t i = 0; i < in_a_file; ++i) {
        Trial watch;
        seconds += watch.time(Phase::data, [&] { use(s + i, reader->at(format_.holds_one_step() ? 0 : before + i)); });
      }
      add_timing(trial, opened, reader->timing(), seconds);
      trial.time(Phase::close, [&] { reader->close(); });
      count_calls(trial, reader->counters());
      trial.counts["collectives"] += reader->comm().collectives() - comm().collectives();
    }
  }

  /// Splits the seconds between opening and closing: what the library does not name moved data.
  static void add_timing(Trial& trial, const Timing& before, const Timing& after, double seconds) {
    const double plan = after.plan - before.plan;
    const double metadata = after.metadata - before.metadata;
    const double wait = after.wait - before.wait;
    trial.add(Phase::plan, plan);
    trial.add(Phase::metadata, metadata);
    trial.add(Phase::barrier, wait);
    trial.add(Phase::data, std::max(0.0, seconds - plan - metadata - wait));
  }

  WriteOptions options_;
  const Format& format_;
  Carrier carrier_;
  std::uint64_t series_ = 0;  ///< how often all steps have been written before those that count
  std::optional<ShareMemory> source_;
  std::vector<std::unique_ptr<Landing>> landings_;
};

}  // namespace

std::unique_ptr<Engine> make_library_engine(Task task) { return std::make_unique<LibraryEngine>(std::move(task)); }

}  // namespace quire::bench
