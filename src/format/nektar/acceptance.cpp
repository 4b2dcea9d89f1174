#include "format/nektar/acceptance.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <set>
#include <utility>

#include "format/nektar/basis.hpp"
#include "format/nektar/block.hpp"
#include "format/nektar/metadata.hpp"
#include "quire/base/checked.hpp"
#include "quire/base/error.hpp"
#include "quire/kernels/convert.hpp"

namespace quire::nektar {
namespace {

constexpr std::string_view version_name = "Provenance/NektarVersion";
constexpr std::string_view timestamp_name = "Provenance/Timestamp";

std::string now() {
  const std::time_t seconds = std::time(nullptr);
  std::tm parts{};
  localtime_r(&seconds, &parts);
  std::array<char, 32> text{};
  const std::size_t length = std::strftime(text.data(), text.size(), "%d-%b-%Y %H:%M:%S", &parts);
  return {text.data(), length};
}

void put(std::vector<Attribute>& attributes, Attribute attribute) {
  const auto same = std::ranges::find(attributes, attribute.name, &Attribute::name);
  if (same == attributes.end()) {
    attributes.push_back(std::move(attribute));
  } else {
    *same = std::move(attribute);
  }
}

bool has(const std::vector<Attribute>& attributes, std::string_view name) {
  return std::ranges::find(attributes, name, &Attribute::name) != attributes.end();
}

/// Metadata are texts; floating-point numbers have 17 digits (specs/nektar-fld.md section 10).
Attribute as_text(const Attribute& attribute) {
  const Type type = attribute.value.type();
  if (attribute.value.count() == 1 && (type == Type::float64 || type == Type::float32)) {
    return text_attribute(attribute.name, fmt::format("{:.17g}", attribute.value.as_double()));
  }
  if (attribute.value.count() == 1) return text_attribute(attribute.name, attribute.value.as_text());
  throw Error(ErrorKind::unsupported,
              "metadata are single values, this is an array of " + std::to_string(attribute.value.count()))
      .on(attribute.name);
}

Error not_a_block(const std::string& name) {
  return Error(ErrorKind::unsupported, "the table holds no coefficients on elements")
      .on(name)
      .advise("files of this format hold expansions; choose another one for other tables");
}

bool is_number(Type type) { return type != Type::string && type != Type::character; }

void accept_columns(StepDescription& step, const BlockPair& block) {
  Table& values = step.tables[block.values];
  const Expansion& expansion = *values.expansion;
  check_expansion(expansion);
  for (const std::string& basis : expansion.basis) {
    if (is_basis(basis)) continue;
    throw Error(ErrorKind::usage, "nobody knows the basis \"" + basis + "\"")
        .on(values.name)
        .advise("bases are called as by the program: Modified_A, Ortho_A, GLL_Lagrange, Fourier and so on");
  }
  std::vector<std::string> variables;
  for (Column& column : values.columns) {
    if (!is_number(column.type)) throw Error(ErrorKind::type, "coefficients are numbers").on(column.name);
    if (column.name.find(',') != std::string::npos) {
      throw Error(ErrorKind::unsupported, "the name of a variable holds no comma").on(column.name);
    }
    column.type = Type::float64;
    variables.push_back(column.name);
  }
  check_variables(variables);
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

/// Numbers of bases are written in the present numbering, which an old version would belie.
bool belies_numbering(const StepDescription& step, const std::string& version, const Rules& rules) {
  if (!rules.numbers_bases) return false;
  constexpr std::uint32_t last_common = 6;
  const int major = version.empty() ? 0 : std::atoi(version.c_str());
  if (major >= 5) return false;
  return std::ranges::any_of(step.tables, [](const Table& table) {
    return table.expansion && std::ranges::any_of(table.expansion->basis, [](const std::string& basis) {
             return is_basis(basis) && basis_number(basis) > last_common;
           });
  });
}

/// Tells what becomes of the version of the program, if it is not kept.
void fit_version(Fit& fit, const FileDescription& file, const Rules& rules) {
  if (fit.adapted.tables.empty()) return;
  std::string version = provenance_of(fit.adapted.attributes).version;
  if (version.empty()) version = provenance_of(file.attributes).version;
  const std::string key(version_name);
  if (version.empty()) {
    fit.additions.push_back(key + " " + rules.version + " is added: the metadata tell no version");
  } else if (belies_numbering(fit.adapted, version, rules)) {
    fit.losses.push_back(key + " " + version + " becomes " + rules.version + ": bases are numbered as since version 5");
  }
}

}  // namespace

std::vector<BlockPair> blocks_of(const StepDescription& step) {
  std::vector<BlockPair> blocks;
  std::set<std::size_t> elements;
  for (std::size_t t = 0; t < step.tables.size(); ++t) {
    if (!step.tables[t].expansion) continue;
    const std::size_t other = step.find_table(step.tables[t].expansion->elements);
    if (!elements.insert(other).second || step.tables[other].expansion) throw not_a_block(step.tables[t].name);
    blocks.push_back({t, other});
  }
  for (std::size_t t = 0; t < step.tables.size(); ++t) {
    if (!step.tables[t].expansion && !elements.contains(t)) throw not_a_block(step.tables[t].name);
  }
  return blocks;
}

StepDescription accept_step(const StepDescription& step, const std::vector<Attribute>& file_attributes,
                            const Rules& rules) {
  if (!step.fields.empty()) {
    throw Error(ErrorKind::unsupported, "files of this format hold expansions, no fields").on(step.fields.front().name);
  }
  if (step.number < 0) {
    throw Error(ErrorKind::usage, "a checkpoint has no negative number").on("step " + std::to_string(step.number));
  }
  StepDescription accepted = step;
  accepted.attributes.clear();
  for (const auto* attributes : {&file_attributes, &step.attributes}) {
    for (const Attribute& attribute : *attributes) put(accepted.attributes, as_text(attribute));
  }
  if (number_of(accepted.attributes) != step.number) {
    put(accepted.attributes, text_attribute(std::string(number_key), std::to_string(step.number)));
  }
  for (const BlockPair& block : blocks_of(accepted)) accept_columns(accepted, block);
  const Provenance provenance = provenance_of(accepted.attributes);
  if (provenance.version.empty() || belies_numbering(accepted, provenance.version, rules)) {
    put(accepted.attributes, text_attribute(std::string(version_name), rules.version));
  }
  if (!rules.timestamp.empty() && !has(accepted.attributes, timestamp_name)) {
    const std::string timestamp = rules.timestamp == "now" ? now() : rules.timestamp;
    put(accepted.attributes, text_attribute(std::string(timestamp_name), timestamp));
  }
  static_cast<void>(metadata_text(accepted.attributes));  // names that cannot be kept
  return accepted;
}

Fit fit_step(const FileDescription& file, const StepDescription& step, const Rules& rules) {
  Fit fit{.adapted = step, .losses = {}};
  StepDescription& adapted = fit.adapted;
  const auto lose = [&](const std::string& sentence) { fit.losses.push_back(sentence); };
  for (const Field& field : step.fields) lose("the field " + field.name + " is left out");
  adapted.fields.clear();
  if (!file.title.empty() || !file.contents.empty()) lose("title and contents of the file are left out");
  for (const Attachment& attachment : file.attachments) {
    lose("the attachment " + attachment.name + " of " + std::to_string(attachment.bytes) + " bytes is left out");
  }
  std::set<std::string> elements;
  for (const Table& table : step.tables) {
    if (table.expansion) elements.insert(table.expansion->elements);
  }
  std::erase_if(adapted.tables, [&](const Table& table) {
    if (table.expansion || elements.contains(table.name)) return false;
    const std::string which = table.name.empty() ? "the table" : "the table " + table.name;
    lose(which + " holds no coefficients on elements and is left out");
    return true;
  });
  for (Table& table : adapted.tables) {
    if (table.expansion && !table.expansion->points.empty()) {
      lose("the points of " + table.name + " are left out");
      table.expansion->points.clear();
      table.expansion->point_counts.clear();
    }
    for (Column& column : table.columns) {
      if (!column.unit.empty()) lose("the unit of " + column.name + " is left out");
      column.unit.clear();
    }
  }
  std::erase_if(adapted.attributes, [&](const Attribute& attribute) {
    if (attribute.value.count() == 1) return false;
    lose("the attribute " + attribute.name + " is an array and is left out");
    return true;
  });
  fit_version(fit, file, rules);
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
  // The values of a streamed step come later, those of a plan without data never.
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
