// Plans equal the requests to a transport for everything that a simulation can generate: tables, fields in every
// decomposition, elements with their coefficients, and streams.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <deque>
#include <filesystem>
#include <optional>

#include "quire/quire.hpp"
#include "quire/spi/api/simulation.hpp"
#include "support/environment.hpp"
#include "support/sample.hpp"
#include "support/stream_files.hpp"
#include "support/traced_files.hpp"
#include "support/workloads.hpp"

namespace quire::test::seam_workloads_test {
namespace {

/// Keeps the extents of one rank, and counts those of all.
class OneRank final : public PlanSink {
 public:
  explicit OneRank(const Comm& comm) : survey({}, comm.size()), rank_(comm.rank()) {}
  void add(int rank, std::span<const ExtentTrain> trains) override {
    if (rank == rank_) extents = extents_of(trains);
    survey.add(rank, trains);
  }
  std::vector<Extent> extents;
  WriteSurvey survey;

 private:
  int rank_;
};

/// The counts of a survey equal those of the transports, summed over all ranks.
void expect_counted(Comm& comm, const Writer& out, OneRank& sink, const StepFrame& frame) {
  sink.survey.add_alone(frame.guard);
  sink.survey.add_alone(frame.publication);
  const SurveyResult counted = sink.survey.result();
  const TransportCounters mine = out.counters();
  std::array<std::uint64_t, 3> done{mine.opens, mine.writes, mine.bytes_written};
  comm.sum(done);
  EXPECT_EQ(counted.opens, done[0]);
  EXPECT_EQ(counted.requests, done[1]);
  EXPECT_EQ(counted.bytes, done[2]);
}

/// A generated part whose views all have their own memory, of zeros where there are no values.
StepPart with_memory(StepPart part, std::deque<std::vector<std::byte>>& memory) {
  const auto provide = [&](ConstView& view) {
    if (view.data != nullptr) return;
    view.data = memory.emplace_back(static_cast<std::size_t>(view.count) * size_of(view.type) + 1).data();
  };
  for (auto& columns : part.tables) std::ranges::for_each(columns, provide);
  for (FieldPart& field : part.fields) std::ranges::for_each(field.views, provide);
  return part;
}

void put(WriteStep& step, const StepPart& part) {
  for (std::size_t t = 0; t < part.description.tables.size(); ++t) {
    const Table& table = part.description.tables[t];
    step.table(table.name);
    if (table.expansion) step.expansion(*table.expansion);
    step.rows(table.rows);
    for (std::size_t c = 0; c < table.columns.size(); ++c) step.put(table.columns[c], part.tables[t][c]);
  }
  for (std::size_t f = 0; f < part.fields.size(); ++f) {
    step.put_field(part.description.fields[f], part.fields[f].selection, part.fields[f].views);
  }
}

/// The name of the first file in a simulation: for a directory, the one that is not another member.
std::string first_name(const std::string& file) {
  if (!std::filesystem::is_directory(file)) return std::filesystem::path(file).filename().string();
  for (const auto& entry : std::filesystem::directory_iterator(file)) {
    const std::string name = entry.path().filename().string();
    if (name.ends_with(".xml")) return name;
  }
  return {};
}

class SeamOfWorkloads : public testing::TestWithParam<Variant> {};

TEST_P(SeamOfWorkloads, TraceEqualsPlan) {
  Comm comm = everyone();
  for (const NamedWorkload& named : workloads()) {
    if (!fits(named, *GetParam().format)) continue;
    SCOPED_TRACE(named.name);
    const Workload workload = named.make(comm.size());
    const Workload planned = named.make(comm.size());
    const std::string file = path("workload_" + named.name + "_" + GetParam().name());
    WriteOptions options = GetParam().new_file_options();
    TracedFiles traced;
    traced.wrap(options);
    std::deque<std::vector<std::byte>> memory;
    std::deque<std::vector<std::byte>> planned_memory;
    Writer out = create(file, comm, options);
    WriteStep step = out.step(0);
    put(step, with_memory(workload.part(comm.rank(), true), memory));
    options.options.erase("replacement");  // plans are of new files
    WriteSimulation simulation({}, comm.size(), options);
    OneRank sink(comm);
    StepFrame frame;
    std::optional<Error> refused;
    try {
      const auto part = [&](int rank) { return with_memory(planned.part(rank, true), planned_memory); };
      frame = simulation.next(part, sink);
    } catch (const Error& error) {
      refused = error;
    }
    if (refused) {
      EXPECT_THROW(step.commit(), Error) << refused->what();
      out.close();
      continue;
    }
    step.commit();
    const auto wanted = TracedFiles::planned(frame, sink.extents, comm.is_root());
    EXPECT_EQ(text(traced.written(simulation, first_name(file), wanted)), text(wanted));
    expect_counted(comm, out, sink, frame);
    out.close();
  }
}

INSTANTIATE_TEST_SUITE_P(Formats, SeamOfWorkloads, testing::ValuesIn(variants_without_streams()),
                         [](const auto& chosen) { return chosen.param.name(); });

class SeamOfStreams : public StreamFiles {};

TEST_P(SeamOfStreams, TraceEqualsPlan) {
  Comm comm = everyone();
  const std::string file = path("seam_" + GetParam().name());
  WriteOptions writing = options();
  TracedFiles traced;
  traced.wrap(writing);
  StreamSample bytes = sample();
  Writer out = create(file, comm, writing);
  WriteStep step = out.step(0);
  bytes.fill(step, comm);
  step.commit();
  writing.options.erase("replacement");
  WriteSimulation simulation({}, comm.size(), writing);
  OneRank sink(comm);
  const auto streams = [&](int rank) { return bytes.streams(rank, comm.size()); };
  const StepFrame frame = simulation.next(streams, file, sink);
  const auto wanted = TracedFiles::planned(frame, sink.extents, comm.is_root());
  const std::string first = std::filesystem::path(file).filename().string();
  EXPECT_EQ(text(traced.written(simulation, first, wanted)), text(wanted));
  expect_counted(comm, out, sink, frame);
  out.close();
}

INSTANTIATE_TEST_SUITE_P(Formats, SeamOfStreams, testing::ValuesIn(variants_of_streams()),
                         [](const auto& chosen) { return chosen.param.name(); });

}  // namespace
}  // namespace quire::test::seam_workloads_test
