#include <algorithm>

#include "bindings.hpp"
#include "options.hpp"
#include "quire/api/reader.hpp"
#include "quire/format/format.hpp"
#include "text.hpp"

namespace nb = nanobind;

namespace quire::python {
namespace {

const char* kind_name(OptionKind kind) {
  switch (kind) {
    case OptionKind::truth:
      return "truth";
    case OptionKind::integer:
      return "integer";
    case OptionKind::text:
      return "text";
  }
  return "text";
}

/// Name, kind, preset, choices and help of an option.
using OptionTuple = TupleOf<nb::str, nb::str, nb::str, Tuple<nb::str>, nb::str>;
using OptionTable = ListOf<OptionTuple>;
/// Name, title, suffixes, read options, write options, and what files of the format hold.
using FormatTuple =
    TupleOf<nb::str, nb::str, Tuple<nb::str>, OptionTable, OptionTable, bool, bool, bool, bool, bool, bool>;

OptionTable option_table(const std::vector<Option>& options) {
  nb::list table;
  for (const Option& option : options) {
    nb::list choices;
    for (const std::string_view choice : option.choices) choices.append(decode(choice));
    table.append(nb::make_tuple(decode(option.name), kind_name(option.kind), decode(option.preset), nb::tuple(choices),
                                decode(option.help)));
  }
  return table;
}

FormatTuple describe_format(const Format& format) {
  nb::list suffixes;
  for (const std::string_view suffix : format.suffixes) suffixes.append(decode(suffix));
  return nb::make_tuple(decode(format.name), decode(format.title), nb::tuple(suffixes),
                        option_table(format.read_options), option_table(format.write_options), format.holds_attachments,
                        format.holds_one_step, format.holds_streams, format.holds_tables, format.holds_declarations,
                        format.holds_constants);
}

}  // namespace

void bind_formats(nb::module_& module) {
  module.def("formats", []() -> ListOf<FormatTuple> {
    nb::list all;
    for (const Format* format : formats()) all.append(describe_format(*format));
    return all;
  });
  module.def("common_options", []() -> TupleOf<OptionTable, OptionTable> {
    return nb::make_tuple(option_table(common_read_options()), option_table(common_write_options()));
  });
  module.def(
      "format_for_suffix",
      [](const Text& path) -> std::optional<nb::str> {
        const Format* format = format_for_suffix(path.value);
        if (format == nullptr) return std::nullopt;
        return decode(format->name);
      },
      nb::arg("path"));
  module.def(
      "may_be_named",
      [](const Text& format, const Text& path) { return may_be_named(format_named(format.value), path.value); },
      nb::arg("format"), nb::arg("path"));
  module.def(
      "is_series",
      [](const Text& path, const Text& format) { return format_of_series(path.value, format.value) != nullptr; },
      nb::arg("path"), nb::arg("format"));
  module.def(
      "makes_set",
      [](const Text& name, const OptionDict& given) {
        const Format& format = format_named(name.value);
        Options known = options_from(given);
        std::erase_if(known, [&](const auto& one) {
          return std::ranges::find(format.write_options, one.first, &Option::name) == format.write_options.end();
        });
        return makes_set(format, CheckedOptions(format.write_options, known));
      },
      nb::arg("format"), nb::arg("options"));
  module.def(
      "named_members", [](const Text& path) { return decode_all(named_members(path.value)); }, nb::arg("path"));
  module.def(
      "own_members", [](const Text& path) { return decode_all(own_members(path.value)); }, nb::arg("path"));
}

}  // namespace quire::python
