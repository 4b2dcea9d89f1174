#include "simulation.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <utility>
#include <vector>

namespace fodo {

namespace {

constexpr std::array<Coordinate, coordinate_count> coordinates{x, px, y, py, z, delta};

double seconds_of(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// A constant of the channel as an attribute of the file, so that a restart needs nothing but the file.
struct Constant {
  const char* name;
  const char* unit;
  const char* description;
  double Channel::*member;
};

constexpr std::array<Constant, 9> constants{{
    {"gamma", "1", "Lorentz factor of the reference particle", &Channel::gamma},
    {"quadrupole", "1/m^2", "quadrupole strength k1", &Channel::quadrupole},
    {"quadrupole_length", "m", "length of a quadrupole", &Channel::quadrupole_length},
    {"drift_length", "m", "length of a drift", &Channel::drift_length},
    {"sextupole", "1/m^2", "integrated sextupole strength k2 L", &Channel::sextupole},
    {"rf", "1", "largest relative change of momentum in a cavity", &Channel::rf},
    {"rf_wave_number", "1/m", "wave number of the cavities", &Channel::rf_wave_number},
    {"rf_cubic", "1", "cubic coefficient of the cavity's kick", &Channel::rf_cubic},
    {"rf_quintic", "1", "quintic coefficient of the cavity's kick", &Channel::rf_quintic},
}};

Channel channel_of(const quire::FileDescription& file) {
  Channel channel;
  for (const Constant& constant : constants) {
    const auto found = std::ranges::find(file.attributes, constant.name, &quire::Attribute::name);
    if (found == file.attributes.end()) {
      throw quire::Error(quire::ErrorKind::missing, "the file does not say what the channel was")
          .on(constant.name)
          .advise("restart from a file of this program");
    }
    channel.*constant.member = found->value.as_double();
  }
  return channel;
}

quire::Slice my_slice(std::uint64_t rows, bool root_empty, const quire::Comm& comm) {
  return root_empty ? quire::slice_without_root(rows, comm.rank(), comm.size())
                    : quire::even_slice(rows, comm.rank(), comm.size());
}

/// The state of a run.
struct State {
  std::int64_t cell = 0;
  Channel channel;
  Bunch bunch;
};

State restarted(const Simulation& what, const quire::Comm& comm) {
  quire::ReadOptions options;
  options.transport = what.transport;
  quire::Reader reader = quire::open(what.restart_from, comm, options);
  if (reader.size() == 0)
    throw quire::Error(quire::ErrorKind::missing, "there are no steps").in_file(what.restart_from);
  const quire::ReadStep step = what.restart_step ? reader.step(*what.restart_step) : reader.at(reader.size() - 1);
  const quire::Table& table = step.description().tables.at(step.description().find_table(""));

  const quire::Slice slice = my_slice(table.rows, what.root_empty, comm);
  State state{step.number(), channel_of(reader.description()), Bunch(slice.count)};
  std::vector<quire::ReadColumn> columns{{"id", state.bunch.id}};
  for (const Coordinate c : coordinates) columns.push_back({column_of(c).name, state.bunch.coordinates[c]});
  step.read_all(table.name, slice, std::move(columns));
  reader.close();
  return state;
}

State begun(const Simulation& what, const quire::Comm& comm) {
  State state{0, what.channel, Bunch()};
  state.channel.sextupole = what.sextupole.value_or(state.channel.sextupole);
  state.channel.rf = what.rf.value_or(state.channel.rf);
  const quire::Slice slice = my_slice(what.beam.particles, what.root_empty, comm);
  state.bunch = make_bunch(what.beam, CellMap(state.channel), slice);
  return state;
}

bool appends(const Simulation& what) {
  std::error_code none;
  return !what.restart_from.empty() &&
         (what.restart_from == what.output || std::filesystem::equivalent(what.restart_from, what.output, none));
}

void check(const Simulation& what) {
  const auto refuse = [](const char* message) { throw quire::Error(quire::ErrorKind::usage, message); };
  if (what.output.empty()) refuse("no file to write to");
  if (what.every < 1) refuse("steps must be at least one cell apart");
  if (what.cells < 0) refuse("the number of cells is negative");
  if (appends(what) && (what.sextupole || what.rf)) refuse("the channel cannot change within one file");
}

quire::Writer open_output(const Simulation& what, const State& state, const quire::Comm& comm) {
  quire::WriteOptions options;
  options.format = what.format;
  options.transport = what.transport;
  options.durable = what.durable;
  options.options = what.options;
  if (appends(what)) {
    const quire::Later later = what.drop_later ? quire::Later::drop : quire::Later::refuse;
    return quire::append(what.output, comm, state.cell, later, options);
  }
  quire::Writer writer = quire::create(what.output, comm, options);
  writer.describe("FODO channel", "particles");
  for (const Constant& constant : constants) {
    writer.set(
        attribute(constant.name, quire::Value(state.channel.*constant.member), constant.unit, constant.description));
  }
  return writer;
}

/// The values of a step; its arrays are read by the commit.
void fill(quire::WriteStep& step, const State& state, const Report& report) {
  step.set(attribute("s", quire::Value(report.s), "m", "distance along the channel"));
  step.set(attribute("cell", quire::Value(report.cell), "", "cells passed"));
  for (quire::Attribute& moment : attributes_of(report.moments)) step.set(std::move(moment));
  for (const Coordinate c : coordinates) step.put(column_of(c), state.bunch.coordinates[c]);
  quire::Column id;
  id.name = "id";
  id.type = quire::Type::int64;
  id.description = "place of the particle in the bunch";
  step.put(id, state.bunch.id);
}

Report write(quire::Writer& writer, const State& state, bool async, quire::Comm& comm) {
  Report report;
  report.cell = state.cell;
  report.s = static_cast<double>(state.cell) * state.channel.cell_length();
  report.moments = measure(state.bunch, comm);
  report.bytes = (coordinate_count * sizeof(double) + sizeof(std::int64_t)) * state.bunch.size();
  report.write_seconds = seconds_of([&] {
    const auto fill_step = [&](quire::WriteStep& step) { fill(step, state, report); };
    async ? writer.write_step(state.cell, fill_step, quire::AsyncCommit{}) : writer.write_step(state.cell, fill_step);
  });
  return report;
}

}  // namespace

Summary simulate(const Simulation& what, quire::Comm comm, const std::function<void(const Report&)>& report) {
  check(what);
  Summary summary;
  State state;
  if (what.restart_from.empty()) {
    state = begun(what, comm);
  } else {
    summary.read_seconds = seconds_of([&] { state = restarted(what, comm); });
    state.channel.sextupole = what.sextupole.value_or(state.channel.sextupole);
    state.channel.rf = what.rf.value_or(state.channel.rf);
  }
  if (state.cell > what.cells) throw quire::Error(quire::ErrorKind::usage, "the restarted step is after the last cell");

  const CellMap cell(state.channel);
  quire::Writer writer = open_output(what, state, comm);
  const auto write_step = [&] {
    const Report step = write(writer, state, what.async, comm);
    summary.output_seconds += step.write_seconds;
    report(step);
  };
  if (what.restart_from.empty()) write_step();
  while (state.cell < what.cells) {
    const std::int64_t next = std::min(what.cells, (state.cell / what.every + 1) * what.every);
    summary.track_seconds += seconds_of([&] { cell.track(state.bunch, next - state.cell); });
    state.cell = next;
    write_step();
  }
  summary.output_seconds += seconds_of([&] { writer.close(); });
  summary.writing = writer.timing();
  return summary;
}

}  // namespace fodo
