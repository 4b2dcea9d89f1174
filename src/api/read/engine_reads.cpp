#include "api/read/engine_reads.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "api/root.hpp"
#include "base/stopwatch.hpp"

namespace quire {
namespace {

/// The run of a column or component, if a library can find its values by a path; only numbers have the same form in
/// all.
const Run* run_with_path(const Place& place, std::uint64_t column) {
  for (const Run& run : place.runs) {
    const auto cell = std::ranges::find(run.cells, column, &Cell::column);
    if (cell == run.cells.end()) continue;
    return run.opaque || run.text || run.path.empty() || cell->type == Type::string ? nullptr : &run;
  }
  return nullptr;
}

/// The parts of a request that have a path; the others are left.
std::vector<EngineRead> reads_of(const EngineRequest& request, std::vector<std::size_t>& targets) {
  std::vector<EngineRead> reads;
  for (std::size_t i = 0; i < request.targets.size(); ++i) {
    const ColumnTarget& target = request.targets[i];
    const Run* run = run_with_path(*request.place, target.column);
    if (run == nullptr || target.view.type == Type::string) continue;
    const auto cell = std::ranges::find(run->cells, target.column, &Cell::column);
    EngineRead& read = reads.emplace_back();
    read.path = run->path;
    read.object = target.object;
    read.type = cell->type;
    read.extents = request.extents;
    read.is_cell = request.is_table;
    read.part = request.is_table ? static_cast<std::uint64_t>(cell - run->cells.begin()) : target.column;
    read.selection = request.selection;
    read.out = target.view;
    read.memory = request.memory;
    targets.push_back(i);
  }
  return reads;
}

/// A hash of the requested values, independent of the rows.
std::uint64_t hash_of(const std::vector<EngineRead>& reads) {
  std::uint64_t hash = reads.size();
  for (const EngineRead& read : reads) {
    hash = hash * 0x9E3779B97F4A7C15ULL + std::hash<std::string>{}(read.path) + read.part;
  }
  return hash;
}

/// The words of the allreduce (maximum) of ranks that read together, or close the file.
struct Agreement {
  enum Word : std::size_t { failed, hash, complement, reading, words };
  std::array<std::uint64_t, words> word{};
};

/// Collective. Every rank throws the error of one that has failed, or an error if their requests differ.
void agree_on_reads(Comm& comm, const std::optional<Error>& error, std::uint64_t hash) {
  Agreement agreement{{error ? 1U : 0U, hash, ~hash, 1}};
  auto& words = agreement.word;
  comm.maximum(words);
  if (words[Agreement::failed] != 0) agree(comm, error);
  if (words[Agreement::hash] == ~words[Agreement::complement]) return;
  throw Error(ErrorKind::usage, "the ranks request different columns or fields, but read together")
      .advise("let every rank request the same, some without rows, or use transfer=independent");
}

/// Collective if ranks read together: then all throw the error of one. The action always runs.
template <class Action>
void do_together(Reader::State& reader, Action&& action) {
  if (!reader.engine->is_collective()) return std::forward<Action>(action)();
  agree(reader.comm, caught(reader.comm.rank(), std::forward<Action>(action)));
}

/// Whether a library without support for interrupted publications would read the file differently.
bool is_interrupted(Describer& describer) {
  return std::ranges::any_of(describer.repair(),
                             [](const PublishAct& act) { return std::holds_alternative<PublishWrite>(act); });
}

/// Throws for sources that this engine cannot read, or options without effect.
void check_source(Reader::State& reader) {
  if (reader.options.transport != ReadOptions().transport) {
    throw Error(ErrorKind::usage, "this engine moves the bytes itself: the option has no effect")
        .on("transport")
        .advise("leave it out, or use the engine direct");
  }
  if (reader.inflation) {
    throw Error(ErrorKind::unsupported, "the file is compressed as a whole, which this engine cannot read")
        .advise("use the engine direct, or decompress the file");
  }
  if (reader.comm.is_root() && is_interrupted(reader.own_describer())) {
    throw Error(ErrorKind::unsupported, "the publication of a step was interrupted, which this engine cannot finish")
        .advise("repair the file by quire recover, or use the engine direct");
  }
}

/// Collective. Returns when every rank closes the file. Ranks that still read receive this error, and throw.
void leave_together(Comm& comm) {
  const Error left = Error(ErrorKind::aborted, "this rank closes the file while others read it").from_rank(comm.rank());
  while (true) {
    Agreement agreement{{1, 0, 0, 0}};
    comm.maximum(agreement.word);
    if (agreement.word[Agreement::reading] == 0) return;
    static_cast<void>(caught(comm.rank(), [&] { agree(comm, left); }));
  }
}

}  // namespace

void open_read_engine(Reader::State& reader) {
  const Stopwatch watch(reader.timing.metadata);
  const auto looking = caught(reader.comm.rank(), [&] { check_source(reader); });
  agree(reader.comm, looking);
  const auto opening = caught(reader.comm.rank(), [&] {
    reader.engine->open({reader.first_file, reader.options.memory_budget, reader.options.lossy},
                        {reader.comm.backend().native(), reader.comm.rank()});
  });
  agree(reader.comm, opening);
}

void close_read_engine(Reader::State& reader) {
  if (reader.engine->is_collective()) leave_together(reader.comm);
  reader.engine->close();
}

void synchronize_engine(Reader::State& reader, const std::optional<Error>& refusal) {
  constexpr std::uint64_t hash_of_no_request = 1;
  agree_on_reads(reader.comm, refusal, hash_of_no_request);
}

void synchronize_readers(Reader::State& reader) {
  if (reader.comm.size() == 1 || !reads_together(reader)) return;
  if (reader.engine) return synchronize_engine(reader, std::nullopt);
  reader.transport->run(ReadPlan{});
}

void refuse_by_engine(Reader::State& reader) {
  const Error refusal(ErrorKind::usage, "a rank does not take part in the collective read of the others");
  // The caller has its own error already.
  static_cast<void>(caught(reader.comm.rank(), [&] { agree_on_reads(reader.comm, refusal, 0); }));
}

std::vector<ColumnTarget> read_by_engine(Reader::State& reader, const std::function<EngineRequest()>& ask) {
  ReadEngine& engine = *reader.engine;
  EngineRequest request;
  std::vector<EngineRead> reads;
  std::vector<std::size_t> places;
  const auto prepare = [&] {
    request = ask();
    reads = reads_of(request, places);
  };
  if (engine.is_collective()) {
    const auto error = caught(reader.comm.rank(), prepare);
    agree_on_reads(reader.comm, error, hash_of(reads));
  } else {
    prepare();
  }
  std::vector<bool> taken(reads.size());
  if (!reads.empty()) {
    const Stopwatch watch(reader.timing.transfer);
    do_together(reader, [&] { taken = engine.prepare(reads); });
    do_together(reader, [&] { engine.read(); });
  }
  std::vector<bool> is_done(request.targets.size());
  for (std::size_t i = 0; i < reads.size(); ++i) is_done[places[i]] = taken[i];
  std::vector<ColumnTarget> left;
  for (std::size_t i = 0; i < request.targets.size(); ++i) {
    if (!is_done[i]) left.push_back(request.targets[i]);
  }
  return left;
}

}  // namespace quire
