// A mesh from any ranks and transport: the same bytes, whole or absent after a kill, and one error on all ranks.

#include <gtest/gtest.h>

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "quire/quire.hpp"
#include "support/environment.hpp"
#include "support/error_of.hpp"
#include "support/killed.hpp"
#include "support/sample.hpp"
#include "transport/faulty.hpp"
#include "transport/trace.hpp"

namespace quire::test::mesh_ranks_test {
namespace {

constexpr std::uint64_t vertices = 23;
constexpr std::uint64_t elements = 14;

/// The columns of a table of a mesh, and its rows on all ranks.
struct MeshTable {
  std::string name;
  std::uint64_t rows;
  std::vector<std::pair<std::string, Type>> columns;
};

std::vector<MeshTable> tables() {
  const std::string mesh = "TetMeshes/bunch/";
  std::vector<MeshTable> all{
      {mesh + "Vertices", vertices, {{"idx", Type::int64}}},
      {mesh + "Elems",
       elements,
       {{"idx", Type::int64},
        {"parent", Type::int64},
        {"child", Type::int64},
        {"level", Type::int16},
        {"refinement", Type::int16},
        {"flags", Type::int32}}},
      {mesh + "Tags/material/elems", elements + 1, {{"eid", Type::int64}, {"idx", Type::int64}}},
      {mesh + "Tags/material/entities", elements + 1, {{"eid", Type::int64}, {"idx", Type::int64}}},
      {mesh + "Tags/material/values", elements, {{"value", Type::float64}}}};
  for (const char* axis : {"x", "y", "z"}) all[0].columns.emplace_back(axis, Type::float64);
  for (const char* record : {"vertex_", "neighbour_"}) {
    for (int corner = 0; corner < 4; ++corner)
      all[1].columns.emplace_back(record + std::to_string(corner), Type::int64);
  }
  return all;
}

/// Different in every column and row, and small enough for every type.
std::int64_t value_of(std::size_t column, std::uint64_t row) {
  return static_cast<std::int64_t>((column * 31 + row * 7) % vertices);
}

/// Puts the rows of a rank, and keeps their memory.
class Mesh {
 public:
  void fill(WriteStep& step, const std::function<Slice(std::uint64_t rows)>& mine) {
    const auto set = [&](const std::string& name, auto number) {
      step.set("TetMeshes/bunch/" + name, Value(std::span<const decltype(number)>(&number, 1)));
    };
    set("__num_leaf_levels__", std::int16_t{1});
    set("__num_elems__", static_cast<std::int64_t>(elements));
    set("__num_leaf_elems__", static_cast<std::int64_t>(elements));
    set("__num_vertices__", static_cast<std::int64_t>(vertices));
    for (const MeshTable& table : tables()) {
      const Slice rows = mine(table.rows);
      step.table(table.name).rows(rows.count);
      for (std::size_t c = 0; c < table.columns.size(); ++c) put(step, table.columns[c], c, rows);
    }
  }

 private:
  void put(WriteStep& step, const std::pair<std::string, Type>& column, std::size_t index, const Slice& rows) {
    auto& bytes = memory_.emplace_back(static_cast<std::size_t>(rows.count) * size_of(column.second));
    for (std::uint64_t i = 0; i < rows.count; ++i) {
      const Value value = Value(value_of(index, rows.first + i)).converted_to(column.second, false);
      std::ranges::copy(value.bytes(), bytes.begin() + static_cast<std::ptrdiff_t>(i * size_of(column.second)));
    }
    step.put(column.first,
             ConstView(column.second, bytes.data(), rows.count, static_cast<std::ptrdiff_t>(size_of(column.second))));
  }

  std::deque<std::vector<std::byte>> memory_;
};

/// Empty if the step has the mesh, as far as rows of a rank show it.
std::string difference(const ReadStep& step, const std::function<Slice(std::uint64_t rows)>& mine) {
  for (const MeshTable& table : tables()) {
    const Slice rows = mine(table.rows);
    const Table& found = step.description().tables.at(step.description().find_table(table.name));
    if (found.rows != table.rows) return table.name + " has " + std::to_string(found.rows) + " rows";
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      std::vector<double> values(static_cast<std::size_t>(rows.count));
      step.read_all(table.name, rows, {{table.columns[c].first, View(values)}});
      for (std::uint64_t i = 0; i < rows.count; ++i) {
        if (values[i] != static_cast<double>(value_of(c, rows.first + i)))
          return table.name + "/" + table.columns[c].first;
      }
    }
  }
  return {};
}

WriteOptions mesh_options() {
  WriteOptions options;
  options.format = "h5part";
  options.transport = transport();
  options.options = {{"meshes", "true"}};
  options.deadline = std::chrono::seconds(60);
  return options;
}

void write(const std::string& file, const Comm& comm, const WriteOptions& options,
           const std::function<Slice(std::uint64_t)>& mine) {
  Mesh mesh;
  Writer out = create(file, comm, options);
  WriteStep step = out.step(0);
  mesh.fill(step, mine);
  step.commit();
  out.close();
}

TEST(MeshRanks, WriteTheSameBytesAndReadAnyRows) {
  Comm comm = everyone();
  comm.set_deadline(std::chrono::seconds(60));
  WriteOptions serial = mesh_options();
  serial.transport = "posix";
  const std::string alone = path("mesh_serial" + std::to_string(comm.rank()) + ".h5");
  write(alone, Comm::self(), serial, [](std::uint64_t rows) { return Slice{0, rows}; });
  for (const Spread spread :
       {Spread::even, Spread::first_has_nothing, Spread::last_has_nothing, Spread::last_has_everything}) {
    const std::string file = path("mesh_" + name(spread) + ".h5");
    write(file, comm, mesh_options(), [&](std::uint64_t rows) { return slice(spread, rows, comm); });
    EXPECT_EQ(bytes_of(file), bytes_of(alone)) << name(spread);
    comm.barrier();
    ReadOptions reading;
    reading.transport = transport();
    Reader in = open(file, comm, reading);
    ASSERT_EQ(in.size(), 1U);
    EXPECT_EQ(difference(in.at(0), [&](std::uint64_t rows) { return slice(Spread::first_has_nothing, rows, comm); }),
              "");
    in.close();
  }
}

TEST(MeshRanks, ThrowOneErrorIfADiskIsFull) {
  Comm comm = everyone();
  comm.set_deadline(std::chrono::seconds(60));
  for (int failing = 0; failing < comm.size(); ++failing) {
    for (const std::uint64_t after : {0, 100}) {
      WriteOptions options = mesh_options();
      options.wrapper = [&](std::unique_ptr<Transport> inner, const std::string&, int rank) {
        const Fault fault{.after_bytes = after, .error_number = 28, .on_read = false, .on_sync = false};
        return rank == failing ? faulty(std::move(inner), fault) : std::move(inner);
      };
      Mesh mesh;
      Writer out = create(path("mesh_full.h5"), comm, options);
      WriteStep step = out.step(0);
      mesh.fill(step, [&](std::uint64_t rows) { return slice(Spread::even, rows, comm); });
      const auto error = error_of([&] { step.commit(); });
      ASSERT_TRUE(error.has_value()) << failing;
      EXPECT_EQ(error->kind(), ErrorKind::io) << error->what();
      EXPECT_EQ(error->rank(), comm.size() > 1 ? std::optional(failing) : std::nullopt) << error->what();
      static_cast<void>(error_of([&] { out.close(); }));
      comm.barrier();
    }
  }
}

/// Whether a file has the mesh; it must not have a part of it.
bool has_mesh(const std::string& file) {
  std::optional<Reader> in;
  if (error_of([&] { in = open(file, Comm::self()); })) return false;
  const std::uint64_t whole = in->check().whole_steps;
  if (whole == 0) return false;
  EXPECT_EQ(difference(in->at(0), [](std::uint64_t rows) { return Slice{0, rows}; }), "");
  return true;
}

TEST(MeshRanks, LeaveAMeshWholeOrAbsentAfterAKill) {
  if (everyone().size() > 1) return;  // the trace is that of one rank
  const auto trace = std::make_shared<Trace>();
  trace->keep_bytes = true;
  WriteOptions options = mesh_options();
  options.transport = "posix";
  options.wrapper = [&](std::unique_ptr<Transport> inner, const std::string&, int) {
    return traced(std::move(inner), trace);
  };
  Mesh mesh;
  Writer out = create(path("mesh_traced.h5"), Comm::self(), options);
  WriteStep step = out.step(0);
  mesh.fill(step, [](std::uint64_t rows) { return Slice{0, rows}; });
  step.commit();
  const std::size_t committed = trace->events.size();
  out.close();
  const std::string crashed = path("mesh_crashed.h5");
  std::string file;
  int absent = 0;
  for (std::size_t i = 0; i < trace->events.size(); ++i) {
    const TraceEvent& event = trace->events[i];
    SCOPED_TRACE("killed at event " + std::to_string(i));
    if (event.what == TraceEvent::What::write && event.length > 8) {
      std::string torn = file;
      write_in_part(event, event.length / 2, torn);
      write_bytes(crashed, torn);
      absent += has_mesh(crashed) ? 0 : 1;
    }
    write_in_part(event, event.length, file);
    write_bytes(crashed, file);
    const bool found = has_mesh(crashed);
    absent += found ? 0 : 1;
    EXPECT_TRUE(found || i + 1 < committed);
    if (!found) continue;
    repair(crashed, Comm::self());
    EXPECT_TRUE(has_mesh(crashed)) << "after repair";
  }
  EXPECT_GT(absent, 2);
}

}  // namespace
}  // namespace quire::test::mesh_ranks_test
