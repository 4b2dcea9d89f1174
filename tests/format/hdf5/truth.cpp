#include "format/hdf5/truth.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "format/hdf5/sha256.hpp"

namespace quire::test {
namespace {

/// Our type for a type of the truth; a type that the model lacks is read as the next larger one.
Type described_type(const std::string& type) {
  if (type == "float16") return Type::float32;
  return type_named(type);
}

void expect_element(const Json& wanted, const Value& found, std::size_t index) {
  if (!is_floating(found.type())) {
    EXPECT_EQ(found.as_text(index), wanted.text()) << "element " << index;
    return;
  }
  const double number = std::strtod(wanted.text().c_str(), nullptr);
  const double value = found.as_double(index);
  if (number != number) {
    EXPECT_NE(value, value) << "element " << index;
  } else {
    EXPECT_EQ(value, number) << "element " << index;
    EXPECT_EQ(std::signbit(value), std::signbit(number)) << "element " << index;
  }
}

void expect_attribute(const Json& truth, const Value& found, const Scope& scope) {
  if (truth.has("as_legacy_string") || truth["type"].text() == "string") {
    const Json& wanted = truth.has("as_legacy_string") ? truth["as_legacy_string"] : truth["value"];
    ASSERT_EQ(found.type(), Type::string);
    ASSERT_EQ(found.count(), 1U);
    EXPECT_EQ(found.strings().front(), wanted.text());
    return;
  }
  const Type type = described_type(truth["type"].text());
  EXPECT_EQ(found.type(), scope.with_bytes || size_of(type) > 1 ? type : Type::int16);
  std::vector<std::uint64_t> shape;
  for (const Json& extent : truth["shape"].items()) shape.push_back(static_cast<std::uint64_t>(extent.integer()));
  if (shape == std::vector<std::uint64_t>{1}) shape.clear();
  EXPECT_EQ(found.shape(), shape);
  const auto& wanted = truth["value"].items();
  ASSERT_EQ(found.count(), wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) expect_element(wanted[i], found, i);
}

const Attribute* find(const std::vector<Attribute>& attributes, const std::string& name) {
  const auto found = std::ranges::find(attributes, name, &Attribute::name);
  return found == attributes.end() ? nullptr : &*found;
}

void expect_attributes(const Json& truth, const std::vector<Attribute>& found, const Scope& scope = {}) {
  EXPECT_EQ(found.size(), truth.members().size());
  for (const auto& [name, wanted] : truth.members()) {
    SCOPED_TRACE("attribute " + name);
    const Attribute* attribute = find(found, name);
    ASSERT_NE(attribute, nullptr);
    expect_attribute(wanted, attribute->value, scope);
  }
}

/// The unit of the quantity `name`: an attribute of the file, or a quantity of its first step.
std::string unit_of(Describer& describer, const std::string& name) {
  std::vector<Quantity> quantities;
  for (const Attribute& attribute : describer.file().attributes) quantities.push_back(attribute);
  if (const auto first = describer.step(0)) {
    for (const Attribute& attribute : first->description.attributes) quantities.push_back(attribute);
    for (const Table& table : first->description.tables) {
      quantities.insert(quantities.end(), table.columns.begin(), table.columns.end());
    }
  }
  const auto found = std::ranges::find(quantities, name, &Quantity::name);
  return found == quantities.end() ? "" : found->unit;
}

void expect_file_attributes(const Json& truth, Describer& describer, const Scope& scope) {
  const FileDescription& file = describer.file();
  std::size_t elsewhere = 0;
  for (const auto& [name, wanted] : truth.members()) {
    SCOPED_TRACE("file attribute " + name);
    if (const Attribute* attribute = find(file.attributes, name)) {
      expect_attribute(wanted, attribute->value, scope);
    } else if (name == "title") {
      expect_attribute(wanted, Value(file.title), scope);
      ++elsewhere;
    } else {
      ASSERT_TRUE(name.ends_with("Unit"));
      expect_attribute(wanted, Value(unit_of(describer, name.substr(0, name.size() - 4))), scope);
      ++elsewhere;
    }
  }
  EXPECT_EQ(file.attributes.size() + elsewhere, truth.members().size());
}

void expect_dataset(const Json& truth, const Value& found) {
  const std::string& type = truth["type"].text();
  EXPECT_EQ(found.type(), described_type(type));
  std::uint64_t count = 1;
  for (const Json& extent : truth["shape"].items()) count *= static_cast<std::uint64_t>(extent.integer());
  ASSERT_EQ(found.count(), count);
  const auto expect_part = [&](const char* part, std::size_t first) {
    const auto& wanted = truth[part].items();
    for (std::size_t i = 0; i < wanted.size(); ++i) expect_element(wanted[i], found, first + i);
  };
  if (truth.has("values")) expect_part("values", 0);
  if (truth.has("head")) expect_part("head", 0);
  if (truth.has("tail")) expect_part("tail", count - truth["tail"].items().size());
  if (type == "float16") return;
  EXPECT_EQ(sha256(found.bytes()), truth["sha256_le_bytes"].text());
}

void expect_table(const Json& truth, ByteSource& file, Describer& describer, std::uint64_t index,
                  const StepLayout& step) {
  if (truth.members().empty()) {
    EXPECT_TRUE(step.tables.empty());
    return;
  }
  ASSERT_EQ(step.tables.size(), 1U);
  const Table& table = step.description.tables.front();
  EXPECT_EQ(table.columns.size(), truth.members().size());
  for (const auto& [name, wanted] : truth.members()) {
    SCOPED_TRACE("column " + name);
    const std::size_t column = table.find(name);
    const auto& runs = step.tables.front().runs;
    const auto run = std::ranges::find_if(runs, [&](const Run& r) { return r.cells.front().column == column; });
    ASSERT_NE(run, runs.end());
    expect_dataset(wanted, run_value(file, describer, index, name, 0, *run));
  }
}

/// The attributes of a field in the file, including its geometry in the order x, y, z.
std::vector<Attribute> attributes_and_geometry(const Field& field, const Json& truth) {
  std::vector<Attribute> all = field.attributes;
  const auto add = [&](const std::string& name, std::vector<double> numbers, bool is_reversed) {
    if (numbers.empty()) return;
    if (is_reversed) std::ranges::reverse(numbers);
    Attribute attribute;
    attribute.name = "__" + name + "__";
    // Geometry is float64, whatever the type in the file.
    const std::string& type = truth[attribute.name.c_str()]["type"].text();
    attribute.value = Value(std::span<const double>(numbers)).converted_to(described_type(type), true);
    all.push_back(std::move(attribute));
  };
  add("Origin", field.geometry.origin, true);
  add("Spacing", field.geometry.spacing, true);
  const auto& coordinates = field.geometry.coordinates;
  if (coordinates.empty()) return all;
  EXPECT_EQ(coordinates.size(), 3U);
  add("X_Coordinates", coordinates.at(2), false);
  add("Y_Coordinates", coordinates.at(1), false);
  add("Z_Coordinates", coordinates.at(0), false);
  return all;
}

void expect_fields(const Json& truth, ByteSource& file, Describer& describer, std::uint64_t index,
                   const StepLayout& step) {
  EXPECT_EQ(step.fields.size(), truth.members().size());
  for (const auto& [name, wanted] : truth.members()) {
    SCOPED_TRACE("field " + name);
    const std::size_t f = step.description.find_field(name);
    const Field& field = step.description.fields[f];
    std::vector<std::uint64_t> extents;
    for (const Json& extent : wanted["dims_xyz"].items())
      extents.push_back(static_cast<std::uint64_t>(extent.integer()));
    std::ranges::reverse(extents);
    EXPECT_EQ(field.extents, extents);
    EXPECT_EQ(field.type, described_type(wanted["type"].text()));
    ASSERT_EQ(field.components, static_cast<std::uint64_t>(wanted["num_components"].integer()));
    expect_attributes(wanted["attributes"], attributes_and_geometry(field, wanted["attributes"]));
    for (const auto& [number, component] : wanted["components"].members()) {
      SCOPED_TRACE("component " + number);
      const std::size_t c = std::stoul(number);
      expect_dataset(component, run_value(file, describer, index, name, c, step.fields[f].runs.at(c)));
    }
  }
}

}  // namespace

void expect_truth(const Json& truth, ByteSource& file, Describer& describer, const Scope& scope) {
  expect_file_attributes(truth["file_attributes"], describer, scope);
  ASSERT_EQ(describer.steps(), static_cast<std::uint64_t>(truth["num_steps"].integer()));
  const auto& steps = truth["steps"].items();
  for (std::size_t index = 0; index < steps.size(); ++index) {
    const Json& wanted = steps[index];
    SCOPED_TRACE(wanted["group"].text());
    const auto step = describer.step(index);
    ASSERT_TRUE(step.has_value());
    EXPECT_EQ(step->description.number, wanted["number"].integer());
    EXPECT_TRUE(step->description.warnings.empty()) << step->description.warnings.front();
    expect_attributes(wanted["attributes"], step->description.attributes, scope);
    expect_table(wanted["datasets"], file, describer, index, *step);
    if (scope.with_fields) expect_fields(wanted["fields"], file, describer, index, *step);
  }
}

}  // namespace quire::test
