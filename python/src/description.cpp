#include "quire/model/description.hpp"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "bindings.hpp"
#include "model/near_names.hpp"
#include "quire/api/elements.hpp"
#include "text.hpp"
#include "value.hpp"

namespace nb = nanobind;

namespace quire::python {
namespace {

/// A read-only property that gives a text of the described object.
template <auto Member, class Class>
void text_property(Class& bound, const char* property) {
  bound.def_prop_ro(property, [](const typename Class::Type& self) { return decode(self.*Member); });
}

/// References to the elements of a vector; each keeps the object alive that owns the vector.
template <class Element>
ListOf<Element> references(const std::vector<Element>& elements, nb::handle owner) {
  nb::list list;
  for (const Element& element : elements) {
    list.append(nb::cast(&element, nb::rv_policy::reference_internal, owner));
  }
  return list;
}

template <class Item, class Given>
void put(std::vector<Item>& items, const Given& given) {
  const auto same = std::ranges::find(items, given.name, &Item::name);
  if (same == items.end()) {
    items.push_back(Item{given});
  } else {
    *same = Item{given};
  }
}

/// The description with columns of one table and attributes put in, or in the place of those of their name.
StepDescription with_definitions(const StepDescription& self, const Text& table, const SequenceOf<Quantity>& columns,
                                 const SequenceOf<Attribute>& attributes) {
  StepDescription changed = self;
  for (const nb::handle column : columns) {
    put(changed.tables[changed.find_table(table.value)].columns, nb::cast<const Quantity&>(column));
  }
  for (const nb::handle attribute : attributes) put(changed.attributes, nb::cast<const Attribute&>(attribute));
  return changed;
}

Texts near(const Text& wrong, const std::vector<Text>& names, std::size_t most) {
  std::vector<std::string> known;
  for (const Text& name : names) known.push_back(name.value);
  return decode_all(near_names(wrong.value, known, most));
}

/// The description with the tables of these names alone.
StepDescription with_tables(const StepDescription& self, const std::vector<Text>& names, bool keeps_fields) {
  StepDescription changed = self;
  std::erase_if(changed.tables, [&](const Table& table) {
    return std::ranges::none_of(names, [&](const Text& name) { return name.value == table.name; });
  });
  if (!keeps_fields) changed.fields.clear();
  return changed;
}

/// The description with the fields of another one.
StepDescription with_fields(const StepDescription& self, const StepDescription& other) {
  StepDescription changed = self;
  changed.fields = other.fields;
  return changed;
}

/// The description with other names of its tables, in their order.
StepDescription with_table_names(const StepDescription& self, const std::vector<Text>& names) {
  StepDescription changed = self;
  for (std::size_t t = 0; t < changed.tables.size(); ++t) changed.tables[t].name = names.at(t).value;
  return changed;
}

/// What is declared: attributes with the axes that they have, or scalars; fields as they are, or of one axis.
StepDescription make_declaration(const SequenceOf<Quantity>& attributes,
                                 const std::vector<std::pair<Text, SequenceOf<Quantity>>>& tables,
                                 const SequenceOf<Quantity>& fields) {
  StepDescription declared;
  for (const nb::object& given : attributes) {
    Attribute& attribute = declared.attributes.emplace_back();
    if (nb::isinstance<Attribute>(given)) attribute = nb::cast<const Attribute&>(given);
    static_cast<Quantity&>(attribute) = nb::cast<const Quantity&>(given);
  }
  for (const auto& [name, columns] : tables) {
    Table& table = declared.tables.emplace_back();
    table.name = name.value;
    for (const nb::object& column : columns) table.columns.push_back({nb::cast<const Quantity&>(column)});
  }
  for (const nb::object& given : fields) {
    Field& field = declared.fields.emplace_back();
    field.extents = {0};
    if (nb::isinstance<Field>(given)) field = nb::cast<const Field&>(given);
    static_cast<Quantity&>(field) = nb::cast<const Quantity&>(given);
  }
  return without_values(declared);
}

Quantity make_quantity(const Text& name, const std::string& type, const Text& unit, const Text& symbol,
                       const Text& description, const Text& display) {
  return {name.value, type_named(type), unit.value, symbol.value, description.value, display.value};
}

void bind_quantity(nb::module_& module) {
  nb::class_<Quantity> quantity(module, "Quantity");
  quantity.def(
      "__init__",
      [](Quantity* self, const Text& label, const Text& type, const Text& unit, const Text& symbol,
         const Text& description, const Text& display) {
        new (self) Quantity(make_quantity(label, type.value, unit, symbol, description, display));
      },
      nb::arg("name"), nb::arg("type"), nb::arg("unit") = Text{}, nb::arg("symbol") = Text{},
      nb::arg("description") = Text{}, nb::arg("display") = Text{});
  text_property<&Quantity::name>(quantity, "name");
  text_property<&Quantity::unit>(quantity, "unit");
  text_property<&Quantity::symbol>(quantity, "symbol");
  text_property<&Quantity::description>(quantity, "description");
  text_property<&Quantity::display>(quantity, "display");
  quantity.def_prop_ro("type", [](const Quantity& self) { return decode(quire::name(self.type)); });

  nb::class_<Attribute, Quantity>(module, "Attribute")
      .def(
          "__init__",
          [](Attribute* self, const Quantity& given, std::vector<std::uint64_t> shape, GivenElements elements) {
            new (self) Attribute{given, make_value(given.type, std::move(shape), elements)};
          },
          nb::arg("quantity"), nb::arg("shape"), nb::arg("elements"))
      .def_prop_ro("shape", [](const Attribute& self) { return to_tuple(self.value.shape()); })
      .def_prop_ro("elements", [](const Attribute& self) { return elements_of(self.value); });
  nb::class_<Column, Quantity>(module, "Column");
  nb::class_<Field, Quantity> field(module, "Field");
  field.def_prop_ro("extents", [](const Field& self) { return to_tuple(self.extents); })
      .def_ro("components", &Field::components)
      .def_prop_ro("attributes",
                   [](nb::handle self) { return references(nb::cast<const Field&>(self).attributes, self); });
  text_property<&Field::group>(field, "group");
  field.def_prop_ro("origin", [](const Field& self) { return self.geometry.origin; })
      .def_prop_ro("spacing", [](const Field& self) { return self.geometry.spacing; })
      .def_prop_ro("coordinates", [](const Field& self) { return self.geometry.coordinates; });
}

void bind_expansion(nb::module_& module) {
  nb::class_<ElementLayout>(
      module, "ElementLayout",
      "What is known of the elements of earlier files, so that later ones need fewer collectives.\n\n"
      "    >>> layout = quire.ElementLayout()  # to be given to put_elements() of each file\n"
      "    >>> layout.reused\n"
      "    0\n")
      .def(nb::init<>())
      .def_prop_ro("distributions", &ElementLayout::distributions)
      .def_prop_ro("reused", &ElementLayout::reused);
  nb::class_<Expansion> expansion(module, "Expansion");
  expansion.def(
      "__init__",
      [](Expansion* self, const Text& shape, const std::vector<Text>& basis, std::vector<std::uint64_t> modes,
         std::vector<double> lengths, std::vector<std::uint64_t> y_ids, std::vector<std::uint64_t> z_ids, bool strips,
         std::vector<std::uint64_t> strip_ids) {
        new (self) Expansion{.shape = shape.value,
                             .basis = {},
                             .modes = std::move(modes),
                             .lengths = std::move(lengths),
                             .y_ids = std::move(y_ids),
                             .z_ids = std::move(z_ids),
                             .strips = strips,
                             .strip_ids = std::move(strip_ids),
                             .points = {},
                             .point_counts = {},
                             .elements = {},
                             .origin = {}};
        for (const Text& name : basis) self->basis.push_back(name.value);
      },
      nb::arg("shape"), nb::arg("basis"), nb::arg("modes"), nb::arg("lengths"), nb::arg("y_ids"), nb::arg("z_ids"),
      nb::arg("strips"), nb::arg("strip_ids"));
  text_property<&Expansion::shape>(expansion, "shape");
  text_property<&Expansion::points>(expansion, "points");
  text_property<&Expansion::point_counts>(expansion, "point_counts");
  text_property<&Expansion::elements>(expansion, "elements");
  text_property<&Expansion::origin>(expansion, "origin");
  expansion
      .def_prop_ro("basis", [](const Expansion& self) -> Tuple<nb::str> { return nb::tuple(decode_all(self.basis)); })
      .def_prop_ro("modes", [](const Expansion& self) { return to_tuple(self.modes); })
      .def_prop_ro("lengths", [](const Expansion& self) -> Tuple<double> { return nb::tuple(nb::cast(self.lengths)); })
      .def_prop_ro("y_ids", [](const Expansion& self) { return to_tuple(self.y_ids); })
      .def_prop_ro("z_ids", [](const Expansion& self) { return to_tuple(self.z_ids); })
      .def_prop_ro("strip_ids", [](const Expansion& self) { return to_tuple(self.strip_ids); })
      .def_ro("strips", &Expansion::strips);
  module.def(
      "element_coefficients",
      [](const Expansion& self, const std::vector<std::uint64_t>& modes) { return element_coefficients(self, modes); },
      nb::arg("expansion"), nb::arg("modes"));
}

}  // namespace

void bind_description(nb::module_& module) {
  bind_quantity(module);
  bind_expansion(module);
  nb::class_<Zones> zones(module, "Zones");
  text_property<&Zones::table>(zones, "table");
  text_property<&Zones::first>(zones, "first");
  text_property<&Zones::rows>(zones, "rows");
  zones.def_prop_ro("limits", [](const Zones& self) {
    std::vector<std::tuple<nb::str, nb::str, nb::str>> limits;
    for (const ZoneLimits& one : self.limits) {
      limits.emplace_back(decode(one.column), decode(one.lower), decode(one.extent));
    }
    return limits;
  });
  nb::class_<Table> table(module, "Table");
  text_property<&Table::name>(table, "name");
  table.def_ro("rows", &Table::rows)
      .def_prop_ro("columns", [](nb::handle self) { return references(nb::cast<const Table&>(self).columns, self); })
      .def_prop_ro("constants",
                   [](nb::handle self) { return references(nb::cast<const Table&>(self).constants, self); })
      .def_prop_ro("expansion",
                   [](nb::handle self) -> Typed<nb::object, std::optional<Expansion>> {
                     const Table& owner = nb::cast<const Table&>(self);
                     if (!owner.expansion) return nb::none();
                     return nb::cast(&*owner.expansion, nb::rv_policy::reference_internal, self);
                   })
      .def_prop_ro("zones", [](nb::handle self) -> Typed<nb::object, std::optional<Zones>> {
        const Table& owner = nb::cast<const Table&>(self);
        if (!owner.zones) return nb::none();
        return nb::cast(&*owner.zones, nb::rv_policy::reference_internal, self);
      });

  nb::class_<StepDescription>(module, "StepDescription")
      .def_ro("number", &StepDescription::number)
      .def_prop_ro("attributes",
                   [](nb::handle self) { return references(nb::cast<const StepDescription&>(self).attributes, self); })
      .def_prop_ro("tables",
                   [](nb::handle self) { return references(nb::cast<const StepDescription&>(self).tables, self); })
      .def_prop_ro("fields",
                   [](nb::handle self) { return references(nb::cast<const StepDescription&>(self).fields, self); })
      .def_ro("streams", &StepDescription::streams)
      .def_prop_ro("warnings", [](const StepDescription& self) { return decode_all(self.warnings); })
      .def_static("declaration", &make_declaration, nb::arg("attributes"), nb::arg("tables"), nb::arg("fields"))
      .def("with_definitions", &with_definitions, nb::arg("table"), nb::arg("columns"), nb::arg("attributes"))
      .def("with_fields", &with_fields, nb::arg("other"))
      .def("with_table_names", &with_table_names, nb::arg("names"))
      .def("with_tables", &with_tables, nb::arg("names"), nb::arg("keeps_fields"));

  nb::class_<FileDescription> file(module, "FileDescription");
  text_property<&FileDescription::format>(file, "format");
  text_property<&FileDescription::title>(file, "title");
  text_property<&FileDescription::contents>(file, "contents");
  file.def_prop_ro("layout",
                   [](const FileDescription& self) -> DictOf<nb::str> {
                     nb::dict facts;
                     for (const Fact& fact : self.layout) facts[decode(fact.name)] = decode(fact.value);
                     return facts;
                   })
      .def_prop_ro("attributes",
                   [](nb::handle self) { return references(nb::cast<const FileDescription&>(self).attributes, self); })
      .def_prop_ro("warnings", [](const FileDescription& self) { return decode_all(self.warnings); })
      .def_prop_ro("members", [](const FileDescription& self) { return decode_all(self.members); })
      .def_prop_ro("attachments", [](const FileDescription& self) -> DictOf<std::uint64_t> {
        nb::dict sizes;
        for (const Attachment& attachment : self.attachments) sizes[decode(attachment.name)] = attachment.bytes;
        return sizes;
      });
  module.def("near_names", &near, nb::arg("wrong"), nb::arg("names"), nb::arg("most"));
}

}  // namespace quire::python
