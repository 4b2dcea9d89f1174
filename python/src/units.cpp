#include "quire/model/units.hpp"

#include "bindings.hpp"
#include "text.hpp"

namespace nb = nanobind;

namespace quire::python {
namespace {

/// Numerator and denominator of each exponent.
ListOf<TupleOf<std::int64_t, std::int64_t>> exponents(const Unit& unit) {
  nb::list all;
  for (const Exponent& exponent : unit.dimension) all.append(nb::make_tuple(exponent.over, exponent.under));
  return all;
}

DictOf<Texts> names() {
  const UnitNames known = unit_names();
  nb::dict all;
  const auto add = [&](const char* kind, const std::vector<std::string_view>& given) {
    nb::list texts;
    for (const std::string_view name : given) texts.append(decode(name));
    all[kind] = texts;
  };
  add("base", known.base);
  add("prefixes", known.prefixes);
  add("prefixed", known.prefixed);
  add("plain", known.plain);
  add("phrases", known.phrases);
  return all;
}

}  // namespace

void bind_units(nb::module_& module) {
  nb::class_<Unit>(module, "Unit")
      .def_prop_ro("factor", &Unit::factor)
      .def_prop_ro("si", [](const Unit& unit) { return Text{unit.si()}; })
      .def_prop_ro("exponents", &exponents);
  module.def(
      "parse_unit", [](const Text& text) { return parse_unit(text.value); }, nb::arg("text"));
  module.def(
      "is_unit", [](const Text& text) { return find_unit(text.value).has_value(); }, nb::arg("text"));
  module.def(
      "unit_scale",
      [](const Text& unit, const Text& wanted) -> TupleOf<double, bool> {
        const UnitScale scale = scale_between(unit.value, wanted.value);
        return nb::make_tuple(scale.factor, scale.divides);
      },
      nb::arg("unit"), nb::arg("wanted"));
  module.def("unit_names", &names);
}

}  // namespace quire::python
