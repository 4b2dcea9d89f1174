#include "support/workloads.hpp"

#include <algorithm>
#include <utility>

namespace quire::test {
namespace {

Column column(const std::string& name, Type type) {
  Column result;
  result.name = name;
  result.type = type;
  return result;
}

StepDescription table_step(std::uint64_t rows) {
  StepDescription step;
  Table& table = step.tables.emplace_back();
  table.rows = rows;
  table.columns = {column("x", Type::float64), column("id", Type::int32), column("y", Type::float32),
                   column("z", Type::float64)};
  return step;
}

Field field(const std::string& name, std::vector<std::uint64_t> extents, std::uint64_t components) {
  Field result;
  result.name = name;
  result.type = Type::float64;
  result.extents = std::move(extents);
  result.components = components;
  return result;
}

StepDescription field_step(std::vector<std::uint64_t> extents) {
  StepDescription step;
  step.fields = {field("E", extents, 3), field("rho", extents, 1)};
  return step;
}

StepDescription element_step(std::uint64_t elements) {
  StepDescription step;
  const auto add = [&](const std::string& shape, std::vector<std::uint64_t> modes, std::uint64_t count) {
    Table& values = step.tables.emplace_back();
    values.name = shape;
    values.columns = {column("u", Type::float64), column("p", Type::float64)};
    Expansion& expansion = values.expansion.emplace();
    expansion.shape = shape;
    expansion.basis = {"Modified_A", shape == "Triangle" ? "Modified_B" : "Modified_A"};
    expansion.modes = std::move(modes);
    expansion.elements = shape + "_elements";
    Table& ids = step.tables.emplace_back();
    ids.name = shape + "_elements";
    ids.rows = count;
    ids.columns = {column(id_column(), Type::uint32)};
  };
  add("Quadrilateral", {3, 4}, elements);
  add("Triangle", {4, 4}, elements / 2);
  return step;
}

NamedWorkload of_step(std::string name, Holding holding, StepDescription step, const Workload::Rules& rules = {}) {
  return {std::move(name), holding, [step, rules](int ranks) { return Workload(step, ranks, rules); }};
}

NamedWorkload of_fields(std::string name, std::vector<std::uint64_t> extents, bool interleaved) {
  return {std::move(name), Holding::tables, [extents, interleaved](int ranks) {
            Workload::Rules rules;
            rules.grid = {balanced_grid(static_cast<std::uint64_t>(ranks), extents.size()), interleaved};
            return Workload(field_step(extents), ranks, rules);
          }};
}

StepDescription stream_step() {
  StepDescription step;
  step.streams = 1;
  return step;
}

std::vector<NamedWorkload> made() {
  Workload::Rules streams;
  streams.streams = {.bytes = 5000, .pieces = 3, .chunk_bytes = 2000};
  StepDescription mixed = table_step(61);
  mixed.fields = field_step({13, 4}).fields;
  return {of_step("table", Holding::tables, table_step(1000)),
          of_step("short_table", Holding::tables, table_step(5)),
          of_step("planes", Holding::tables, field_step({17, 5, 6})),
          of_step("table_and_fields", Holding::tables, mixed),
          of_fields("blocks", {11, 9, 10}, false),
          of_fields("interleaved", {11, 9, 10}, true),
          of_fields("flat_blocks", {20, 30}, false),
          of_step("elements", Holding::elements, element_step(101)),
          of_step("streams", Holding::streams, stream_step(), streams),
          of_step("many_rows", Holding::tables, table_step(20000000)),
          of_fields("large_blocks", {300, 200, 200}, false),
          of_step("many_elements", Holding::elements, element_step(4000000))};
}

}  // namespace

const std::vector<NamedWorkload>& workloads() {
  static const std::vector<NamedWorkload> all = [] {
    std::vector<NamedWorkload> small = made();
    std::erase_if(
        small, [](const NamedWorkload& one) { return one.name.starts_with("many") || one.name.starts_with("large"); });
    return small;
  }();
  return all;
}

const NamedWorkload& workload_named(const std::string& name) {
  static const std::vector<NamedWorkload> all = made();
  return *std::ranges::find(all, name, &NamedWorkload::name);
}

bool fits(const NamedWorkload& workload, const Format& format) {
  if (format.holds_streams) return workload.holding == Holding::streams;
  return format.holds_tables ? workload.holding == Holding::tables : workload.holding == Holding::elements;
}

std::vector<Variant> variants_without_streams() {
  std::vector<const Format*> all = formats();
  std::erase_if(all, [](const Format* format) { return format->holds_streams; });
  return variants_of(all);
}

std::vector<std::tuple<std::string, Variant>> million_cases() {
  std::vector<std::tuple<std::string, Variant>> cases;
  for (const Variant& variant : variants_of(formats())) {
    for (const char* name : {"many_rows", "large_blocks", "many_elements", "streams"}) {
      if (variant.index == 0 && fits(workload_named(name), *variant.format)) cases.emplace_back(name, variant);
    }
  }
  return cases;
}

}  // namespace quire::test
