#include "format/plain/acceptance.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <utility>

#include "format/hdf5/library/attributes.hpp"
#include "format/hdf5/library/column_order.hpp"
#include "format/hdf5/library/layout_marks.hpp"
#include "format/hdf5/library/words.hpp"
#include "model/name_index.hpp"
#include "quire/base/error.hpp"

namespace quire::hdf5 {
namespace {

constexpr std::size_t longest_path = 1024;
constexpr const char* reserved = "this name is reserved for the order of the columns";
constexpr const char* only_attachments =
    "a file that has only bytes in the group Attachment would be read as attachments of H5Part";
constexpr const char* no_texts = "a matrix holds numbers, no columns of texts";

/// Why a path is invalid for an object, or an empty text.
std::string defect_of_path(const std::string& path) {
  if (path.empty()) return "needs a name";
  if (path.size() > longest_path) return "must have a name of at most " + std::to_string(longest_path) + " bytes";
  if (path.find('\0') != std::string::npos) return "must not have a NUL in its name";
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    const std::string part = path.substr(begin, end - begin);
    if (part.empty() || part == "." || part == "..")
      return "must not have an empty part, . or .. between slashes in its name";
    begin = end + 1;
  }
  return {};
}

std::string defect_of_column(const std::string& name) {
  if (name.find('/') != std::string::npos) return "must not have a slash in its name";
  return defect_of_path(name);
}

Type stored_as(Type type) {
  if (type == Type::float80) return Type::float64;
  if (type == Type::character) return Type::int8;
  return type;
}

/// The narrowest type that holds every value of all columns, or float64 if none does: each value is then converted
/// exactly, or with an error that names its row.
Type common_type(const std::vector<Column>& columns) {
  constexpr std::array candidates{Type::int8,   Type::uint8, Type::int16,  Type::uint16,  Type::int32,
                                  Type::uint32, Type::int64, Type::uint64, Type::float32, Type::float64};
  for (const Type candidate : candidates) {
    const auto fits = [&](const Column& column) {
      return column.type == candidate || converts_without_loss(column.type, candidate);
    };
    if (std::ranges::all_of(columns, fits)) return candidate;
  }
  return Type::float64;
}

void make_uniform(std::vector<Column>& columns) {
  const Type type = common_type(columns);
  for (Column& column : columns) column.type = type;
}

/// The names of the objects of a file: each must be unique and not be that of a group.
class Paths {
 public:
  /// Adds a path. Returns why it is taken, or an empty text.
  [[nodiscard]] std::string add(const std::string& path) {
    if (objects_.contains(path)) return "another object has this name";
    if (groups_.contains(path)) return "a group has this name";
    std::vector<std::string> above;
    for (std::size_t slash = path.find('/'); slash != std::string::npos; slash = path.find('/', slash + 1)) {
      above.push_back(path.substr(0, slash));
      if (objects_.contains(above.back())) return above.back() + " is a dataset, not a group";
    }
    objects_.insert(path);
    groups_.insert(above.begin(), above.end());
    return {};
  }

 private:
  std::set<std::string, std::less<>> objects_;
  std::set<std::string, std::less<>> groups_;
};

/// The path of the dataset of a column.
std::string column_path(const Table& table, const Column& column, const PlainRules& rules) {
  const std::string path = path_of(table, rules);
  if (rules.layout == TableLayout::matrix) return path;
  return path.empty() ? column.name : path + "/" + column.name;
}

/// The paths of a table's datasets.
std::vector<std::string> paths_of(const Table& table, const PlainRules& rules) {
  if (rules.layout == TableLayout::matrix) return {path_of(table, rules)};
  std::vector<std::string> paths;
  for (const Column& column : table.columns) paths.push_back(column_path(table, column, rules));
  return paths;
}

/// Whether all datasets of a step would be read as attachments.
bool holds_attachments_only(const StepDescription& step, const PlainRules& rules) {
  if (step.tables.empty() && step.fields.empty()) return false;
  if (!step.tables.empty() && rules.layout == TableLayout::matrix) return false;
  const auto is_one = [](const Field& field) {
    return field.components == 1 && field.extents.size() == 1 && may_be_attachment(path_of(field), field.type);
  };
  const auto has_only = [&](const Table& table) {
    return std::ranges::all_of(table.columns, [&](const Column& column) {
      return may_be_attachment(column_path(table, column, rules), column.type);
    });
  };
  return std::ranges::all_of(step.tables, has_only) && std::ranges::all_of(step.fields, is_one);
}

Attribute text_attribute(std::string_view name, const std::string& text) {
  Attribute attribute;
  attribute.name = name;
  attribute.type = Type::string;
  attribute.value = Value(text);
  return attribute;
}

/// Throws a usage error if the file would be read as one of another layout because of a name.
void require_unmarked(const std::string& mark, const std::string& name) {
  if (!mark.empty()) throw Error(ErrorKind::usage, mark).on(name).advise("choose another name");
}

/// Throws the conflict that add() found, and a usage error for a path of another layout.
void require_free(Paths& paths, const std::string& path) {
  require_unmarked(mark_of_path(path), path);
  const std::string taken = paths.add(path);
  if (!taken.empty()) throw Error(ErrorKind::conflict, "the name of an object is not unique: " + taken).on(path);
}

/// Throws a usage error if an object cannot have this name.
void require_name(const std::string& defect, const std::string& name) {
  if (!defect.empty()) throw Error(ErrorKind::usage, "an object of an HDF5 file " + defect).on(name);
}

Table accepted_table(const Table& table, const PlainRules& rules) {
  Table result = table;
  const std::string path = path_of(table, rules);
  if (!path.empty()) require_name(defect_of_path(path), path);
  std::set<std::string> names;
  for (Column& column : result.columns) {
    require_name(rules.layout == TableLayout::matrix ? (column.name.empty() ? "needs a name" : "")
                                                     : defect_of_column(column.name),
                 column.name);
    if (!names.insert(column.name).second) {
      throw Error(ErrorKind::conflict, "two columns have this name").on(column.name);
    }
    if (column.type == Type::string && rules.layout == TableLayout::matrix) {
      throw Error(ErrorKind::unsupported, no_texts).on(column.name).advise("write with layout=columns");
    }
    column.type = stored_as(column.type);
  }
  if (rules.layout == TableLayout::matrix) make_uniform(result.columns);
  return result;
}

Field accepted_field(const Field& field, bool lossy) {
  Field result = field;
  require_name(defect_of_path(path_of(field)), field.name);
  if (field.type == Type::string) {
    throw Error(ErrorKind::unsupported, "fields of texts cannot be written to HDF5 files").on(field.name);
  }
  if (field.extents.empty()) throw Error(ErrorKind::usage, "a field needs at least one extent").on(field.name);
  result.type = stored_as(field.type);
  for (Attribute& attribute : result.attributes) attribute = accepted(attribute, lossy);
  result.geometry = {};
  return result;
}

}  // namespace

std::string path_of(const Table& table, const PlainRules& rules) {
  return table.name.empty() && rules.layout == TableLayout::matrix ? rules.unnamed : table.name;
}

std::string path_of(const Field& field) {
  if (field.group.empty() || field.name.starts_with(field.group + "/")) return field.name;
  return field.group + "/" + field.name;
}

std::vector<Attribute> accepted_file(const FileDescription& file) {
  std::vector<Attribute> attributes;
  if (!file.title.empty()) attributes.push_back(text_attribute(words::title, file.title));
  if (!file.contents.empty()) attributes.push_back(text_attribute(words::contents, file.contents));
  for (const Attribute& attribute : file.attributes) {
    if (attribute.name == column_order_name) throw Error(ErrorKind::usage, reserved).on(attribute.name);
    require_unmarked(mark_of_attribute(attribute.name), attribute.name);
    attributes.push_back(accepted(attribute, false));
  }
  return attributes;
}

StepDescription accept_plain(const StepDescription& step, const PlainRules& rules,
                             const std::vector<Attribute>& file_attributes, bool lossy) {
  StepDescription result = step;
  std::set<std::string> names;
  NameIndex names_of_file;
  for (Attribute& attribute : result.attributes) {
    attribute = accepted(attribute, lossy);
    if (attribute.name == column_order_name) throw Error(ErrorKind::usage, reserved).on(attribute.name);
    require_unmarked(mark_of_attribute(attribute.name), attribute.name);
    const auto of_file = names_of_file.find(file_attributes, attribute.name);
    const bool contradicts = of_file && file_attributes[*of_file].value != attribute.value;
    if (contradicts || !names.insert(attribute.name).second) {
      throw Error(ErrorKind::conflict, "two attributes of the file or its one step have this name").on(attribute.name);
    }
  }
  Paths paths;
  result.tables.clear();
  for (const Table& table : step.tables) {
    if (table.columns.empty()) continue;
    result.tables.push_back(accepted_table(table, rules));
    for (const std::string& path : paths_of(result.tables.back(), rules)) require_free(paths, path);
  }
  for (Field& field : result.fields) {
    field = accepted_field(field, lossy);
    require_free(paths, path_of(field));
  }
  if (holds_attachments_only(result, rules)) require_unmarked(only_attachments, marks::attachments);
  return result;
}

// ---- What is lost

namespace {

class PlainFit {
 public:
  explicit PlainFit(const PlainRules& rules) : rules_(rules) {}

  Fit of(const FileDescription& file, const StepDescription& step) {
    fit_.adapted = step;
    if (step.number != 0) fit_.lose("step", std::to_string(step.number), "the number is left out");
    for (const Attribute& attribute : file.attributes) static_cast<void>(fitted("attribute of the file", attribute));
    fit_.adapted.attributes.clear();
    for (const Attribute& attribute : step.attributes) {
      if (auto kept = fitted("attribute", attribute)) fit_.adapted.attributes.push_back(*std::move(kept));
    }
    fit_.adapted.tables.clear();
    for (const Table& table : step.tables) add(table);
    fit_.adapted.fields.clear();
    for (const Field& field : step.fields) add(field);
    drop_attachments();
    return std::move(fit_);
  }

 private:
  void drop_texts(const std::string& object, Quantity& quantity) {
    if (quantity.symbol.empty() && quantity.description.empty() && quantity.display.empty()) return;
    fit_.lose(object, quantity.name, "symbol, description and display format are left out");
    quantity.symbol.clear();
    quantity.description.clear();
    quantity.display.clear();
  }

  std::optional<Attribute> fitted(const std::string& object, const Attribute& attribute) {
    try {
      if (attribute.name == column_order_name) throw Error(ErrorKind::usage, reserved);
      require_unmarked(mark_of_attribute(attribute.name), attribute.name);
      Attribute result = accepted(attribute, true);
      fit_.retype(object, attribute.name, attribute.type, result.type);
      drop_texts(object, result);
      return result;
    } catch (const Error& error) {
      fit_.lose(object, attribute.name, "left out: " + error.message());
      return std::nullopt;
    }
  }

  void add(const Table& table) {
    const std::string path = path_of(table, rules_);
    if (const std::string defect = path.empty() ? "" : defect_of_path(path); !defect.empty()) {
      return fit_.lose("table", table.name, "left out: an object of an HDF5 file " + defect);
    }
    Table result = table;
    std::erase_if(result.columns, [&](const Column& column) {
      const bool is_text = column.type == Type::string && rules_.layout == TableLayout::matrix;
      const std::string defect = rules_.layout == TableLayout::matrix ? "" : defect_of_column(column.name);
      if (is_text) fit_.lose("column", column.name, "left out: " + std::string(no_texts));
      if (!is_text && !defect.empty()) {
        fit_.lose("column", column.name, "left out: an object of an HDF5 file " + defect);
      }
      const std::string mark = defect.empty() ? mark_of_path(column_path(table, column, rules_)) : "";
      if (!mark.empty()) fit_.lose("column", column.name, "left out: " + mark);
      return is_text || !defect.empty() || !mark.empty();
    });
    const std::vector<Column> given = result.columns;
    for (Column& column : result.columns) column.type = stored_as(column.type);
    if (rules_.layout == TableLayout::matrix) {
      make_uniform(result.columns);
      // A matrix stores names and units of its columns.
      for (Column& column : result.columns) drop_texts("column", column);
    }
    for (std::size_t c = 0; c < given.size(); ++c) {
      fit_.retype("column", given[c].name, given[c].type, result.columns[c].type);
    }
    if (const std::string defect = order_defect(result.columns);
        !defect.empty() && rules_.layout == TableLayout::columns) {
      fit_.lose("table", table.name, defect);
    }
    if (!result.columns.empty()) fit_.adapted.tables.push_back(std::move(result));
  }

  void add(const Field& field) {
    try {
      Field result = accepted_field(field, true);
      Paths alone;
      require_free(alone, path_of(result));
      fit_.retype("field", field.name, field.type, result.type);
      if (!field.geometry.is_empty()) {
        fit_.lose("field", field.name, "origin, spacing and coordinates are left out");
      }
      fit_.adapted.fields.push_back(std::move(result));
    } catch (const Error& error) {
      fit_.lose("field", field.name, "left out: " + error.message());
    }
  }

  void drop_attachments() {
    if (!holds_attachments_only(fit_.adapted, rules_)) return;
    const std::string why = std::string("left out: ") + only_attachments;
    for (const Table& table : fit_.adapted.tables) fit_.lose("table", table.name, why);
    for (const Field& field : fit_.adapted.fields) fit_.lose("field", field.name, why);
    fit_.adapted.tables.clear();
    fit_.adapted.fields.clear();
  }

  const PlainRules& rules_;
  Fit fit_;
};

}  // namespace

Fit fit_plain(const FileDescription& file, const StepDescription& step, const PlainRules& rules) {
  return PlainFit(rules).of(file, step);
}

}  // namespace quire::hdf5
