#include "quire/capi/attributes.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <memory>
#include <utility>

#include "capi/arguments.hpp"
#include "capi/handle.hpp"

namespace {

using quire::Error;
using quire::ErrorKind;
using namespace quire::capi;

const quire::Attribute& attribute_among(const std::vector<quire::Attribute>& all, const std::string& name,
                                        const std::string& owner) {
  const auto found = std::ranges::find(all, name, &quire::Attribute::name);
  if (found != all.end()) return *found;
  std::vector<std::string> names;
  std::ranges::transform(all, std::back_inserter(names), &quire::Attribute::name);
  throw Error(ErrorKind::missing, owner + " has no attribute \"" + name + "\"" + quire::nearest_names(name, names));
}

const quire::Attribute& find_attribute(quire_file& file, const std::string& name) {
  const auto& of_file = reader_of(file).description().attributes;
  switch (file.chosen.owner) {
    case QUIRE_OWNER_FIELD: {
      const quire::StepDescription& step = chosen_step(file).description();
      const quire::Field& field = step.fields.at(step.find_field(file.chosen.owning_field));
      return attribute_among(field.attributes, name, "the field \"" + field.name + "\"");
    }
    case QUIRE_OWNER_FILE:
      return attribute_among(of_file, name, "the file");
    case QUIRE_OWNER_STEP:
      return chosen_step(file).attribute(name);
    case QUIRE_OWNER_DEFAULT:
      break;
  }
  if (!file.read_step) return attribute_among(of_file, name, "the file");
  const bool is_of_file = std::ranges::any_of(of_file, [&](const auto& attribute) { return attribute.name == name; });
  return is_of_file && !file.read_step->has_attribute(name) ? attribute_among(of_file, name, "the file")
                                                            : file.read_step->attribute(name);
}

void set_attribute(quire_file& file, const char* name, quire::Value value, const char* unit) {
  quire::Attribute attribute{quantity_of(name, value.type(), unit, std::exchange(file.texts, {})), std::move(value)};
  if (file.chosen.owner == QUIRE_OWNER_FIELD) {
    static_cast<void>(open_step(file));
    file.pending.fields[file.chosen.owning_field].attributes.push_back(std::move(attribute));
  } else if (file.chosen.owner == QUIRE_OWNER_FILE || (file.chosen.owner == QUIRE_OWNER_DEFAULT && !file.write_step)) {
    writer_of(file).set(std::move(attribute));
  } else {
    open_step(file).set(std::move(attribute));
  }
}

quire::Value numbers(quire_type type, std::vector<std::uint64_t> extents, const void* values) {
  const quire::Type of = number_type(type);
  const auto bytes =
      list(static_cast<const std::byte*>(values), quire::volume(extents) * quire::size_of(of), "the values");
  return quire::Value::numbers(of, std::move(extents), bytes);
}

}  // namespace

extern "C" {

quire_status quire_set_owner(quire_file* file, quire_owner owner, const char* field) {
  return guarded_in_step(file, [&] {
    if (owner < QUIRE_OWNER_DEFAULT || owner > QUIRE_OWNER_FIELD) throw usage("the owner is unknown");
    if (owner == QUIRE_OWNER_FIELD) {
      const std::string name = not_null(field, "the name of the field");
      if (!file->writer) {
        static_cast<void>(chosen_step(*file).description().find_field(name));
      } else {
        static_cast<void>(open_step(*file));
      }
      file->chosen.owning_field = name;
    }
    file->chosen.owner = owner;
  });
}

quire_status quire_set_description(quire_file* file, const char* symbol, const char* description, const char* display) {
  return guarded_in_step(file, [&] {
    static_cast<void>(writer_of(*file));
    file->texts.symbol = text_or_empty(symbol);
    file->texts.description = text_or_empty(description);
    file->texts.display = text_or_empty(display);
  });
}

quire_status quire_set(quire_file* file, const char* name, quire_type type, uint64_t count, const void* values,
                       const char* unit) {
  return guarded_in_step(file, [&] {
    const auto extents = count == 1 ? std::vector<std::uint64_t>{} : std::vector<std::uint64_t>{count};
    set_attribute(*file, name, numbers(type, extents, values), unit);
  });
}

quire_status quire_set_array(quire_file* file, const char* name, quire_type type, uint64_t axes,
                             const uint64_t* extents, const void* values, const char* unit) {
  return guarded_in_step(
      file, [&] { set_attribute(*file, name, numbers(type, copy_of(extents, axes, "the extents"), values), unit); });
}

quire_status quire_set_text(quire_file* file, const char* name, const char* text) {
  return guarded_in_step(file, [&] { set_attribute(*file, name, quire::Value(not_null(text, "the text")), ""); });
}

quire_status quire_set_texts(quire_file* file, const char* name, uint64_t count, const char* const* texts) {
  return guarded_in_step(
      file, [&] { set_attribute(*file, name, quire::Value::texts({count}, texts_of(texts, count, "the texts")), ""); });
}

quire_status quire_get(quire_file* file, const char* name, quire_type type, uint64_t capacity, void* values,
                       uint64_t* count) {
  return guarded(file, [&] {
    const quire::Type of = number_type(type);
    const quire::Value& value = find_attribute(*file, not_null(name, "the name")).value;
    if (count != nullptr) *count = value.count();
    if (capacity < value.count()) throw usage("the attribute has more values than fit into the memory").on(name);
    if (values == nullptr && value.count() > 0) throw usage("the values are a null pointer");
    const quire::Value converted = value.converted_to(of);
    std::ranges::copy(converted.bytes(), static_cast<std::byte*>(values));
  });
}

quire_status quire_get_text(quire_file* file, const char* name, uint64_t capacity, char* text, uint64_t* length) {
  return guarded(file, [&] {
    const quire::Value& value = find_attribute(*file, not_null(name, "the name")).value;
    const std::string all = value.as_text();
    if (length != nullptr) *length = all.size();
    if (text == nullptr) throw usage("the text is a null pointer");
    if (capacity <= all.size()) throw usage("the text is longer than the memory").on(name);
    std::memcpy(text, all.c_str(), all.size() + 1);
  });
}

quire_status quire_get_texts(quire_file* file, const char* name, quire_texts** texts) {
  return guarded(file, [&] {
    place(texts, "the texts") = nullptr;
    const quire::Value& value = find_attribute(*file, not_null(name, "the name")).value;
    auto all = std::make_unique<quire_texts>();
    for (std::size_t i = 0; i < value.count(); ++i) all->add(value.as_text(i));
    *texts = all.release();
  });
}

}  // extern "C"
