#include "format/nektar/acceptance.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "format/nektar/basis.hpp"
#include "format/nektar/block.hpp"
#include "format/nektar/metadata.hpp"
#include "format/nektar/xml_rules.hpp"
#include "format/text/digits.hpp"
#include "kernels/convert.hpp"
#include "model/name_index.hpp"
#include "quire/base/error.hpp"
#include "quire/spi/base/checked.hpp"

namespace quire::nektar {
namespace {

void put(std::vector<Attribute>& attributes, Attribute attribute, NameIndex& names) {
  if (const auto same = names.find(attributes, attribute.name)) {
    attributes[*same] = std::move(attribute);
  } else {
    attributes.push_back(std::move(attribute));
  }
}

bool has(const std::vector<Attribute>& attributes, std::string_view name) {
  return std::ranges::find(attributes, name, &Attribute::name) != attributes.end();
}

/// Metadata are texts; floating-point numbers are written with 17 digits (specs/nektar-fld.md section 10).
Attribute as_text(const Attribute& attribute) {
  const Type type = attribute.value.type();
  if (attribute.value.count() == 1 && (type == Type::float64 || type == Type::float32)) {
    return text_attribute(attribute.name, text::significant(attribute.value.as_double(), 17));
  }
  if (attribute.value.count() == 1) return text_attribute(attribute.name, attribute.value.as_text());
  throw Error(ErrorKind::unsupported,
              "metadata are single values, not arrays of " + std::to_string(attribute.value.count()))
      .on(attribute.name);
}

Error not_a_block(const std::string& name) {
  return Error(ErrorKind::unsupported, "the table does not hold coefficients of elements")
      .on(name)
      .advise("files of this format store expansions; choose another format for other tables");
}

bool is_number(Type type) { return type != Type::string && type != Type::character; }

/// A contradiction in a file is damage; in what a caller writes it is a usage error.
template <class Work>
void as_usage(const std::string& object, Work&& work) {
  try {
    work();
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::bad_file) throw;
    throw Error(ErrorKind::usage, error.message()).on(error.object().empty() ? object : error.object());
  }
}

/// Names are stored in lists, in which XML and its readers preserve no white space but blanks, and none at the ends of
/// a name.
void check_variable(const std::string& name) {
  std::string what;
  if (name.find(',') != std::string::npos) {
    what = "a comma";
  } else if (name.find_first_of("\t\r\n") != std::string::npos) {
    what = "a line end or a tab";
  } else if (name.starts_with(' ') || name.ends_with(' ')) {
    what = "a leading or trailing blank";
  }
  if (!what.empty()) throw Error(ErrorKind::unsupported, "the name of a variable must not contain " + what).on(name);
  if (const auto unknown = what_xml_cannot_hold(name)) {
    throw Error(ErrorKind::unsupported, "the name of a variable contains what XML cannot store: " + *unknown).on(name);
  }
}

/// Throws errors for bases that the layout cannot store: their number would be read as another basis, or as none.
void check_bases(const Table& values, const Rules& rules) {
  const Expansion& expansion = *values.expansion;
  as_usage(values.name, [&] { check_expansion(expansion); });
  for (const std::string& basis : expansion.basis) {
    if (is_basis(basis)) continue;
    throw Error(ErrorKind::usage, "unknown basis \"" + basis + "\"")
        .on(values.name)
        .advise("use the names of Nektar++: Modified_A, Ortho_A, GLL_Lagrange, Fourier and so on");
  }
  if (!rules.numbers_bases()) return;
  const auto unfit = unfit_for_numbers(expansion.basis, expansion.shape);
  if (!unfit) return;
  throw Error(ErrorKind::unsupported,
              "layout=" + rules.layout + " stores bases as numbers, which cannot express the basis " +
                  expansion.basis[*unfit] + " in direction " + std::to_string(*unfit) + " of " + expansion.shape + "s")
      .on(values.name)
      .advise(
          "layout=xml and layout=directory store names; Fourier bases have numbers in homogeneous directions only, "
          "bases of pyramids in their third direction only");
}

void accept_columns(StepDescription& step, const BlockPair& block, const Rules& rules) {
  Table& values = step.tables[block.values];
  const Expansion& expansion = *values.expansion;
  check_bases(values, rules);
  std::vector<std::string_view> variables;
  variables.reserve(values.columns.size());
  for (Column& column : values.columns) {
    if (!is_number(column.type)) throw Error(ErrorKind::type, "coefficients are numbers").on(column.name);
    check_variable(column.name);
    column.type = Type::float64;
    variables.push_back(column.name);
  }
  as_usage(values.name, [&] { check_variables(std::move(variables)); });
  Table& elements = step.tables[block.elements];
  const std::size_t wanted = expansion.is_mixed() ? expansion.basis.size() + 1 : 1;
  for (std::size_t c = 0; c < elements.columns.size() || c < wanted; ++c) {
    const std::string name = c == 0 ? id_column() : modes_column(c - 1);
    const bool fits = c < wanted && c < elements.columns.size() && elements.columns[c].name == name &&
                      is_integer(elements.columns[c].type);
    if (!fits)
      throw Error(ErrorKind::usage, "the table of elements lacks or should not have " + name).on(elements.name);
    elements.columns[c].type = Type::uint32;
  }
  if (expansion.is_mixed()) return;
  const std::uint64_t count = checked_multiply(elements.rows, element_coefficients(expansion, expansion.modes));
  if (values.rows == count) return;
  throw Error(ErrorKind::usage, std::to_string(elements.rows) + " elements have " + std::to_string(count) +
                                    " coefficients, not " + std::to_string(values.rows))
      .on(values.name);
}

/// Bases are written with their present numbers, which contradict an old version.
bool contradicts_numbering(const StepDescription& step, const std::string& version, const Rules& rules) {
  if (!rules.numbers_bases()) return false;
  constexpr std::uint32_t last_common = 6;
  const int major = version.empty() ? 0 : std::atoi(version.c_str());
  if (major >= 5) return false;
  return std::ranges::any_of(step.tables, [](const Table& table) {
    return table.expansion && std::ranges::any_of(table.expansion->basis, [](const std::string& basis) {
             return is_basis(basis) && basis_number(basis) > last_common;
           });
  });
}

/// Throws errors for a version option with which the bases could not be read.
void check_asked_version(const StepDescription& step, const Rules& rules) {
  if (!contradicts_numbering(step, rules.version, rules)) return;
  throw Error(ErrorKind::usage, "layout=" + rules.layout +
                                    " numbers these bases as since version 5, which contradicts version \"" +
                                    rules.version + "\"")
      .on("version")
      .advise("use 5.0.0 or later");
}

/// Adds what the reference writes about itself, unless the metadata contain it.
void complete(StepDescription& step, const Rules& rules, NameIndex& names) {
  const std::string version = provenance_of(step.attributes).version;
  if (version.empty() || contradicts_numbering(step, version, rules)) {
    check_asked_version(step, rules);
    if (!version.empty()) put(step.attributes, text_attribute(std::string(former_version_name), version), names);
    put(step.attributes, text_attribute(std::string(version_name), rules.version), names);
  }
  const auto add = [&](std::string_view name, const std::string& text) {
    if (!text.empty() && !has(step.attributes, name))
      put(step.attributes, text_attribute(std::string(name), text), names);
  };
  if (!rules.asks_clock()) add(timestamp_name, rules.timestamp);
  if (!rules.asks_machine()) add(hostname_name, rules.hostname);
}

/// Sets the number of the step, which restarts read from the metadata. Metadata are often copied from an earlier step
/// with its number, which is not the number of the next one. Step 0 does not replace a number: it is the default of
/// single steps. Without an entry all readers take the number as 0, so none is added.
void take_number(StepDescription& step, NameIndex& names) {
  if (step.number == 0 || number_of(step.attributes) == step.number) return;
  put(step.attributes, text_attribute(std::string(number_key), std::to_string(step.number)), names);
}

/// Reports that the number of a step replaces another one.
void fit_number(Fit& fit, const FileDescription& file) {
  const StepDescription& step = fit.adapted;
  if (step.number == 0) return;
  const auto& attributes = has(step.attributes, number_key) ? step.attributes : file.attributes;
  const auto found = std::ranges::find(attributes, number_key, &Attribute::name);
  if (found == attributes.end() || found->value.count() != 1 || number_of(attributes) == step.number) return;
  fit.lose("attribute", std::string(number_key),
           found->value.as_text() + " becomes " + std::to_string(step.number) + ": the number of the step");
}

/// Reports a version of the program that is written to the file but was not given by the caller.
void fit_version(Fit& fit, const FileDescription& file, const Rules& rules) {
  if (fit.adapted.tables.empty()) return;
  std::string version = provenance_of(fit.adapted.attributes).version;
  if (version.empty()) version = provenance_of(file.attributes).version;
  const std::string key(version_name);
  if (version.empty()) {
    fit.changes.push_back(
        {ChangeKind::added, "attribute", key, {}, rules.version + " is added: the metadata have no version"});
  } else if (contradicts_numbering(fit.adapted, version, rules)) {
    fit.changes.push_back({ChangeKind::reshaped,
                           "attribute",
                           key,
                           {},
                           rules.version + " replaces " + version +
                               ", which is kept in another attribute: bases are numbered as since version 5"});
  }
}

}  // namespace

std::vector<BlockPair> blocks_of(const StepDescription& step) {
  std::vector<BlockPair> blocks;
  blocks.reserve(step.tables.size() / 2);
  NameIndex names;
  std::vector<bool> has_elements(step.tables.size(), false);  // by table: belongs to a block
  for (std::size_t t = 0; t < step.tables.size(); ++t) {
    if (!step.tables[t].expansion) continue;
    const std::string& elements = step.tables[t].expansion->elements;
    const auto found = elements.empty() ? std::nullopt : names.find(step.tables, elements);
    const std::size_t other = found ? *found : step.find_table(elements);
    if (has_elements[other] || step.tables[other].expansion) throw not_a_block(step.tables[t].name);
    has_elements[other] = true;
    blocks.push_back({t, other});
  }
  for (std::size_t t = 0; t < step.tables.size(); ++t) {
    if (!step.tables[t].expansion && !has_elements[t]) throw not_a_block(step.tables[t].name);
  }
  return blocks;
}

StepDescription accept_step(const StepDescription& step, const std::vector<Attribute>& file_attributes,
                            const Rules& rules) {
  if (!step.fields.empty()) {
    throw Error(ErrorKind::unsupported, "files of this format store expansions, not fields")
        .on(step.fields.front().name);
  }
  if (step.number < 0) {
    throw Error(ErrorKind::usage, "the number of a checkpoint cannot be negative")
        .on("step " + std::to_string(step.number));
  }
  StepDescription accepted = step;
  accepted.attributes.clear();
  NameIndex names;
  for (const auto* attributes : {&file_attributes, &step.attributes}) {
    for (const Attribute& attribute : *attributes) put(accepted.attributes, as_text(attribute), names);
  }
  take_number(accepted, names);
  for (const BlockPair& block : blocks_of(accepted)) accept_columns(accepted, block, rules);
  complete(accepted, rules, names);
  const std::vector<Error> objections = objections_to(accepted.attributes);
  if (!objections.empty()) throw Error(objections.front());
  return accepted;
}

Fit fit_step(const FileDescription& file, const StepDescription& step, const Rules& rules) {
  Fit fit{.adapted = step};
  StepDescription& adapted = fit.adapted;
  for (const Field& field : step.fields) fit.lose("field", field.name, "left out: files of this format have none");
  adapted.fields.clear();
  if (!file.title.empty() || !file.contents.empty()) fit.lose({}, {}, "title and contents are left out");
  for (const Attachment& attachment : file.attachments) {
    fit.lose("attachment", attachment.name, std::to_string(attachment.bytes) + " bytes are left out");
  }
  std::set<std::string> elements;
  for (const Table& table : step.tables) {
    if (table.expansion) elements.insert(table.expansion->elements);
  }
  std::erase_if(adapted.tables, [&](const Table& table) {
    if (table.expansion || elements.contains(table.name)) return false;
    fit.lose("table", table.name, "left out: its rows are not coefficients of elements");
    return true;
  });
  for (Table& table : adapted.tables) {
    if (table.expansion && !table.expansion->points.empty()) {
      fit.lose("table", table.name, "the points are left out");
      table.expansion->points.clear();
      table.expansion->point_counts.clear();
    }
    for (Column& column : table.columns) {
      if (!column.unit.empty()) fit.lose("column", column.name, "the unit is left out");
      column.unit.clear();
    }
  }
  std::erase_if(adapted.attributes, [&](const Attribute& attribute) {
    if (attribute.value.count() == 1) return false;
    fit.lose("attribute", attribute.name, "left out: it has several values");
    return true;
  });
  std::set<std::string> unfit;
  for (const Error& error : objections_to(adapted.attributes)) {
    fit.lose("attribute", error.object(), "left out: " + error.message() + "; " + error.advice());
    unfit.insert(error.object());
  }
  std::erase_if(adapted.attributes, [&](const Attribute& attribute) { return unfit.contains(attribute.name); });
  for (const Table& table : adapted.tables) {
    if (!table.expansion) continue;
    check_bases(table, rules);
    for (const Column& column : table.columns) check_variable(column.name);
  }
  fit_version(fit, file, rules);
  fit_number(fit, file);
  return fit;
}

std::vector<std::uint32_t> numbers_of(const ConstView& view, const std::string& name) {
  std::vector<std::uint32_t> numbers(static_cast<std::size_t>(view.count));
  if (view.data == nullptr || numbers.empty()) return numbers;
  const auto lost =
      kernels::convert(view.type, view.data, view.stride, Type::uint32, reinterpret_cast<std::byte*>(numbers.data()),
                       sizeof(std::uint32_t), numbers.size(), kernels::Loss::refused);
  if (lost) throw Error(ErrorKind::type, "the number of row " + std::to_string(*lost) + " exceeds 32 bits").on(name);
  return numbers;
}

std::vector<std::uint64_t> modes_of(const StepPart& part, const BlockPair& block) {
  const Expansion& expansion = *part.description.tables[block.values].expansion;
  if (!expansion.is_mixed()) return {};
  const std::size_t width = expansion.basis.size();
  std::vector<std::uint64_t> modes;
  for (std::size_t d = 0; d < width; ++d) {
    const auto column = numbers_of(part.tables[block.elements][d + 1], modes_column(d));
    modes.resize(column.size() * width);
    for (std::size_t i = 0; i < column.size(); ++i) modes[i * width + d] = column[i];
  }
  return modes;
}

void check_block(const StepPart& part, const BlockPair& block) {
  const Table& values = part.description.tables[block.values];
  const Table& elements = part.description.tables[block.elements];
  // The values of a streamed step are given later; a plan without data has none.
  if (elements.rows == 0 || part.tables[block.elements].front().count != elements.rows) return;
  if (part.tables[block.elements].front().data == nullptr) return;
  auto ids = numbers_of(part.tables[block.elements].front(), id_column());
  std::ranges::sort(ids);
  const auto twice = std::ranges::adjacent_find(ids);
  if (twice != ids.end()) {
    throw Error(ErrorKind::usage, "element " + std::to_string(*twice) + " is put twice").on(values.name);
  }
  if (!values.expansion->is_mixed()) return;
  const std::uint64_t count = mixed_coefficients(*values.expansion, modes_of(part, block));
  if (values.rows == count) return;
  throw Error(ErrorKind::usage,
              "the elements have " + std::to_string(count) + " coefficients, not " + std::to_string(values.rows))
      .on(values.name);
}

}  // namespace quire::nektar
