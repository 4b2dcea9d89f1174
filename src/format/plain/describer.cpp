#include "format/plain/describer.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "format/chunk_cache_option.hpp"
#include "format/hdf5/library/attributes.hpp"
#include "format/hdf5/library/column_order.hpp"
#include "format/hdf5/library/components.hpp"
#include "format/hdf5/library/compound.hpp"
#include "format/hdf5/library/words.hpp"

namespace quire::hdf5 {
namespace {

/// The approximate memory for the description of a column, which limits the number of columns.
constexpr std::uint64_t bytes_per_column = 256;

/// The parts of a text between commas, without leading and trailing slashes.
std::vector<std::string> paths_of(const std::string& list) {
  std::vector<std::string> paths;
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    std::string path = list.substr(begin, end - begin);
    path.erase(0, path.find_first_not_of("/ "));
    path.erase(path.find_last_not_of("/ ") + 1);
    if (!path.empty() && std::ranges::find(paths, path) == paths.end()) paths.push_back(std::move(path));
    begin = end + 1;
  }
  return paths;
}

std::string joined(const std::vector<std::string>& texts) {
  constexpr std::size_t shown = 8;
  std::string text;
  for (std::size_t i = 0; i < std::min(shown, texts.size()); ++i) text += (i == 0 ? "" : ", ") + texts[i];
  return texts.size() > shown ? text + ", ..." : text;
}

void add_names(std::vector<std::string>& names, const std::string& path, const std::vector<Attribute>& attributes) {
  for (const Attribute& attribute : attributes) names.push_back(path + " " + attribute.name);
}

bool is_unique(std::vector<std::string> names) {
  std::ranges::sort(names);
  return std::ranges::adjacent_find(names) == names.end() && std::ranges::find(names, "") == names.end();
}

}  // namespace

template <class Work>
auto PlainDescriber::guarded(Work&& work) {
  try {
    return with_hdf5(file_->image(), std::forward<Work>(work));
  } catch (Error& error) {
    if (error.file().empty() && !context_.path.empty()) error.in_file(context_.path);
    throw;
  }
}

PlainDescriber::PlainDescriber(std::shared_ptr<ByteSource> bytes, DescribeContext context,
                               const CheckedOptions& options)
    : context_(std::move(context)),
      asked_(paths_of(options.text("columns"))),
      all_matrices_(options.text("matrices") == "columns"),
      unwritten_(unwritten_of(options)),
      kept_(chunk_cache_of_format(options)),
      matrix_rows_(context_.memory_budget) {
  try {
    file_ = std::make_shared<OpenFile>(std::move(bytes), context_,
                                       options.truth("cut") ? CutFiles::read : CutFiles::offered);
  } catch (Error& error) {
    throw context_.path.empty() ? error : error.in_file(context_.path);
  }
  description_.format = "hdf5";
  description_.layout = file_->facts();
  if (options.truth("cut")) cut_ = file_->cut();
  if (cut_) description_.warnings.push_back(cut_->message());
  if (cut_ && !context_.path.empty()) cut_->in_file(context_.path);
  file_->describe_leftovers(description_);
  guarded([&] {
    const auto attributes = attributes_of_root(description_.warnings);
    description_.title = text_of(attributes, words::title);
    description_.contents = text_of(attributes, words::contents);
  });
}

std::int64_t PlainDescriber::step_number(std::uint64_t index) {
  if (index == 0) return 0;
  throw Error(ErrorKind::missing, "there is no step at this index").in_file(context_.path);
}

std::optional<StepLayout> PlainDescriber::step(std::uint64_t index) {
  if (index == 1 && cut_) throw Error(*cut_);
  if (index > 0) return std::nullopt;
  if (!step_) {
    guarded([&] { describe_step(); });
  }
  return step_;
}

std::vector<Attribute> PlainDescriber::attributes_of_root(std::vector<std::string>& warnings) {
  const auto read = [&] { return read_attributes(file_->image(), file_->id(), context_.memory_budget, warnings); };
  if (!cut_) return read();
  try {
    return with_hdf5(file_->image(), read);
  } catch (const Error& error) {
    warnings.push_back("the attributes of the file are lost: " + error.message());
    return {};
  }
}

void PlainDescriber::describe_step() {
  step_.emplace();
  opaque_.clear();
  std::vector<std::string> missing = asked_;
  try {
    StepDescription& step = step_->description;
    std::vector<std::string> repeated;  // the attributes of the root were read before, with the same warnings
    step.attributes = attributes_of_root(repeated);
    std::erase_if(step.attributes, [&](const Attribute& attribute) {
      return (attribute.name == words::title && !description_.title.empty()) ||
             (attribute.name == words::contents && !description_.contents.empty());
    });
    static_cast<void>(take_column_order(step.attributes));
    fold_units(step.attributes);
    for (PlainGroup& group :
         survey(file_->id(), file_->image(), context_.memory_budget, step.warnings, unwritten_, cut_.has_value())) {
      for (const PlainDataset& dataset : group.datasets) std::erase(missing, dataset.path);
      add_group(std::move(group));
    }
    if (!missing.empty()) {
      throw Error(ErrorKind::missing, "there is no dataset of this path").on(missing.front());
    }
    put_asked_first();
  } catch (...) {
    step_.reset();
    throw;
  }
  for (const auto* places : {&step_->tables, &step_->fields}) {
    for (const Place& place : *places) {
      for (const Run& run : place.runs) {
        if (!run.opaque && !run.chunks) step_->end = std::max(step_->end, run.offset + run.bytes);
      }
    }
  }
}

void PlainDescriber::put_asked_first() {
  for (auto asked = asked_.rbegin(); asked != asked_.rend(); ++asked) {
    auto& tables = step_->description.tables;
    const auto place = std::ranges::find(tables, *asked, &Table::name) - tables.begin();
    if (place == std::ssize(tables)) continue;  // without columns it is not a table
    std::rotate(tables.begin(), tables.begin() + place, tables.begin() + place + 1);
    std::rotate(step_->tables.begin(), step_->tables.begin() + place, step_->tables.begin() + place + 1);
  }
}

void PlainDescriber::add_group(PlainGroup group) {
  const std::string path = group.path;
  SortedGroup sorted = sort_group(std::move(group));
  if (!sorted.lines.empty()) add_table_of_lines(path, std::move(sorted.lines));
  for (PlainDataset& dataset : sorted.others) {
    if (!dataset.members.empty()) {
      add_compound(std::move(dataset));
    } else if (dataset.data.extents.empty()) {
      add_scalar(dataset);
    } else if (const auto names = matrix_columns(dataset)) {
      add_matrix(std::move(dataset), *names);
    } else {
      add_field(path, std::move(dataset));
    }
  }
}

void PlainDescriber::add_table_of_lines(const std::string& group, std::vector<PlainDataset> lines) {
  Table table;
  Place place;
  table.name = group;
  table.rows = lines.front().data.extents.front();
  std::vector<std::string> left_out;
  for (PlainDataset& line : lines) {
    Column column{take_quantity(line.name, line.data.type, line.attributes), line.data.run.cells.front().text_bytes};
    add_names(left_out, line.path, line.attributes);
    line.data.run.cells.front().column = table.columns.size();
    line.data.run.path = "/" + line.path;
    if (line.data.run.opaque) {
      opaque_[line.path] = [this, path = line.path, type = column.type](std::uint64_t, const Slice& rows,
                                                                        const View& out) {
        read_kept(path,
                  [&](hid_t id) { read_dataset(file_->image(), id, path, type, rows, out, context_.memory_budget); });
      };
    }
    table.columns.push_back(std::move(column));
    place.runs.push_back(std::move(line.data.run));
  }
  report_left_out(left_out);
  step_->description.tables.push_back(std::move(table));
  step_->tables.push_back(std::move(place));
}

std::optional<std::vector<std::string>> PlainDescriber::matrix_columns(const PlainDataset& dataset) {
  const bool is_asked = std::ranges::find(asked_, dataset.path) != asked_.end();
  if (dataset.data.extents.size() != 2 || dataset.data.type == Type::string) {
    if (!is_asked) return std::nullopt;
    throw Error(ErrorKind::usage, "only a dataset of numbers with two dimensions has columns").on(dataset.path);
  }
  const std::uint64_t count = dataset.data.extents[1];
  if (count > context_.memory_budget / bytes_per_column) {
    if (!is_asked) return std::nullopt;
    throw Error(ErrorKind::memory, "the dataset has more columns than the memory budget allows").on(dataset.path);
  }
  std::vector<std::string> names = texts_of(dataset.attributes, words::columns);
  const bool has_names = names.size() == count && count > 0 && is_unique(names);
  if (has_names) return names;
  if (!is_asked && !all_matrices_) return std::nullopt;
  names.clear();
  for (std::uint64_t c = 0; c < count; ++c) names.push_back("c" + std::to_string(c));
  return names;
}

void PlainDescriber::report_left_out(const std::vector<std::string>& attributes) {
  if (attributes.empty()) return;
  step_->description.warnings.push_back("attributes of columns are left out: " + joined(attributes));
}

void PlainDescriber::add_matrix(PlainDataset dataset, const std::vector<std::string>& names) {
  Table table;
  table.name = dataset.path;
  table.rows = dataset.data.extents[0];
  const std::vector<std::string> units = texts_of(dataset.attributes, words::units);
  std::vector<std::string> left_out;
  std::erase_if(dataset.attributes, [](const Attribute& attribute) {
    return attribute.name == words::columns || attribute.name == words::units;
  });
  add_names(left_out, table.name, dataset.attributes);
  report_left_out(left_out);
  Run run = std::move(dataset.data.run);
  run.records = table.rows;
  run.record_bytes = names.size() * size_of(dataset.data.type);
  run.path = "/" + table.name;
  run.is_part = true;
  run.cells.clear();
  for (std::size_t c = 0; c < names.size(); ++c) {
    Column column;
    column.name = names[c];
    column.type = dataset.data.type;
    if (units.size() == names.size()) column.unit = units[c];
    if (units.size() == 1) column.unit = units.front();
    run.cells.push_back({.column = c, .type = column.type});
    if (run.opaque) {
      opaque_[table.name + "/" + column.name] = [this, path = table.name, type = column.type, count = names.size(), c](
                                                    std::uint64_t, const Slice& rows, const View& out) {
        read_kept(path, [&](hid_t id) { matrix_rows_.read(id, path, type, count, c, rows, out); });
      };
    }
    table.columns.push_back(std::move(column));
  }
  add_table(std::move(table), std::move(run));
}

void PlainDescriber::add_compound(PlainDataset dataset) {
  std::vector<std::string> names;
  for (const CompoundValue& value : dataset.members) names.push_back(value.name());
  if (dataset.data.extents.size() > 1 || !is_unique(names)) {
    step_->description.warnings.push_back("the dataset " + dataset.path +
                                          " of compounds has several dimensions or nameless members and is left out");
    return;
  }
  std::vector<std::string> left_out;
  add_names(left_out, dataset.path, dataset.attributes);
  report_left_out(left_out);
  Table table;
  table.name = dataset.path;
  table.rows = dataset.data.run.records;
  Run run = std::move(dataset.data.run);
  for (std::size_t m = 0; m < dataset.members.size(); ++m) {
    Column column;
    column.name = names[m];
    column.type = dataset.members[m].type;
    if (run.opaque) {
      opaque_[table.name + "/" + column.name] = [this, path = table.name, value = dataset.members[m]](
                                                    std::uint64_t, const Slice& rows, const View& out) {
        read_kept(path, [&](hid_t id) { read_member(id, path, value, rows, out, context_.memory_budget); });
      };
    }
    table.columns.push_back(std::move(column));
  }
  add_table(std::move(table), std::move(run));
}

void PlainDescriber::add_table(Table table, Run run) {
  if (table.columns.empty()) return;
  step_->description.tables.push_back(std::move(table));
  step_->tables.push_back({{std::move(run)}});
}

void PlainDescriber::add_field(const std::string& group, PlainDataset dataset) {
  if (dataset.data.type == Type::string && dataset.data.extents.size() > 1) {
    step_->description.warnings.push_back("the dataset " + dataset.path +
                                          " holds texts in several dimensions and is left out");
    return;
  }
  Field field{
      take_quantity(dataset.path, dataset.data.type, dataset.attributes), dataset.data.extents, 1, group, {}, {}};
  Run run = std::move(dataset.data.run);
  run.path = "/" + dataset.path;
  // A field with several components has them along its first axis, and an attribute with their number.
  const std::uint64_t components = take_count(dataset.attributes, words::components);
  Place place{{std::move(run)}};
  if (components > 1 && field.extents.size() > 1 && field.extents.front() == components &&
      components < context_.memory_budget / bytes_per_column) {
    field.extents.erase(field.extents.begin());
    field.components = components;
    split_components(place, components);
  }
  field.attributes = std::move(dataset.attributes);
  if (place.runs[0].opaque) {
    opaque_[field.name] = [this, path = dataset.path, type = field.type, count = field.components](
                              std::uint64_t component, const Slice& rows, const View& out) {
      read_kept(path, [&](hid_t id) {
        if (count == 1) return read_dataset(file_->image(), id, path, type, rows, out, context_.memory_budget);
        read_component(id, path, type, component, rows, out, context_.memory_budget);
      });
    };
  }
  step_->description.fields.push_back(std::move(field));
  step_->fields.push_back(std::move(place));
}

void PlainDescriber::add_scalar(const PlainDataset& dataset) {
  std::vector<Attribute> own = dataset.attributes;
  Attribute attribute{take_quantity(dataset.path, dataset.data.type, own), {}};
  const Handle handle = open_dataset(dataset.path);
  if (attribute.type == Type::string) {
    PackedStrings text;
    read_dataset(file_->image(), handle.id(), dataset.path, attribute.type, {0, 1}, View(text, 1),
                 context_.memory_budget);
    attribute.value = Value(std::string(text[0]));
  } else {
    std::vector<std::byte> bytes(size_of(attribute.type));
    const View view(attribute.type, bytes.data(), 1, static_cast<std::ptrdiff_t>(bytes.size()));
    read_dataset(file_->image(), handle.id(), dataset.path, attribute.type, {0, 1}, view, context_.memory_budget);
    attribute.value = Value::numbers(attribute.type, {}, bytes);
  }
  step_->description.attributes.push_back(std::move(attribute));
}

Handle PlainDescriber::open_dataset(const std::string& path) const {
  return own(H5Dopen2(file_->id(), ("/" + path).c_str(), H5P_DEFAULT), "open the dataset", path);
}

void PlainDescriber::read_kept(const std::string& path, const std::function<void(hid_t)>& read) {
  kept_.read(file_, path, file_->id(), "/" + path, read);
}

void PlainDescriber::read_opaque(std::uint64_t index, const std::string& object, std::uint64_t component,
                                 const Slice& rows, const View& out) {
  if (!step(index)) throw Error(ErrorKind::missing, "there is no step at this index").in_file(context_.path);
  const auto found = opaque_.find(object);
  if (found == opaque_.end()) {
    throw Error(ErrorKind::internal, "the object is not opaque").on(object).in_file(context_.path);
  }
  guarded([&] { found->second(component, rows, out); });
}

}  // namespace quire::hdf5
