#include "api/write/engine_steps.hpp"

#include <array>

#include "api/root.hpp"
#include "api/write/transport_knobs.hpp"
#include "base/attempts.hpp"
#include "base/stopwatch.hpp"

namespace quire {
namespace {

EngineFile file_of(const Writer::State& writer, const std::string& path, bool is_new) {
  return {.path = path,
          .is_new = is_new,
          .staging = limits_of(writer.options.options).staging,
          .durable = writer.options.durable,
          .lossy = writer.options.lossy};
}

}  // namespace

void check_engine_options(const WriteOptions& options) {
  const auto refuse = [](const char* name) {
    throw Error(ErrorKind::usage, "this engine moves the bytes itself: the option has no effect")
        .on(name)
        .advise("leave it out, or use the engine direct");
  };
  if (options.transport != WriteOptions().transport) refuse("transport");
  if (options.options.contains("piece")) refuse("piece");
}

void open_engine(Writer::State& writer, const std::string& path, bool is_new) {
  const Stopwatch watch(writer.timing.metadata);
  Comm& comm = writer.comm;
  const auto error = caught(comm.rank(), [&] {
    writer.engine->open(file_of(writer, path, is_new), {comm.backend().native(), comm.rank()});
  });
  agree(comm, error ? std::optional(writer.placed(*error)) : std::nullopt);
}

std::optional<Error> write_by_engine(WriteStep::State& step) {
  Writer::State& writer = *step.writer;
  StepEngine& engine = *writer.engine;
  Attempts attempts;
  attempts.attempt([&] {
    if (step.failure) throw Error(*step.failure);
  });
  {
    const Stopwatch watch(writer.timing.metadata);
    attempts.attempt([&] { engine.begin(*step.part, step.before, step.total); });
  }
  const Stopwatch watch(writer.timing.transfer);
  if (!step.builder.is_streamed()) attempts.attempt([&] { engine.write_tables(*step.part); });
  attempts.attempt([&] { engine.write_fields(*step.part); });
  return caught(writer.comm.rank(), [&] { attempts.rethrow(); });
}

void publish_by_engine(WriteStep::State& step) {
  Writer::State& writer = *step.writer;
  std::optional<Error> error;
  {
    const Stopwatch watch(writer.timing.metadata);
    error = caught(writer.comm.rank(), [&] { writer.engine->publish(*step.part); });
  }
  if (!error && writer.options.durable && writer.comm.is_root()) {
    error = caught(0, [&] { writer.transport->sync(true); });
  }
  const Stopwatch watch(writer.timing.wait);
  std::uint64_t failed = error ? 1 : 0;
  writer.comm.sum(std::span(&failed, 1));
  if (failed != 0) {
    writer.broken = true;  // the state of the library's file is unknown
    fail_together(step, error);
  }
  writer.planner->advance(*step.part, step.total, true);
}

void close_engine(Writer::State& writer) {
  Attempts attempts;
  attempts.attempt([&] { writer.describe_file(); });
  const Stopwatch watch(writer.timing.metadata);
  attempts.attempt([&] { writer.engine->close(); });
  if (const auto error = caught(writer.comm.rank(), [&] { attempts.rethrow(); })) throw Error(*error);
}

}  // namespace quire
