#include "format/openpmd/records.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "format/hdf5/library/attributes.hpp"
#include "format/hdf5/library/left_out.hpp"
#include "format/hdf5/library/words.hpp"
#include "format/openpmd/names.hpp"
#include "format/openpmd/units.hpp"
#include "quire/spi/base/checked.hpp"

namespace quire::hdf5 {
namespace {

std::vector<Attribute> attributes_of(hid_t object, const std::string& path, ChunkScope& chunks) {
  std::vector<std::string> warnings;
  auto attributes = read_attributes(chunks.image, object, chunks.memory_budget, warnings);
  for (const std::string& warning : warnings) chunks.warnings.push_back(path + ": " + warning);
  return attributes;
}

std::optional<Attribute> take(std::vector<Attribute>& attributes, std::string_view name) {
  const auto found = std::ranges::find(attributes, name, &Attribute::name);
  if (found == attributes.end()) return std::nullopt;
  Attribute attribute = std::move(*found);
  attributes.erase(found);
  return attribute;
}

/// The extents in the attribute `shape` of a constant.
std::vector<std::uint64_t> constant_extents(const Attribute& shape, const std::string& path) {
  std::vector<std::uint64_t> extents;
  if (!is_integer(shape.type) || shape.value.shape().size() > 1) {
    throw Error(ErrorKind::bad_file, "the shape of a constant is no list of extents").on(path);
  }
  for (std::uint64_t i = 0; i < shape.value.count(); ++i) {
    const std::int64_t extent = shape.value.as_integer(static_cast<std::size_t>(i));
    if (extent < 0) throw Error(ErrorKind::bad_file, "the shape of a constant has a negative extent").on(path);
    extents.push_back(static_cast<std::uint64_t>(extent));
  }
  return extents;
}

/// A constant as one chunk that was never written.
DatasetDescription constant(const Value& value, std::vector<std::uint64_t> extents, const std::string& path,
                            const ChunkScope& scope) {
  constexpr std::uint64_t most_elements = std::uint64_t{1} << 36;
  DatasetDescription data;
  data.type = value.type();
  const std::uint64_t elements = volume(extents);
  if (elements > most_elements && scope.unwritten == Unwritten::refused) {
    throw Error(ErrorKind::unsupported, "a constant claims " + std::to_string(elements) + " elements")
        .on(path)
        .advise("if this is so on purpose, read it with the reader's option unwritten=true");
  }
  Run& run = data.run;
  run.records = elements;
  run.record_bytes = size_of(data.type);
  run.bytes = checked_multiply(elements, run.record_bytes);
  run.cells.push_back({.column = 0, .type = data.type});
  ChunkedLayout& chunks = run.chunks.emplace();
  chunks.extents = extents;
  chunks.shape = extents;
  for (std::uint64_t& extent : chunks.shape) extent = std::max<std::uint64_t>(extent, 1);
  chunks.element_bytes = run.record_bytes;
  chunks.fill.assign(value.bytes().begin(), value.bytes().end());
  if (elements > 0) chunks.chunks.emplace_back();
  data.extents = std::move(extents);
  return data;
}

/// Moves a constant out of the attributes of its group; no value if it is none.
std::optional<DatasetDescription> take_constant(std::vector<Attribute>& attributes, const std::string& path,
                                                const ChunkScope& scope) {
  const auto has = [&](std::string_view name) {
    return std::ranges::find(attributes, name, &Attribute::name) != attributes.end();
  };
  if (!has("value") || !has("shape")) return std::nullopt;
  const Attribute value = *take(attributes, "value");
  const Attribute shape = *take(attributes, "shape");
  if (!value.value.is_scalar() || size_of(value.type) == 0) {
    throw Error(ErrorKind::bad_file, "the value of a constant is no number").on(path);
  }
  return constant(value.value, constant_extents(shape, path), path, scope);
}

/// The component of an open object; no value, with a warning, if it has no values.
std::optional<RecordComponent> read_component(hid_t object, const std::string& name, const std::string& path,
                                              ChunkScope& chunks) {
  RecordComponent component{.name = name, .path = path, .data = {}, .members = {}, .attributes = {}};
  if (H5Iget_type(object) == H5I_GROUP) {
    component.attributes = attributes_of(object, path, chunks);
    auto value = take_constant(component.attributes, path, chunks);
    if (!value) return std::nullopt;
    component.data = *std::move(value);
    component.is_constant = true;
    return component;
  }
  if (auto data = describe_dataset(object, path, chunks.image.ends(), &chunks)) {
    component.data = *std::move(data);
  } else if (auto compound = describe_compound(object, path, chunks); compound && !compound->data.run.opaque) {
    component.data = std::move(compound->data);
    component.members = std::move(compound->values);
  } else {
    chunks.warnings.push_back(path + " is left out: " + why_not_described(object));
    return std::nullopt;
  }
  component.data.run.path = "/" + path;
  component.attributes = attributes_of(object, path, chunks);
  return component;
}

/// Opens the object of a link; no handle, with a warning, if it is left out.
Handle open_object(hid_t group, const Link& link, const std::string& path, ChunkScope& chunks) {
  std::string why = link.type == H5L_TYPE_HARD ? why_left_out(chunks.image, link) : "links are not followed";
  if (why.empty()) return own(H5Oopen(group, link.name.c_str(), H5P_DEFAULT), "open the object", path);
  chunks.warnings.push_back(path + " is left out: " + why);
  return {};
}

/// Reads the components of a record that is a group.
void add_components(Record& record, hid_t group, const std::string& path, ChunkScope& chunks) {
  for (const Link& link : list_links(group, path)) {
    const std::string inner = path + "/" + link.name;
    const Handle object = open_object(group, link, inner, chunks);
    if (!object) continue;
    if (auto component = read_component(object.id(), link.name, inner, chunks)) {
      record.components.push_back(*std::move(component));
    } else if (H5Iget_type(object.id()) == H5I_GROUP) {
      chunks.warnings.push_back(inner + " is left out: it is no component of a record");
    }
  }
}

}  // namespace

bool RecordComponent::is_zero() const {
  const auto& fill = is_constant ? data.run.chunks->fill : std::vector<std::byte>{std::byte{1}};
  return std::ranges::all_of(fill, [](std::byte byte) { return byte == std::byte{0}; });
}

void retype_constant(RecordComponent& constant, Type type) {
  Run& run = constant.data.run;
  const Value value = Value::numbers(constant.data.type, {}, run.chunks->fill);
  const Value other = value.converted_to(type, true);
  if (other.converted_to(constant.data.type, true) != value) return;
  constant.data.type = type;
  run.record_bytes = size_of(type);
  run.bytes = checked_multiply(run.records, run.record_bytes);
  run.cells.front().type = type;
  run.chunks->element_bytes = run.record_bytes;
  run.chunks->fill.assign(other.bytes().begin(), other.bytes().end());
}

std::optional<Record> read_record(const RecordScope& scope, const Link& link) {
  const std::string path = scope.path.empty() ? link.name : scope.path + "/" + link.name;
  const Handle object = open_object(scope.group, link, path, scope.chunks);
  if (!object) return std::nullopt;
  Record record;
  record.name = link.name;
  if (auto scalar = read_component(object.id(), "", path, scope.chunks)) {
    record.components.push_back(*std::move(scalar));
    return record;
  }
  if (H5Iget_type(object.id()) != H5I_GROUP) return std::nullopt;
  record.attributes = attributes_of(object.id(), path, scope.chunks);
  add_components(record, object.id(), path, scope.chunks);
  return record;
}

Handle open_group(hid_t parent, const Link& link, Image& image) {
  if (link.type == H5L_TYPE_HARD && !why_left_out(image, link).empty()) return {};
  if (link.type != H5L_TYPE_HARD) return {};
  Handle object = own(H5Oopen(parent, link.name.c_str(), H5P_DEFAULT), "open the object", link.name);
  return H5Iget_type(object.id()) == H5I_GROUP ? std::move(object) : Handle();
}

std::vector<double> numbers_of(const std::vector<Attribute>& attributes, std::string_view name) {
  const auto found = std::ranges::find(attributes, name, &Attribute::name);
  std::vector<double> numbers;
  if (found == attributes.end() || size_of(found->type) == 0 || found->type == Type::character) return numbers;
  const Value doubles = found->value.converted_to(Type::float64, true);
  for (std::size_t i = 0; i < doubles.count(); ++i) numbers.push_back(doubles.as_double(i));
  return numbers;
}

void drop_preset(std::vector<Attribute>& attributes, const Attribute& preset) {
  const auto found = std::ranges::find(attributes, preset.name, &Attribute::name);
  if (found == attributes.end() || found->value.count() != preset.value.count()) return;
  if (preset.type == Type::string) {
    if (found->type != Type::string || found->value.strings() != preset.value.strings()) return;
  } else if (numbers_of({*found}, preset.name) != numbers_of({preset}, preset.name)) {
    return;
  }
  attributes.erase(found);
}

std::string take_unit(const std::vector<Attribute>& record, std::vector<Attribute>& component) {
  SiUnit stated;
  std::vector<double> dimension = numbers_of(component, "unitDimension");
  if (dimension.empty()) dimension = numbers_of(record, "unitDimension");
  const std::vector<double> factor = numbers_of(component, "unitSI");
  if (dimension.size() == stated.dimension.size()) std::ranges::copy(dimension, stated.dimension.begin());
  if (factor.size() == 1) stated.factor = factor.front();
  std::string text = text_of(component, "unitSymbol");
  if (text.empty()) text = text_of(stated);
  std::erase_if(component, [&](const Attribute& a) { return a.name == "unitSymbol" && a.type == Type::string; });
  if (stored_unit(text) == stated) {
    std::erase_if(component, [](const Attribute& a) { return a.name == "unitSI" || a.name == "unitDimension"; });
  }
  return text;
}

}  // namespace quire::hdf5
