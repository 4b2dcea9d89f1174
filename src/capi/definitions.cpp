#include "quire/capi/definitions.h"

#include <algorithm>
#include <utility>

#include "capi/arguments.hpp"
#include "capi/handle.hpp"

namespace {

using namespace quire::capi;

/// Adds to what every step has. Definitions that are refused are not kept.
quire_status define(quire_file* file, const std::function<void(quire::StepDescription&)>& add) noexcept {
  return guarded(file, [&] {
    quire::StepDescription defined = file->defined;
    add(defined);
    writer_of(*file).declare(defined);
    file->defined = std::move(defined);
  });
}

quire::Quantity next_quantity(quire_file& file, const char* name, quire::Type type, const char* unit) {
  return quantity_of(name, type, unit, std::exchange(file.texts, {}));
}

}  // namespace

extern "C" {

quire_status quire_define_attribute(quire_file* file, const char* name, quire_type type, const char* unit) {
  return define(file, [&](quire::StepDescription& step) {
    const quire::Quantity quantity = next_quantity(*file, name, type_of(type), unit);
    const std::vector<std::byte> zero(quire::size_of(quantity.type));
    const bool is_text = quantity.type == quire::Type::string;
    step.attributes.push_back({quantity, is_text ? quire::Value("") : quire::Value::numbers(quantity.type, {}, zero)});
  });
}

quire_status quire_define_column(quire_file* file, const char* table, const char* column, quire_type type,
                                 const char* unit) {
  return define(file, [&](quire::StepDescription& step) {
    const std::string name = text_or_empty(table);
    auto found = std::ranges::find(step.tables, name, &quire::Table::name);
    if (found == step.tables.end()) found = step.tables.insert(found, quire::Table{.name = name, .columns = {}});
    found->columns.push_back({next_quantity(*file, column, type_of(type), unit)});
  });
}

quire_status quire_define_field(quire_file* file, const char* field, quire_type type, uint64_t axes,
                                uint64_t components, const char* unit) {
  return define(file, [&](quire::StepDescription& step) {
    quire::Field& defined = step.fields.emplace_back();
    static_cast<quire::Quantity&>(defined) = next_quantity(*file, field, number_type(type), unit);
    defined.extents.assign(axes, 0);
    defined.components = components;
  });
}

}  // extern "C"
