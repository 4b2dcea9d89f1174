#include "format/hdf5/simulation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>

#include "format/h5part/format.hpp"
#include "format/records.hpp"
#include "quire/format/format.hpp"
#include "quire/spi/base/endian.hpp"
#include "quire/spi/format/describer_capabilities.hpp"

namespace quire::test {
namespace {

/// Converts one value to the bytes of a type.
void store_as(Type type, double value, std::byte* to) {
  const Value converted = Value(value).converted_to(type);
  std::memcpy(to, converted.bytes().data(), size_of(type));
}

Bytes encoded(Type type, std::span<const double> values) {
  Bytes bytes(values.size() * size_of(type));
  for (std::size_t i = 0; i < values.size(); ++i) store_as(type, values[i], bytes.data() + i * size_of(type));
  return bytes;
}

/// The first row of a rank: the first of several has none, the others have increasing shares.
std::uint64_t first_row(std::uint64_t rows, int rank, int ranks) {
  if (ranks == 1) return rank == 0 ? 0 : rows;
  if (rank == 0) return 0;
  const auto shares = static_cast<std::uint64_t>((ranks - 1) * ranks / 2);
  const auto before = static_cast<std::uint64_t>((rank - 1) * rank / 2);
  return rank == ranks ? rows : rows * before / shares;
}

}  // namespace

std::size_t MemoryFile::read(std::uint64_t offset, std::span<std::byte> out) {
  ++reads;
  if (offset >= bytes.size()) return 0;
  const std::size_t count = std::min<std::size_t>(out.size(), bytes.size() - offset);
  std::memcpy(out.data(), bytes.data() + offset, count);
  bytes_read += count;
  return count;
}

void MemoryFile::write(std::uint64_t offset, std::span<const std::byte> content) {
  if (content.empty()) return;
  if (bytes.size() < offset + content.size()) bytes.resize(offset + content.size());
  std::memcpy(bytes.data() + offset, content.data(), content.size());
}

void MemoryFile::carry_out(const PublishAct& act) {
  if (const auto* write_act = std::get_if<PublishWrite>(&act)) write(write_act->offset, write_act->bytes);
  if (const auto* resize = std::get_if<PublishResize>(&act)) bytes.resize(resize->size);
}

void MemoryFile::carry_out(const Publication& acts) {
  for (const PublishAct& act : acts) carry_out(act);
}

Simulation::Simulation(int ranks, const Options& options) { make_planners(ranks, options); }

Simulation::Simulation(int ranks, std::shared_ptr<MemoryFile> existing, std::optional<std::int64_t> after, bool drop,
                       const Options& options)
    : file_(std::move(existing)) {
  make_planners(ranks, options);
  // As the api does, the publication is carried out after resume() has returned.
  file_->carry_out(planners_.front()->resume(file_, after, drop));
  for (std::size_t rank = 1; rank < planners_.size(); ++rank) planners_[rank]->adopt(planners_.front()->state());
}

void Simulation::make_planners(int ranks, const Options& options) {
  const Format& format = h5part_format();
  for (int rank = 0; rank < ranks; ++rank) {
    planners_.push_back(format.plan_writing(CheckedOptions(format.write_options, options)));
  }
}

void Simulation::set_file(const FileDescription& description) {
  for (auto& planner : planners_) planner->set_file(description);
}

Publication Simulation::prepare(const SimulatedStep& step) {
  const auto ranks = static_cast<int>(planners_.size());
  const std::uint64_t rows = step.values.empty() ? 0 : step.values.front().size();
  std::vector<Measure> measures;
  parts_.assign(planners_.size(), {});
  for (int rank = 0; rank < ranks; ++rank) {
    const auto r = static_cast<std::size_t>(rank);
    StepDescription description;
    description.number = step.number;
    description.attributes = step.attributes;
    const std::uint64_t mine = first_row(rows, rank + 1, ranks) - first_row(rows, rank, ranks);
    if (!step.columns.empty()) description.tables.push_back({{}, mine, step.columns});
    parts_[r].description = planners_[r]->accept(description, false);
    measures.push_back(planners_[r]->measure(parts_[r], rank == 0));
  }
  total_.assign(measures.front().size(), 0);
  for (const Measure& measure : measures) {
    for (std::size_t s = 0; s < total_.size(); ++s) total_[s] += measure[s];
  }
  Measure before(total_.size(), 0);
  for (int rank = 0; rank < ranks; ++rank) {
    const auto r = static_cast<std::size_t>(rank);
    const Placement placement = planners_[r]->place(parts_[r], before, total_, rank == 0);
    for (const auto& runs : placement.tables) {
      for (const Run& run : runs) {
        const auto c = static_cast<std::size_t>(run.cells.front().column);
        const std::span<const double> all = step.values[c];
        const auto part = all.subspan(first_row(rows, rank, ranks), run.records);
        file_->write(run.offset, encoded(run.cells.front().type, part));
      }
    }
    for (std::size_t s = 0; s < before.size(); ++s) before[s] += measures[r][s];
  }
  return planners_.front()->publish(parts_.front(), total_);
}

void Simulation::conclude(bool published) {
  for (std::size_t rank = 0; rank < planners_.size(); ++rank) {
    planners_[rank]->advance(parts_[rank], total_, published);
    if (rank > 0 && published) planners_[rank]->adopt(planners_.front()->state());
  }
  if (!published) file_->bytes.resize(planners_.front()->published_size());
}

void Simulation::write(const SimulatedStep& step) {
  file_->carry_out(prepare(step));
  conclude(true);
}

void Simulation::finish() { file_->carry_out(planners_.front()->finish()); }

std::unique_ptr<Describer> describe(std::shared_ptr<ByteSource> bytes, const Options& options,
                                    const DescribeContext& context) {
  const Format& format = h5part_format();
  return format.describe(std::move(bytes), context, CheckedOptions(format.read_options, options));
}

std::unique_ptr<Describer> describe(const Bytes& bytes, const Options& options) {
  return describe(std::make_shared<MemoryFile>(bytes), options, {});
}

void run_plan(ByteSource& file, const ReadPlan& plan) {
  for (const ReadExtent& extent : plan.extents) {
    Bytes bytes(extent.length);
    ASSERT_EQ(file.read(extent.offset, bytes), bytes.size());
    if (std::byte* const* memory = std::get_if<std::byte*>(&extent.target)) {
      std::ranges::copy(bytes, *memory);
    } else {
      Decoder& decoder = *std::get<std::shared_ptr<Decoder>>(extent.target);
      ASSERT_EQ(decoder.decode(0, bytes), bytes.size());
    }
  }
}

Value run_value(ByteSource& file, Describer& describer, std::uint64_t index, const std::string& object,
                std::uint64_t component, const Run& run) {
  const Type type = run.cells.front().type;
  Bytes bytes(run.bytes);
  const View view(type, bytes.data(), run.records, static_cast<std::ptrdiff_t>(size_of(type)));
  if (run.opaque) {
    describer.capabilities().opaque->read_opaque(index, object, component, {0, run.records}, view);
  } else {
    ReadPlan plan;
    const std::vector<ColumnTarget> targets{{run.cells.front().column, view, object}};
    add_rows(plan, Place{{run}}, {0, run.records}, targets, false);
    run_plan(file, plan);
  }
  return Value::numbers(type, {run.records}, bytes);
}

std::vector<double> column_values(ByteSource& file, Describer& describer, std::uint64_t index,
                                  const std::string& column) {
  const auto layout = describer.step(index);
  if (!layout || layout->tables.empty()) {
    ADD_FAILURE() << "no table in step " << index;
    return {};
  }
  const std::size_t position = layout->description.tables.front().find(column);
  for (const Run& run : layout->tables.front().runs) {
    if (run.cells.front().column != position) continue;
    const Value value = run_value(file, describer, index, column, 0, run).converted_to(Type::float64, true);
    std::vector<double> values;
    for (std::size_t i = 0; i < run.records; ++i) values.push_back(value.as_double(i));
    return values;
  }
  ADD_FAILURE() << "no run for " << column;
  return {};
}

Attribute attribute(std::string name, Value value, std::string unit) {
  Attribute result;
  result.name = std::move(name);
  result.type = value.type();
  result.unit = std::move(unit);
  result.value = std::move(value);
  return result;
}

Column column(std::string name, Type type, std::string unit) {
  Column result;
  result.name = std::move(name);
  result.type = type;
  result.unit = std::move(unit);
  return result;
}

SimulatedStep sample_step(std::int64_t number, std::uint64_t rows) {
  SimulatedStep step;
  step.number = number;
  step.attributes.push_back(attribute("time", Value(0.5 * static_cast<double>(number)), "s"));
  step.columns = {column("x", Type::float64, "m"), column("id", Type::int64), column("y", Type::float32, "m")};
  step.values.resize(step.columns.size());
  for (std::size_t c = 0; c < step.values.size(); ++c) {
    for (std::uint64_t row = 0; row < rows; ++row) {
      step.values[c].push_back(static_cast<double>(1000 * c + row) + 1000.0 * static_cast<double>(number));
    }
  }
  return step;
}

void expect_sample(ByteSource& file, Describer& describer, std::uint64_t index, std::int64_t number,
                   std::uint64_t rows) {
  const SimulatedStep expected = sample_step(number, rows);
  EXPECT_EQ(describer.step_number(index), number);
  const auto layout = describer.step(index);
  ASSERT_TRUE(layout.has_value());
  EXPECT_EQ(layout->description.number, number);
  ASSERT_EQ(layout->description.attributes.size(), 1U);
  EXPECT_EQ(layout->description.attributes[0].value, expected.attributes[0].value);
  ASSERT_EQ(layout->description.tables.size(), 1U);
  EXPECT_EQ(layout->description.tables[0].rows, rows);
  EXPECT_EQ(layout->description.tables[0].columns.size(), expected.columns.size());
  for (std::size_t c = 0; c < expected.columns.size(); ++c) {
    EXPECT_EQ(column_values(file, describer, index, expected.columns[c].name), expected.values[c]);
  }
}

Bytes vector_bytes(const std::string& name) {
  const char* folder = std::getenv("QUIRE_TEST_DATA");
  std::ifstream stream(std::string(folder == nullptr ? "." : folder) + "/h5part/" + name, std::ios::binary);
  EXPECT_TRUE(stream.good()) << name;
  const std::string text{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  const auto* first = reinterpret_cast<const std::byte*>(text.data());
  return {first, first + text.size()};
}

}  // namespace quire::test
