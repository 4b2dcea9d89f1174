// Tests that every registered format of elements must pass. No test here names a format.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>

#include "checkpoint/mesh.hpp"
#include "quire/quire.hpp"
#include "support/environment.hpp"
#include "support/killed_files.hpp"
#include "support/reported_rank.hpp"
#include "support/sample.hpp"
#include "transport/faulty.hpp"

namespace quire::test::elements_test {
namespace {

namespace files = std::filesystem;

constexpr std::uint32_t elements = 24;
constexpr double time = 0.375;

/// The bytes of a file, or of all files in a directory by their names.
std::map<std::string, std::string> contents(const std::string& path) {
  if (!files::is_directory(path)) return {{"", bytes_of(path)}};
  std::map<std::string, std::string> all;
  for (const auto& entry : files::directory_iterator(path)) {
    all[entry.path().filename().string()] = bytes_of(entry.path().string());
  }
  return all;
}

/// The mesh of this rank. Of several ranks, the last one has no elements or, with `first_is_empty`, the first one.
checkpoint::Mesh mesh_of(const Comm& comm, bool first_is_empty = false) {
  const int rank = first_is_empty ? comm.size() - 1 - comm.rank() : comm.rank();
  checkpoint::Mesh mesh(elements, rank, comm.size());
  mesh.advance(time);
  return mesh;
}

/// Writes one checkpoint; returns what this rank has sent to other ranks for its step.
Traffic write(const std::string& path, const Comm& comm, const WriteOptions& options, const checkpoint::Mesh& mesh,
              const ElementLayout& layout = {}) {
  Writer out = create(path, comm, options);
  const auto parts = mesh.parts();
  WriteStep step = out.step(3);
  step.set("Time", time);
  const Traffic before = out.comm().traffic();
  put_elements(step, parts, layout);
  step.commit();
  const Traffic after = out.comm().traffic();
  out.close();
  return {after.collectives - before.collectives, after.messages - before.messages, after.bytes - before.bytes};
}

/// Empty if the ranks find every element as it was written, on any rank; the same on all ranks.
std::string difference(const std::string& path, Comm comm, const ReadOptions& options = {}) {
  Reader in = open(path, comm, options);
  const ReadStep step = in.at(0);
  ElementRequest request;
  request.ids = checkpoint::wanted_ids(elements, comm.rank(), comm.size());
  const Elements found = step.read_elements_all(request);
  std::array<std::uint64_t, 2> wrong{request.ids->size() - checkpoint::right_elements(found, time),
                                     in.check().damage ? 1U : 0U};
  comm.sum(wrong);
  in.close();
  if (step.number() != 3) return "the number of the step";
  return wrong[0] != 0 ? "elements" : wrong[1] != 0 ? "damage" : "";
}

std::vector<Variant> variants_of_elements() {
  std::vector<Variant> all;
  for (const Format* format : formats()) {
    if (!format->holds_elements) continue;
    std::size_t index = 0;
    for (const Options& options : format->writing_variants) all.push_back({format, options, index++});
  }
  return all;
}

class ElementFiles : public testing::TestWithParam<Variant> {
 protected:
  [[nodiscard]] static WriteOptions options() {
    WriteOptions options = GetParam().new_file_options();
    options.transport = transport();
    return options;
  }
  [[nodiscard]] static std::string file_named(const std::string& name) { return path(name + "_" + GetParam().name()); }
};

class ElementParity : public ElementFiles {};
class ElementFaults : public ElementFiles {};
class ElementSeries : public ElementFiles {};
class ElementSums : public ElementFiles {};
class ElementsOfAKill : public ElementFiles {};

TEST_P(ElementParity, EveryTransportWritesTheSameBytesAndEveryElementComesBack) {
  Comm comm = everyone();
  comm.set_deadline(std::chrono::seconds(60));
  ReadOptions reading;
  reading.transport = transport();
  for (const bool first_is_empty : {false, true}) {
    const std::string file = file_named(first_is_empty ? "first_empty" : "last_empty");
    const checkpoint::Mesh mesh = mesh_of(comm, first_is_empty);
    write(file, comm, options(), mesh);
    EXPECT_EQ(difference(file, comm, reading), "");
    WriteOptions plain = options();
    plain.transport = "posix";
    write(file + "_posix", comm, plain, mesh);
    comm.barrier();
    EXPECT_EQ(contents(file), contents(file + "_posix"));
  }
}

TEST_P(ElementFaults, DiskIsFullOnEachRankInTurn) {
  Comm comm = everyone();
  comm.set_deadline(std::chrono::seconds(60));
  const checkpoint::Mesh mesh = mesh_of(comm);
  for (int failing = 0; failing < comm.size(); ++failing) {
    // The last rank has nothing to write, except in layouts that keep data of every rank.
    const bool may_succeed = failing > 0 && failing == comm.size() - 1;
    const std::string file = file_named("full" + std::to_string(failing));
    WriteOptions writing = options();
    writing.wrapper = [&](std::unique_ptr<Transport> inner, const std::string&, int rank) {
      const Fault fault{.after_bytes = 10, .error_number = 28, .on_read = false, .on_sync = false};
      return rank == failing ? faulty(std::move(inner), fault) : std::move(inner);
    };
    std::optional<Error> error;
    Writer out = create(file, comm, writing);
    WriteStep step = out.step(3);
    const auto parts = mesh.parts();
    put_elements(step, parts);
    try {
      step.commit();
    } catch (const Error& raised) {
      error = raised;
    }
    try {
      out.close();
    } catch (const Error&) {
      // The disk still fails.
    }
    EXPECT_TRUE(error || may_succeed) << failing;
    std::array<std::uint64_t, 1> failed{error ? 1U : 0U};
    comm.sum(failed);
    EXPECT_TRUE(failed[0] == 0 || failed[0] == static_cast<std::uint64_t>(comm.size())) << "all ranks or none";
    if (!error) continue;
    EXPECT_EQ(error->kind(), ErrorKind::io) << error->what();
    EXPECT_EQ(error->rank(), reported_rank(comm, failing)) << error->what();
  }
}

TEST_P(ElementSeries, LayoutIsSentOnceAndThenOnlyCompared) {
  Comm comm = everyone();
  const bool encodes = [&] {
    Writer out = create(file_named("asked"), comm, options());
    const bool weighs = out.weighs_values();
    out.close();
    return weighs;
  }();
  const ElementLayout layout;
  const std::string file = file_named("series");
  const auto of_mesh = [&](bool first_is_empty) {
    const Traffic traffic = write(file, comm, options(), mesh_of(comm, first_is_empty), layout);
    EXPECT_EQ(difference(file, comm), "");
    return traffic;
  };
  const Traffic first = of_mesh(false);
  EXPECT_EQ(layout.distributions(), 1U);
  for (int i = 0; i < 2; ++i) {
    const Traffic again = of_mesh(false);
    // Compressed data differ in size each time and get new offsets.
    EXPECT_LE(again.collectives, encodes ? 4U : 3U);
    EXPECT_LE(again.collectives, first.collectives);
    EXPECT_LE(again.bytes, first.bytes);
    EXPECT_LT(again.bytes, 1500U) << "of fixed size for any mesh";
  }
  EXPECT_EQ(layout.reused(), 2U);
  if (comm.size() == 1) {
    EXPECT_LE(first.collectives, encodes ? 5U : 4U);
    return;
  }
  const Traffic changed = of_mesh(true);
  EXPECT_EQ(layout.distributions(), 2U);
  EXPECT_GT(changed.collectives, 3U);
  const Traffic after = of_mesh(true);
  EXPECT_LE(after.collectives, encodes ? 4U : 3U);
  EXPECT_EQ(layout.reused(), 3U);
}

TEST_P(ElementSums, DetectChangedBytes) {
  if (transport() == "mpi_independent") return;  // the same as posix
  Comm comm = everyone();
  const std::string file = file_named("summed");
  WriteOptions writing = options();
  writing.options["checksums"] = "true";
  write(file, comm, writing, mesh_of(comm));
  EXPECT_EQ(difference(file, comm), "");
  comm.barrier();
  // Changes one bit in the middle of the file, or of the file after the index: also where no check of the format finds
  // it.
  const auto all = contents(file);
  const auto& chosen = all.size() > 1 ? *std::next(all.begin()) : *all.begin();
  const std::string changing = chosen.first.empty() ? file : file + "/" + chosen.first;
  comm.barrier();
  if (comm.is_root()) {
    std::string changed = chosen.second;
    changed[changed.size() / 2] = static_cast<char>(changed[changed.size() / 2] ^ 1);
    write_bytes(changing, changed);
  }
  comm.barrier();
  Reader in = open(file, comm);
  const CheckReport report = in.check();
  ASSERT_TRUE(report.damage.has_value());
  EXPECT_EQ(report.whole_steps, 0U);
  EXPECT_EQ(report.damage->kind(), ErrorKind::bad_file);
  in.close();
  comm.barrier();
  // A rewritten file has no old checksums.
  write(file, comm, options(), mesh_of(comm));
  EXPECT_EQ(difference(file, comm), "");
  EXPECT_FALSE(files::exists(file + ".quire-sums"));
}

TEST_P(ElementsOfAKill, AreWholeOrAbsent) {
  if (everyone().rank() > 0 || transport() != "posix") return;
  const std::string file = file_named("traced");
  const std::string crashed = file_named("crashed");
  KilledFiles killed;
  WriteOptions writing = GetParam().new_file_options();
  killed.wrap(writing);
  write(file, Comm::self(), writing, mesh_of(Comm::self()));
  expect_whole_or_absent(killed, file, crashed, [&](const std::string& when) {
    Reader in = open(crashed, Comm::self());
    const bool whole = in.try_at(0).has_value();
    in.close();
    if (whole) {
      EXPECT_EQ(difference(crashed, Comm::self()), "") << when;
    }
    return whole;
  });
}

const auto name_of = [](const auto& chosen) { return chosen.param.name(); };
INSTANTIATE_TEST_SUITE_P(Formats, ElementParity, testing::ValuesIn(variants_of_elements()), name_of);
INSTANTIATE_TEST_SUITE_P(Formats, ElementFaults, testing::ValuesIn(variants_of_elements()), name_of);
INSTANTIATE_TEST_SUITE_P(Formats, ElementSeries, testing::ValuesIn(variants_of_elements()), name_of);
INSTANTIATE_TEST_SUITE_P(Formats, ElementSums, testing::ValuesIn(variants_of_elements()), name_of);
INSTANTIATE_TEST_SUITE_P(Formats, ElementsOfAKill, testing::ValuesIn(variants_of_elements()), name_of);

}  // namespace
}  // namespace quire::test::elements_test
