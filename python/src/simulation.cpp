#include "quire/spi/api/simulation.hpp"

#include <algorithm>

#include "bindings.hpp"
#include "options.hpp"
#include "text.hpp"

namespace nb = nanobind;

namespace quire::python {
namespace {

ExtentList pairs(const std::vector<Extent>& extents) {
  nb::list all;
  for (const Extent& extent : extents) all.append(nb::make_tuple(extent.offset, extent.length));
  return all;
}

Column column_of(const nb::handle& pair) {
  const auto parts = nb::cast<nb::tuple>(pair);
  Column column;
  column.name = nb::cast<Text>(parts[0]).value;
  column.type = type_named(nb::cast<Text>(parts[1]).value);
  return column;
}

/// What a workload has of something, if it has any.
template <class Use>
void with(const nb::dict& workload, const char* name, Use&& use) {
  if (workload.contains(name)) use(workload[name]);
}

/// One table of columns given as (name, type).
void add_table(StepDescription& step, const nb::handle& columns, std::uint64_t rows) {
  Table& table = step.tables.emplace_back();
  table.rows = rows;
  for (const nb::handle pair : nb::cast<nb::list>(columns)) table.columns.push_back(column_of(pair));
}

/// Elements of one shape, given as (shape, bases, modes, count), with the same variables as all others.
void add_elements(StepDescription& step, const nb::handle& block, const std::vector<std::string>& variables) {
  const auto parts = nb::cast<nb::tuple>(block);
  Table& values = step.tables.emplace_back();
  Expansion expansion;
  expansion.shape = nb::cast<Text>(parts[0]).value;
  for (const nb::handle basis : nb::cast<nb::list>(parts[1])) expansion.basis.push_back(nb::cast<Text>(basis).value);
  expansion.modes = nb::cast<Numbers>(parts[2]);
  // Blocks of one shape are named as by put_elements().
  const auto before = std::ranges::count_if(
      step.tables, [&](const Table& table) { return table.expansion && table.expansion->shape == expansion.shape; });
  values.name = expansion.shape + (before == 0 ? "" : "_" + std::to_string(before + 1));
  expansion.elements = values.name + "_elements";
  for (const std::string& variable : variables) {
    Column& column = values.columns.emplace_back();
    column.name = variable;
  }
  Table& elements = step.tables.emplace_back();
  elements.name = expansion.elements;
  elements.rows = nb::cast<std::uint64_t>(parts[3]);
  Column& ids = elements.columns.emplace_back();
  ids.name = id_column();
  ids.type = Type::uint32;
  step.tables[step.tables.size() - 2].expansion = std::move(expansion);
}

/// Fields of the same extents, given as (name, type, components).
void add_fields(StepDescription& step, const nb::handle& fields, const std::vector<std::uint64_t>& extents) {
  for (const nb::handle given : nb::cast<nb::list>(fields)) {
    const auto parts = nb::cast<nb::tuple>(given);
    Field& field = step.fields.emplace_back();
    field.name = nb::cast<Text>(parts[0]).value;
    field.type = type_named(nb::cast<Text>(parts[1]).value);
    field.components = nb::cast<std::uint64_t>(parts[2]);
    field.extents = extents;
  }
}

Workload workload_from(const DictOf<nb::any>& given, int ranks) {
  StepDescription step;
  Workload::Rules rules;
  with(given, "number", [&](const nb::handle& value) { step.number = nb::cast<std::int64_t>(value); });
  with(given, "columns",
       [&](const nb::handle& columns) { add_table(step, columns, nb::cast<std::uint64_t>(given["rows"])); });
  with(given, "fields",
       [&](const nb::handle& fields) { add_fields(step, fields, nb::cast<Numbers>(given["extents"])); });
  with(given, "elements", [&](const nb::handle& blocks) {
    std::vector<std::string> variables;
    for (const nb::handle name : nb::cast<nb::list>(given["variables"])) {
      variables.push_back(nb::cast<Text>(name).value);
    }
    for (const nb::handle block : nb::cast<nb::list>(blocks)) add_elements(step, block, variables);
  });
  with(given, "grid", [&](const nb::handle& grid) { rules.grid.ranks = nb::cast<Numbers>(grid); });
  with(given, "interleaved", [&](const nb::handle& value) { rules.grid.interleaved = nb::cast<bool>(value); });
  with(given, "string_bytes", [&](const nb::handle& value) { rules.string_bytes = nb::cast<std::uint64_t>(value); });
  with(given, "row_bytes", [&](const nb::handle& value) { rules.row_bytes = nb::cast<std::uint64_t>(value); });
  with(given, "stream_bytes", [&](const nb::handle& value) {
    step.streams = 1;
    rules.streams.bytes = nb::cast<std::uint64_t>(value);
  });
  with(given, "pieces", [&](const nb::handle& value) { rules.streams.pieces = nb::cast<std::uint64_t>(value); });
  with(given, "chunk_bytes",
       [&](const nb::handle& value) { rules.streams.chunk_bytes = nb::cast<std::uint64_t>(value); });
  return {std::move(step), ranks, std::move(rules)};
}

StorageLayout layout_from(const DictOf<std::uint64_t>& given) {
  StorageLayout layout;
  const auto take = [&](const char* name, auto& value) {
    with(given, name, [&](const nb::handle& number) { value = nb::cast<std::uint64_t>(number); });
  };
  take("stripe_bytes", layout.stripe_bytes);
  take("stripes", layout.stripes);
  take("targets", layout.targets);
  take("lock_bytes", layout.lock_bytes);
  take("request_bytes", layout.request_bytes);
  take("staging_bytes", layout.staging_bytes);
  take("ranks_per_node", layout.ranks_per_node);
  take("aggregators", layout.aggregators);
  return layout;
}

WriteOptions options_for(const Text& format, const OptionDict& options) {
  WriteOptions write;
  write.format = format.value;
  write.options = options_from(options);
  return write;
}

/// Keeps all extents of all ranks.
class Keeper final : public PlanSink {
 public:
  void add(int /*rank*/, std::span<const ExtentTrain> extents) override { ranks.append(pairs(extents_of(extents))); }
  nb::list ranks;
};

TupleOf<ExtentList, ListOf<ExtentList>, ExtentList, std::uint64_t> plan_write(const Text& format,
                                                                              const OptionDict& options,
                                                                              const DictOf<nb::any>& workload,
                                                                              int ranks) {
  Keeper keeper;
  const StepFrame frame =
      WriteSimulation({}, ranks, options_for(format, options)).next(workload_from(workload, ranks), keeper);
  return nb::make_tuple(pairs(frame.guard), keeper.ranks, pairs(frame.publication), frame.end);
}

nb::dict dictionary(const Spread& spread) {
  nb::dict all;
  all["least"] = spread.least;
  all["most"] = spread.most;
  all["most_at"] = spread.most_at;
  all["sum"] = spread.sum;
  all["count"] = spread.count;
  return all;
}

nb::list loads(const std::vector<Load>& loads) {
  nb::list all;
  for (const Load& load : loads) all.append(nb::make_tuple(load.bytes, load.requests));
  return all;
}

nb::dict dictionary(const SurveyResult& survey) {
  nb::dict all;
  all["writers"] = survey.writers;
  all["extents"] = survey.extents;
  all["requests"] = survey.requests;
  all["bytes"] = survey.bytes;
  all["bytes_of_rank"] = dictionary(survey.bytes_of_rank);
  all["requests_of_rank"] = dictionary(survey.requests_of_rank);
  nb::list sizes;
  for (const SizeClass& size : survey.sizes) sizes.append(nb::make_tuple(size.limit, size.requests, size.bytes));
  all["sizes"] = sizes;
  all["targets"] = loads(survey.targets);
  all["crossings"] = survey.crossings;
  all["crossing"] = survey.crossing;
  all["shared_units"] = survey.shared_units;
  all["conflicts"] = survey.conflicts;
  all["most_sharers"] = survey.most_sharers;
  all["sampled"] = survey.sampled;
  all["files"] = survey.files;
  all["file_bytes"] = survey.file_bytes;
  all["opens"] = survey.opens;
  all["aggregators"] = loads(survey.aggregators);
  all["messages"] = survey.messages;
  all["message_bytes"] = survey.message_bytes;
  return all;
}

DictOf<nb::any> simulate_write(const Text& format, const OptionDict& options, const DictOf<nb::any>& workload,
                               int ranks, std::uint64_t steps, const DictOf<std::uint64_t>& layout) {
  const Workload made = workload_from(workload, ranks);
  const StorageLayout storage = layout_from(layout);
  const WriteOptions write = options_for(format, options);
  SimulationReport report;
  {
    const nb::gil_scoped_release released;
    report = simulate({}, write, made, steps, storage);
  }
  nb::dict all = dictionary(report.survey);
  all["steps"] = report.steps;
  all["payload"] = report.payload;
  all["encoded_bytes"] = report.encoded_bytes;
  all["guard_writes"] = report.guard_writes;
  all["publish_writes"] = report.publish_writes;
  all["publish_bytes"] = report.publish_bytes;
  all["publish_syncs"] = report.publish_syncs;
  all["resizes"] = report.resizes;
  return all;
}

}  // namespace

void bind_simulation(nb::module_& module) {
  module.def("plan_write", &plan_write, nb::arg("format"), nb::arg("options"), nb::arg("workload"), nb::arg("ranks"));
  module.def("simulate_write", &simulate_write, nb::arg("format"), nb::arg("options"), nb::arg("workload"),
             nb::arg("ranks"), nb::arg("steps"), nb::arg("layout"));
  module.def(
      "balanced_grid", [](std::uint64_t ranks, std::size_t axes) { return balanced_grid(ranks, axes); },
      nb::arg("ranks"), nb::arg("axes"));
}

}  // namespace quire::python
