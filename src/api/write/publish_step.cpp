#include "api/write/publish_step.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "api/publication.hpp"
#include "api/root.hpp"
#include "api/write/limits.hpp"
#include "api/write/transfer.hpp"
#include "api/write/write_streams.hpp"
#include "base/stopwatch.hpp"
#include "quire/spi/base/archive.hpp"

namespace quire {

using State = WriteStep::State;

namespace {

/// The end of a publication: done, rolled back, or interrupted when it could not be rolled back.
enum class Ending : std::uint8_t { done, rolled_back, interrupted };

/// The outcome of the publication and the new state of the planner.
struct Outcome {
  Ending ending = Ending::done;
  std::vector<std::byte> state;
  bool unclosed = false;  ///< the step is published, but its file could not be closed with it
  template <class Archive>
  void archive(Archive& a) {
    a(ending, state, unclosed);
  }
};

/// Elements of fields and chosen rows that no rank has put are zeros, also at the end of the file.
void fill_end(const State& step) {
  Transport& transport = *step.writer->transport;
  const bool may_leave_gaps = !step.accepted.fields.empty() ||
                              std::ranges::any_of(step.part->chosen, [](const auto& rows) { return rows.has_value(); });
  if (!may_leave_gaps || transport.size() >= step.placement.end) return;
  transport.resize(step.placement.end);
}

/// Rank 0: executes the acts in order. `failed`: how the publication ends if the last one of them has failed.
void carry_out(Writer::State& writer, const Publication& acts, Ending& failed) {
  for (const PublishAct& act : acts) {
    // A change of bytes of earlier steps cannot be rolled back.
    if (overwrites(act, writer.planner->published_size())) failed = Ending::interrupted;
    quire::carry_out({act}, *writer.transport, writer.options.durable);
  }
}

/// Rank 0: replaces the old file by the new one, which is durable. After files have moved `recover` finishes an
/// interrupted replacement; as long as none was, the step can be rolled back.
void replace_old(Writer::State& writer, Ending& failed) {
  std::vector<std::string> remains;
  const auto error =
      caught(0, [&] { remains = writer.target.take_place(writer.lock, writer.capabilities().file_set); });
  failed = !error || writer.target.is_taking_place() ? Ending::interrupted : Ending::rolled_back;
  if (error) throw Error(*error);
  std::ranges::move(remains, std::back_inserter(writer.remarks));
}

/// Rank 0: publishes the step, unless it has failed; then nothing of it stays.
Outcome publish(State& step, std::optional<Error>& error) {
  Writer::State& writer = *step.writer;
  const Stopwatch watch(writer.timing.metadata);
  Outcome outcome;
  Ending failed = Ending::rolled_back;
  if (!error) {
    error = caught(0, [&] {
      fill_end(step);
      prepare(step);
      carry_out(writer, *step.publication, failed);
      if (writer.syncs_steps()) writer.transport->sync(true);
      if (writer.completes_with_step()) {
        remember_file(writer);
        drop_notes(step);  // their name depends on where the file was written
        replace_old(writer, failed);
      }
      writer.planner->advance(*step.part, step.total, true);
      outcome.state = writer.planner->state();
    });
  }
  if (error) outcome.ending = failed;
  return outcome;
}

/// After rank 0 has sent the end of the publication, and where the next step begins.
void settle(State& step, const Outcome& outcome, const std::optional<Error>& error) {
  Writer::State& writer = *step.writer;
  if (outcome.ending == Ending::interrupted) writer.steps = Steps::interrupted;
  if (outcome.ending != Ending::done) fail_together(step, error);
  writer.steps = Steps::committed;
  if (writer.comm.is_root()) return;
  writer.planner->advance(*step.part, step.total, true);
  if (!outcome.state.empty()) writer.planner->adopt(outcome.state);
}

/// A collective in which rank 0 publishes: the time that this takes is not waiting time of this rank.
template <class Collective>
auto waiting(Writer::State& writer, Collective&& collective) {
  const double before = writer.timing.metadata;
  const Stopwatch watch(writer.timing.wait);
  auto result = collective();
  writer.timing.wait -= writer.timing.metadata - before;
  return result;
}

/// Collective 2: if the bytes of all ranks are written, rank 0 runs `answer` and all return its bytes. Nothing if a
/// rank still writes; only then others may have failed, because the file is not truncated while bytes are written.
std::optional<std::vector<std::byte>> agree_if_written(State& step, const std::optional<Error>& error, bool is_written,
                                                       const RootAnswer& answer) {
  enum Word : std::size_t { failed, writing };
  std::array<std::uint64_t, 2> words{error ? 1U : 0U, is_written ? 0U : 1U};
  auto answered = waiting(*step.writer, [&] {
    return step.writer->comm.maximum_and_answer(words, [&] {
      const bool goes_on = words[failed] == 0 && words[writing] == 0;
      return goes_on ? answer() : std::vector<std::byte>();
    });
  });
  if (words[writing] != 0) return std::nullopt;
  if (words[failed] != 0) fail_together(step, error);
  return answered;
}

/// The same after this rank's bytes are written or have failed: waits for the others.
std::vector<std::byte> agree_on_data(State& step, const std::optional<Error>& error, const RootAnswer& answer) {
  while (true) {
    if (auto answered = agree_if_written(step, error, true, answer)) return *std::move(answered);
  }
}

}  // namespace

bool publish_together(State& step, std::optional<Error> error) {
  Writer::State& writer = *step.writer;
  const bool closes = writer.life.ends_with_step();
  if (!error && closes && !writer.comm.is_root()) error = close_here(writer);
  std::optional<Error> failure;
  const auto outcome = unpack<Outcome>(agree_on_data(step, error, [&] {
    Outcome mine = publish(step, failure);
    if (closes && mine.ending == Ending::done) mine.unclosed = close_here(writer).has_value();
    return pack(mine);
  }));
  settle(step, outcome, failure);
  return !outcome.unclosed;
}

bool publish_if_written(State& step, const std::optional<Error>& error, bool is_written) {
  std::optional<Error> failure;
  const auto answered = agree_if_written(step, error, is_written, [&] { return pack(publish(step, failure)); });
  if (!answered) return false;
  settle(step, unpack<Outcome>(*answered), failure);
  return true;
}

void finish_streams(State& step) {
  std::optional<Error> failure;
  const auto answered = waiting(*step.writer, [&] {
    return collect_streams(step, [&](const std::optional<Error>& error) {
      failure = error;
      return pack(publish(step, failure));
    });
  });
  try {
    settle(step, unpack<Outcome>(answered), failure);
  } catch (const Error&) {
    if (step.writer->steps != Steps::interrupted) drop_notes(step);
    throw;
  }
  drop_notes(step);
}

void take_back(State& step, const Error& error) {
  if (step.writer->capabilities().streams == nullptr) {
    static_cast<void>(agree_on_data(step, error, {}));
    return;
  }
  step.failure = error;
  finish_streams(step);
}

void end_commit(State& step) {
  Writer::State& writer = *step.writer;
  step.finish(true);
  writer.schema = std::move(step.accepted);
}

}  // namespace quire
