#include "quire/query/expression.hpp"

#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "bindings.hpp"
#include "buffer.hpp"
#include "text.hpp"
#include "value.hpp"

namespace nb = nanobind;

namespace quire::python {
namespace {

/// The values of `step`, `page` and `rows`, as far as they are known.
using Counters = std::map<std::string, std::int64_t>;

/// Pairs of a type and an array, or a list for strings.
using Arrays = ListOf<TupleOf<nb::str, nb::any>>;

/// The columns of one evaluation, with their memory held: numbers where they lie, strings packed.
class Columns {
 public:
  explicit Columns(const Arrays& arrays) {
    strings_.reserve(arrays.size());
    for (const nb::handle item : arrays) {
      const auto type = type_named(nb::cast<Text>(item[0]).value);
      if (type == Type::string) {
        views_.emplace_back(strings_.emplace_back(pack_strings(item[1])));
      } else {
        views_.push_back(buffers_.emplace_back(item[1], Buffer::Use::look).numbers(type));
      }
    }
  }

  [[nodiscard]] std::span<const ConstView> views() const { return views_; }

 private:
  std::vector<Buffer> buffers_;
  std::vector<PackedStrings> strings_;
  std::vector<ConstView> views_;
};

Scope scope_of(const SequenceOf<Quantity>& columns, const SequenceOf<Attribute>& attributes, const Counters& counters) {
  Scope scope;
  for (const nb::handle column : columns) scope.columns.push_back(nb::cast<const Quantity&>(column));
  for (const nb::handle attribute : attributes) scope.attributes.push_back(nb::cast<const Attribute&>(attribute));
  const auto find = [&](const char* name) {
    const auto found = counters.find(name);
    return found == counters.end() ? std::nullopt : std::optional(found->second);
  };
  scope.step = find("step");
  scope.page = find("page");
  scope.rows = find("rows");
  return scope;
}

CompiledExpression compile(const Expression& self, const SequenceOf<Quantity>& columns,
                           const SequenceOf<Attribute>& attributes, const Counters& counters) {
  return self.compile(scope_of(columns, attributes, counters));
}

/// The calls over rows: their function, their text, and their arguments.
std::vector<std::tuple<Text, Text, std::vector<Expression>>> row_calls(const Expression& self) {
  std::vector<std::tuple<Text, Text, std::vector<Expression>>> calls;
  for (RowCall& call : self.row_calls()) {
    calls.emplace_back(Text{std::move(call.function)}, Text{std::move(call.text)}, std::move(call.arguments));
  }
  return calls;
}

/// Limits of a column in each zone: the smallest and the greatest values, and whether there can be NaN.
using ZoneLimits = std::vector<std::tuple<Text, std::vector<double>, std::vector<double>, std::vector<bool>>>;

/// What `question` answers for each zone.
std::vector<bool> of_zones(bool (Expression::*question)(const Scope&, std::span<const ColumnLimits>) const,
                           const Expression& self, const Scope& scope, const ZoneLimits& limits) {
  std::vector<ColumnLimits> zone;
  for (const auto& one : limits) zone.push_back({.column = std::get<0>(one).value});
  std::vector<bool> result;
  const std::size_t zones = limits.empty() ? 0 : std::get<1>(limits.front()).size();
  for (std::size_t z = 0; z < zones; ++z) {
    for (std::size_t c = 0; c < limits.size(); ++c) {
      zone[c].lower = std::get<1>(limits[c]).at(z);
      zone[c].upper = std::get<2>(limits[c]).at(z);
      zone[c].may_be_nan = std::get<3>(limits[c]).at(z);
    }
    result.push_back((self.*question)(scope, zone));
  }
  return result;
}

std::vector<bool> may_hold(const Expression& self, const SequenceOf<Quantity>& columns,
                           const SequenceOf<Attribute>& attributes, const Counters& counters,
                           const ZoneLimits& limits) {
  return of_zones(&Expression::may_hold, self, scope_of(columns, attributes, counters), limits);
}

std::vector<bool> must_hold(const Expression& self, const SequenceOf<Quantity>& columns,
                            const SequenceOf<Attribute>& attributes, const Counters& counters,
                            const ZoneLimits& limits) {
  return of_zones(&Expression::must_hold, self, scope_of(columns, attributes, counters), limits);
}

bool may_fail(const Expression& self, const SequenceOf<Quantity>& columns, const SequenceOf<Attribute>& attributes,
              const Counters& counters, const std::vector<std::tuple<Text, double, double>>& limits) {
  std::vector<ColumnLimits> rows;
  for (const auto& [column, lower, upper] : limits) rows.push_back({column.value, lower, upper});
  return self.may_fail(scope_of(columns, attributes, counters), rows);
}

/// ("column", its name, pairs of keys), ("both", parts), ("either", parts), or ("unknown",).
nb::tuple tuple_of(const Selector& selector) {
  if (selector.kind == Selector::Kind::unknown) return nb::make_tuple("unknown");
  nb::list inner;
  if (selector.kind == Selector::Kind::column) {
    for (const auto& [lower, upper] : selector.keys) inner.append(nb::make_tuple(lower, upper));
    return nb::make_tuple("column", decode(selector.column), inner);
  }
  for (const Selector& part : selector.parts) inner.append(tuple_of(part));
  return nb::make_tuple(selector.kind == Selector::Kind::both ? "both" : "either", inner);
}

nb::tuple selector(const Expression& self, const SequenceOf<Quantity>& columns, const SequenceOf<Attribute>& attributes,
                   const Counters& counters) {
  return tuple_of(self.selector(scope_of(columns, attributes, counters)));
}

/// Fills an array of numbers, or returns a list of strings where `out` is the number of rows.
std::optional<Texts> evaluate(const CompiledExpression& self, const Arrays& arrays, std::uint64_t first_row,
                              const Text& type, Unchecked<AnyArray> out, std::uint64_t rows) {
  const Columns columns(arrays);
  const Type wanted = type_named(type.value);
  if (wanted == Type::string) {
    PackedStrings strings;
    {
      const nb::gil_scoped_release release;
      self.evaluate(columns.views(), first_row, View(strings, rows));
    }
    nb::list texts;
    for (std::size_t i = 0; i < strings.size(); ++i) texts.append(decode(strings[i]));
    return Texts(texts);
  }
  const Buffer buffer(out, Buffer::Use::fill);
  const View target = buffer.target(wanted);
  {
    const nb::gil_scoped_release release;
    self.evaluate(columns.views(), first_row, target);
  }
  return std::nullopt;
}

Array<std::int64_t> select(const CompiledExpression& self, const Arrays& arrays, std::uint64_t first_row,
                           std::uint64_t rows) {
  const Columns columns(arrays);
  std::vector<std::uint64_t> found;
  {
    const nb::gil_scoped_release release;
    self.select(columns.views(), first_row, rows, found);
  }
  return array_of<std::int64_t>(std::move(found));
}

std::uint64_t count_rows(const CompiledExpression& self, const Arrays& arrays, std::uint64_t first_row,
                         std::uint64_t rows) {
  const Columns columns(arrays);
  const nb::gil_scoped_release release;
  return self.count(columns.views(), first_row, rows);
}

}  // namespace

void bind_expression(nb::module_& module) {
  nb::class_<CompiledExpression>(module, "CompiledExpression")
      .def_prop_ro("columns", [](const CompiledExpression& self) { return decode_all(self.columns()); })
      .def_prop_ro("type", [](const CompiledExpression& self) { return decode(name(self.type())); })
      .def_prop_ro("unit", [](const CompiledExpression& self) { return decode(self.unit()); })
      .def_prop_ro("warnings", [](const CompiledExpression& self) { return decode_all(self.warnings()); })
      .def_prop_ro("is_condition", &CompiledExpression::is_condition)
      .def_prop_ro("is_constant", &CompiledExpression::is_constant)
      .def_prop_ro("is_pure", &CompiledExpression::is_pure)
      .def_prop_ro("uses_row", &CompiledExpression::uses_row)
      .def_prop_ro("may_fail", &CompiledExpression::may_fail)
      .def("value",
           [](const CompiledExpression& self) {
             const Value value = self.value();
             Attribute attribute;
             attribute.type = value.type();
             attribute.unit = self.unit();
             attribute.value = value;
             return attribute;
           })
      .def("evaluate", &evaluate, nb::arg("arrays"), nb::arg("first_row"), nb::arg("type"), nb::arg("out").none(),
           nb::arg("rows"))
      .def("select", &select, nb::arg("arrays"), nb::arg("first_row"), nb::arg("rows"))
      .def("count", &count_rows, nb::arg("arrays"), nb::arg("first_row"), nb::arg("rows"));
  nb::class_<Expression>(module, "Expression")
      .def(
          "__init__", [](Expression* self, const Text& text) { new (self) Expression(std::string_view(text.value)); },
          nb::arg("text"))
      .def_prop_ro("text", [](const Expression& self) { return decode(self.text()); })
      .def_prop_ro("names", [](const Expression& self) { return decode_all(self.names()); })
      .def_prop_ro("normal_form", [](const Expression& self) { return decode(self.normal_form()); })
      .def_prop_ro("row_calls", &row_calls)
      .def("compile", &compile, nb::arg("columns"), nb::arg("attributes"), nb::arg("counters"))
      .def("selector", &selector, nb::arg("columns"), nb::arg("attributes"), nb::arg("counters"))
      .def("may_hold", &may_hold, nb::arg("columns"), nb::arg("attributes"), nb::arg("counters"), nb::arg("limits"))
      .def("must_hold", &must_hold, nb::arg("columns"), nb::arg("attributes"), nb::arg("counters"), nb::arg("limits"))
      .def("may_fail", &may_fail, nb::arg("columns"), nb::arg("attributes"), nb::arg("counters"), nb::arg("limits"));
}

}  // namespace quire::python
