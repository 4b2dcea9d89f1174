#include "api/write/series.hpp"

#include <array>
#include <filesystem>
#include <span>
#include <system_error>
#include <utility>

#include "api/root.hpp"
#include "api/write/new_file.hpp"
#include "api/write/writer_state.hpp"
#include "base/attempts.hpp"
#include "quire/format/format.hpp"

namespace quire {
namespace {

void add(Timing& sum, const Timing& one) {
  sum.plan += one.plan;
  sum.wait += one.wait;
  sum.encode += one.encode;
  sum.transfer += one.transfer;
  sum.metadata += one.metadata;
}

/// Collective. Ends the last file; what it reports becomes that of the series.
void end_file(Writer::State& state, const std::optional<std::string>& reason) {
  Series& series = *state.series;
  const auto file = std::exchange(series.file, nullptr);
  if (!file) return;
  Writer writer(file);
  // A file without its step must not look like one of the series.
  const bool is_dropped = file->steps != Steps::committed && file->target.replaces_whole();
  const Incomplete incomplete = is_dropped ? Incomplete::dropped : Incomplete::kept;
  Attempts attempts;
  attempts.attempt([&] { reason ? abort_writer(*file, *reason, incomplete) : close_writer(*file, incomplete); });
  const bool has_nothing = file->steps == Steps::none || file->steps == Steps::failed;
  if (has_nothing && !is_dropped && file->comm.is_root()) {
    std::error_code ignored;
    std::filesystem::remove(file->first_file, ignored);
  }
  series.counters += writer.counters();
  add(series.timing, writer.timing());
  state.remarks.insert(state.remarks.end(), file->remarks.begin(), file->remarks.end());
  attempts.rethrow();
}

/// The sums over ranks before a step of the series.
struct Situation {
  std::uint64_t leaving = 0;   ///< ranks that leave the series, while the others begin a step
  std::uint64_t existing = 0;  ///< 1 if rank 0 has found a file of this step
};

/// Collective.
Situation agree_on_situation(Writer::State& state, Situation mine) {
  std::array<std::uint64_t, 2> sums{mine.leaving, mine.existing};
  state.comm.sum(sums);
  return {sums[0], sums[1]};
}

}  // namespace

TransportCounters Series::counters_so_far() const {
  TransportCounters sum = counters;
  if (file) sum += Writer(file).counters();
  return sum;
}

Timing Series::timing_so_far() const {
  Timing sum = timing;
  if (file) add(sum, Writer(file).timing());
  return sum;
}

SeriesPlace place_in_series(const std::string& path, const WriteOptions& options, std::int64_t number) {
  SeriesPlace place{path, options};
  const Format* const format = format_of_series(path, options.format);
  if (format == nullptr) return place;
  const std::filesystem::path pattern(path);
  const auto file = format->series_file(pattern.filename().string(), number);
  place.path = (pattern.parent_path() / file->name).string();
  place.options.format = format->name;
  for (const auto& [name, value] : file->options) place.options.options.try_emplace(name, value);
  // A reader of one of the files finds the steps of all.
  place.options.options.insert_or_assign("zones", "false");
  return place;
}

std::shared_ptr<Writer::State> open_series(std::shared_ptr<Writer::State> state) {
  const auto error = caught(state->comm.rank(), [&] {
    state->series = std::make_shared<Series>();
    SeriesPlace first = place_in_series(state->path, state->options, 0);
    const Format& format = format_named(first.options.format);
    state->file.format = format.name;
    Options given = state->options.options;
    if (WriteTarget(first.path, given).asks_for_limits() && state->comm.is_root()) {
      state->remarks.emplace_back("zones: limits of blocks of rows are not stored: it is a set of files");
    }
    // Takes the options that are not those of the format.
    const WriteTarget target(first.path, first.options.options);
    state->planner =
        format.plan_writing(CheckedOptions(format.write_options, without_transport_knobs(first.options.options)));
  });
  static_cast<void>(agree_on_choice(state->comm, choice_of(state->path, state->options), error));
  return state;
}

Writer next_in_series(Writer::State& state, std::int64_t number) {
  Series& series = *state.series;
  state.require_open();
  if (series.file) series.file->require_between_steps();
  end_file(state, std::nullopt);
  SeriesPlace place = place_in_series(state.path, state.options, number);
  std::error_code unknown;
  const bool exists = state.comm.is_root() && std::filesystem::exists(place.path, unknown);
  const Situation all = agree_on_situation(state, {.existing = exists ? 1U : 0U});
  if (all.leaving > 0) {
    throw state.placed(
        Error(ErrorKind::aborted, "another rank has left the series before this step").on(std::to_string(number)));
  }
  // A step that fails leaves the old file.
  if (all.existing > 0) place.options.options.try_emplace("replacement", "whole");
  series.file = create_file(place.path, state.comm, place.options, state.file);
  return Writer(series.file);
}

void close_series(Writer::State& state, const std::optional<std::string>& reason) {
  Attempts attempts;
  attempts.attempt([&] { end_file(state, reason); });
  const auto all = static_cast<std::uint64_t>(state.comm.size());
  attempts.attempt([&] {
    while (agree_on_situation(state, {.leaving = 1}).leaving != all) {
    }
  });
  attempts.attempt([&] { state.comm.let_go(); });
  attempts.rethrow();
}

}  // namespace quire
