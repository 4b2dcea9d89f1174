#include "format/sdds/fit.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <set>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include "format/sdds/header_writer.hpp"
#include "format/sdds/names.hpp"
#include "format/sdds/schema.hpp"
#include "quire/base/error.hpp"
#include "quire/spi/base/load.hpp"

namespace quire::sdds {
namespace {

constexpr std::size_t longest_portable_command = 1023;  ///< bytes that other programs read

constexpr const char* nan_loss = "NaN lose their payload";

/// Whether every NaN has the bits of a NaN that is read from text.
template <class Number>
bool text_keeps(std::span<const std::byte> bytes) {
  constexpr std::size_t counted = std::is_same_v<Number, long double> ? 10 : sizeof(Number);
  for (; !bytes.empty(); bytes = bytes.subspan(sizeof(Number))) {
    const auto number = load_at<Number>(bytes.data());
    if (!std::isnan(number)) continue;
    const Number read = std::copysign(std::numeric_limits<Number>::quiet_NaN(), number);
    if (std::memcmp(bytes.data(), &read, counted) != 0) return false;
  }
  return true;
}

bool text_keeps(const Value& value) {
  switch (value.type()) {
    case Type::float32:
      return text_keeps<float>(value.bytes());
    case Type::float64:
      return text_keeps<double>(value.bytes());
    case Type::float80:
      return text_keeps<long double>(value.bytes());
    default:
      return true;
  }
}

struct Thing {
  std::string object;
  std::string name;
};

/// Changes one step and records the changes.
class Fitter {
 public:
  Fitter(const FileDescription& file, const StepDescription& step, Mode mode, bool canonical)
      : file_(file), canonical_text_(mode == Mode::ascii && canonical) {
    fit_.adapted = step;
    fit_.numbers_as_text = mode == Mode::ascii;
  }

  [[nodiscard]] Fit run() {
    report_file();
    fit_attributes();
    fit_tables();
    fit_fields();
    if (canonical_text_) {
      report_digits(Type::float64, "16 digits");
      report_digits(Type::float80, "19 digits");
    }
    report_long_commands();
    return std::move(fit_);
  }

 private:
  void report_file();
  void fit_attributes();
  void fit_tables();
  void fit_fields();
  void report_digits(Type type, const std::string& digits);
  void report_long_commands();
  void fit_quantity(Quantity& quantity, const std::string& object, std::set<std::string>& used);
  void fit_text(std::string& text, const Thing& thing, const std::string& what);
  void lose(const Thing& thing, const std::string& what) { fit_.lose(thing.object, thing.name, what); }
  void reshape(const Thing& thing, const std::string& what) {
    fit_.changes.push_back({ChangeKind::reshaped, thing.object, thing.name, {}, what});
  }
  void rename(const Thing& thing, const std::string& now) {
    fit_.changes.push_back(
        {ChangeKind::renamed, thing.object, thing.name, now, "the name has forbidden characters or is used twice"});
  }

  const FileDescription& file_;
  bool canonical_text_;
  Fit fit_;
};

void Fitter::fit_text(std::string& text, const Thing& thing, const std::string& what) {
  if (text.find('\0') != std::string::npos) {
    std::erase(text, '\0');
    lose(thing, "zero bytes in the " + what + " are left out");
  }
  if (text.find('\n') != std::string::npos) {
    text = on_one_line(std::move(text));
    lose(thing, "line ends in the " + what + " become blanks");
  }
  if (!text_fault(text).empty()) {
    while (text.ends_with('\\')) text.pop_back();
    lose(thing, "the backslash at the end of the " + what + " is left out");
  }
  if (keeps_quotes(text)) return;
  for (std::size_t at = text.find('"'); at != std::string::npos; at = text.find('"', at + 1)) {
    if (at != 0 && text[at - 1] == '\\') continue;
    lose(thing, "quotation marks in the " + what + " are escaped with a backslash");
    break;
  }
}

void Fitter::fit_quantity(Quantity& quantity, const std::string& object, std::set<std::string>& used) {
  const Thing thing{object, quantity.name};
  std::string valid = is_valid_name(quantity.name) ? quantity.name : valid_name_for(quantity.name);
  while (!used.insert(valid).second) valid += '_';
  if (valid != quantity.name) {
    rename(thing, valid);
    quantity.name = valid;
  }
  fit_.retype(thing.object, thing.name, quantity.type, held_as(quantity.type));
  quantity.type = held_as(quantity.type);
  fit_text(quantity.unit, thing, "unit");
  fit_text(quantity.symbol, thing, "symbol");
  fit_text(quantity.description, thing, "description");
  if (!quantity.display.empty() && !format_string_fault(quantity.display, quantity.type).empty()) {
    lose(thing, "the display format \"" + quantity.display + "\" is left out, for it does not fit the type");
    quantity.display.clear();
  }
  fit_text(quantity.display, thing, "display format");
}

void Fitter::report_file() {
  for (const auto& [text, object] : {std::pair(&file_.title, "title"), std::pair(&file_.contents, "contents")}) {
    if (*text != on_one_line(*text)) lose({std::string(object) + " of the file", {}}, "line ends become blanks");
  }
  for (const Attribute& attribute : file_.attributes) {
    const Thing thing{"attribute of the file", attribute.name};
    if (!is_valid_name(attribute.name)) rename(thing, valid_name_for(attribute.name));
    if (!attribute.value.is_scalar()) reshape(thing, "several values are written into every step as an array");
    if (!text_keeps(attribute.value)) lose(thing, nan_loss);
  }
}

void Fitter::fit_attributes() {
  std::set<std::string> used;
  for (const Attribute& attribute : file_.attributes) used.insert(valid_name_for(attribute.name));
  for (Attribute& attribute : fit_.adapted.attributes) {
    const Thing thing{"attribute", attribute.name};
    fit_quantity(attribute, thing.object, used);
    attribute.value = attribute.value.converted_to(attribute.type);
    if (!attribute.value.is_scalar()) reshape(thing, "several values are written as an array");
    if (fit_.numbers_as_text && !text_keeps(attribute.value)) lose(thing, nan_loss);
  }
}

void Fitter::fit_tables() {
  auto& tables = fit_.adapted.tables;
  for (std::size_t i = 1; i < tables.size(); ++i) lose({"table", tables[i].name}, "left out: a step holds one table");
  if (tables.size() > 1) tables.resize(1);
  if (tables.empty()) return;
  if (!tables.front().name.empty()) lose({"table", tables.front().name}, "the name is left out");
  std::set<std::string> used;
  for (Column& column : tables.front().columns) fit_quantity(column, "column", used);
}

void Fitter::fit_fields() {
  std::set<std::string> used;
  for (Field& field : fit_.adapted.fields) {
    const Thing thing{"field", field.name};
    fit_quantity(field, thing.object, used);
    fit_text(field.group, thing, "group");
    if (field.components > 1) {
      reshape(thing,
              std::to_string(field.components) + " components become arrays of their own, named with [0], [1], ...");
    }
    for (const Attribute& attribute : field.attributes) lose(thing, "the attribute " + attribute.name + " is left out");
    field.attributes.clear();
    if (!field.geometry.is_empty()) lose(thing, "origin, spacing and coordinates are left out");
    field.geometry = {};
  }
}

void Fitter::report_digits(Type type, const std::string& digits) {
  const std::string what = "canonical text keeps " + digits + " of " + std::string(name(type)) +
                           ": values may change in the last one, and the largest become infinite";
  const auto look_at = [&](const std::string& object, const auto& quantities) {
    for (const Quantity& quantity : quantities) {
      if (quantity.type == type) lose({object, quantity.name}, what);
    }
  };
  look_at("attribute of the file", file_.attributes);
  look_at("attribute", fit_.adapted.attributes);
  for (const Table& table : fit_.adapted.tables) look_at("column", table.columns);
  look_at("field", fit_.adapted.fields);
}

void Fitter::report_long_commands() {
  try {
    FileDescription file = file_;
    file.declared.reset();  // the adapted step states the same
    const Header header = header_for(held_file(file), held_step(fit_.adapted), {});
    const std::size_t longest = longest_command(header);
    if (longest <= longest_portable_command) return;
    lose({"header", {}}, "a definition has " + std::to_string(longest) +
                             " bytes, but other programs of the field read no more than 1023");
  } catch (const Error& error) {
    lose({"header", {}}, error.message());
  }
}

}  // namespace

Fit fit_step(const FileDescription& file, const StepDescription& step, Mode mode, bool canonical) {
  return Fitter(file, step, mode, canonical).run();
}

}  // namespace quire::sdds
