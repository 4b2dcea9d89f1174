#include "bindings.hpp"
#include "options.hpp"
#include "quire/api/writer.hpp"
#include "quire/format/format.hpp"
#include "text.hpp"

namespace nb = nanobind;

namespace quire::python {
namespace {

/// The options that only the format itself understands, checked.
CheckedOptions format_options(const Format& format, const OptionDict& given) {
  Options options = options_from(given);
  for (const Option& common : common_write_options()) {
    const auto found = options.find(common.name);
    if (found != options.end()) options.erase(found);
  }
  return CheckedOptions(format.write_options, options);
}

using ChangeTuple = TupleOf<nb::str, nb::str, nb::str, nb::str, nb::str>;

TupleOf<StepDescription, ListOf<ChangeTuple>, bool> fit(const Text& name, const FileDescription& file,
                                                        const StepDescription& step, const OptionDict& options) {
  const Format& format = format_named(name.value);
  Fit fit = format.fit(file, step, format_options(format, options));
  nb::list changes;
  for (const Change& change : fit.changes) {
    changes.append(nb::make_tuple(decode(std::string(quire::name(change.kind))), decode(change.object),
                                  decode(change.name), decode(change.now), decode(change.what)));
  }
  return nb::make_tuple(nb::cast(std::move(fit.adapted)), changes, fit.numbers_as_text);
}

/// The attributes of a file, adapted like those of a step: formats adapt only attributes of steps.
ListOf<Attribute> fit_file_attributes(const Text& format, const FileDescription& file) {
  FileDescription bare = file;
  bare.attributes.clear();
  StepDescription step;
  step.attributes = file.attributes;
  nb::list adapted;
  for (Attribute& attribute : format_named(format.value).fit_with_presets(bare, step).adapted.attributes) {
    adapted.append(nb::cast(std::move(attribute)));
  }
  return adapted;
}

/// The names that the columns of a table get.
Texts fit_names(const Text& format, const std::vector<Text>& names) {
  StepDescription step;
  Table& table = step.tables.emplace_back();
  for (const Text& name : names) {
    Column& column = table.columns.emplace_back();
    column.name = name.value;
    column.type = Type::float64;
  }
  const Fit fitted = format_named(format.value).fit_with_presets({}, step);
  // Formats keep the order when they rename. A name for which a column would be left out stays, and is refused later.
  const auto& tables = fitted.adapted.tables;
  const std::vector<Column> columns = tables.empty() ? std::vector<Column>() : tables.front().columns;
  const bool has_all = columns.size() == names.size();
  nb::list held;
  for (std::size_t i = 0; i < names.size(); ++i) held.append(decode(has_all ? columns[i].name : names[i].value));
  return held;
}

OptionDict fit_numbers(const Text& format, std::int64_t lowest, std::int64_t highest) {
  nb::dict options;
  const auto options_for_numbers = format_named(format.value).options_for_numbers;
  if (options_for_numbers == nullptr) return options;
  for (const auto& [name, value] : options_for_numbers(lowest, highest)) {
    options[decode(name)] = decode(value);
  }
  return options;
}

}  // namespace

void bind_fit(nb::module_& module) {
  module.def("fit", &fit, nb::arg("format"), nb::arg("file"), nb::arg("step"), nb::arg("options"));
  module.def("fit_file_attributes", &fit_file_attributes, nb::arg("format"), nb::arg("file"));
  module.def("fit_numbers", &fit_numbers, nb::arg("format"), nb::arg("lowest"), nb::arg("highest"));
  module.def("fit_names", &fit_names, nb::arg("format"), nb::arg("names"));
}

}  // namespace quire::python
