#include <algorithm>
#include <cstring>
#include <iterator>
#include <memory>
#include <type_traits>
#include <utility>

#include "api/root.hpp"
#include "capi/handle.hpp"
#include "quire/base/error.hpp"
#include "quire/format/format.hpp"
#include "quire/quire.h"

namespace {

using quire::Error;
using quire::ErrorKind;

static_assert(QUIRE_INT8 == static_cast<int>(quire::Type::int8));
static_assert(QUIRE_UINT64 == static_cast<int>(quire::Type::uint64));
static_assert(QUIRE_FLOAT80 == static_cast<int>(quire::Type::float80));
static_assert(QUIRE_CHARACTER == static_cast<int>(quire::Type::character));
static_assert(QUIRE_STRING == static_cast<int>(quire::Type::string));

Error usage(const char* message) { return {ErrorKind::usage, message}; }

const char* not_null(const char* text, const char* what) {
  if (text == nullptr) throw Error(ErrorKind::usage, std::string(what) + " is a null pointer");
  return text;
}

std::string text_or_empty(const char* text) { return text != nullptr ? text : ""; }

quire::Type type_of(quire_type type) {
  if (type < QUIRE_INT8 || type > QUIRE_STRING) throw usage("the type is unknown");
  return static_cast<quire::Type>(type);
}

quire::Type number_type(quire_type type) {
  if (type == QUIRE_STRING) {
    throw Error(ErrorKind::unsupported, "columns of strings are not part of the C interface")
        .advise("texts are attributes: quire_set_text, quire_get_text");
  }
  return type_of(type);
}

quire::Writer& writer_of(quire_file& file) {
  if (!file.writer) throw usage(file.reader ? "the file is open for reading" : "the file is not open");
  return *file.writer;
}

quire::Reader& reader_of(quire_file& file) {
  if (!file.reader) throw usage(file.writer ? "the file is open for writing" : "the file is not open");
  return *file.reader;
}

quire::WriteStep& open_step(quire_file& file) {
  writer_of(file);
  if (!file.write_step) throw usage("no step is open").advise("call quire_step first");
  return *file.write_step;
}

quire::ReadStep& chosen_step(quire_file& file) {
  reader_of(file);
  if (!file.read_step) throw usage("no step was chosen").advise("call quire_step first");
  return *file.read_step;
}

/// The communicator of calls without one.
quire::Comm only_process() {
  try {
    return quire::Comm::only_process();
  } catch (Error& error) {
    throw error.advise(
        "call the function of quire_mpi.h for MPI_COMM_WORLD if all ranks make this call together, or for "
        "MPI_COMM_SELF if this rank works alone");
  }
}

/// Like guarded(), but a failure inside an open step prevents a commit of that step without the value.
quire_status guarded_in_step(quire_file* file, const std::function<void()>& action) noexcept {
  return quire::capi::guarded(file, [&] {
    const auto error = quire::caught(action);
    if (!error) return;
    if (file->write_step && !file->refused) file->refused = error;
    throw Error(*error);
  });
}

const quire::Attribute& find_attribute(quire_file& file, const std::string& name) {
  const auto& of_file = reader_of(file).description().attributes;
  const bool in_step = file.read_step && file.read_step->has_attribute(name);
  const auto found = std::ranges::find(of_file, name, &quire::Attribute::name);
  if (!in_step && found != of_file.end()) return *found;
  if (file.read_step) return file.read_step->attribute(name);
  std::vector<std::string> names;
  std::ranges::transform(of_file, std::back_inserter(names), &quire::Attribute::name);
  throw Error(ErrorKind::missing, "the file has no attribute \"" + name + "\"" + quire::nearest_names(name, names));
}

void set_attribute(quire_file& file, std::string name, quire::Value value, std::string unit) {
  if (file.write_step) {
    file.write_step->set(std::move(name), std::move(value), std::move(unit));
  } else {
    writer_of(file).set(std::move(name), std::move(value), std::move(unit));
  }
}

quire::Quantity quantity_of(const char* name, quire::Type type, const char* unit) {
  quire::Quantity quantity;
  quantity.name = not_null(name, "the name");
  quantity.type = type;
  quantity.unit = text_or_empty(unit);
  return quantity;
}

/// Adds to what every step has. Definitions that are refused are not kept.
quire_status define(quire_file* file, const std::function<void(quire::StepDescription&)>& add) noexcept {
  return quire::capi::guarded(file, [&] {
    quire::StepDescription defined = file->defined;
    add(defined);
    writer_of(*file).declare(defined);
    file->defined = std::move(defined);
  });
}

/// The rows of the table that is written. A pointer does not state the number of its values.
std::uint64_t known_rows(const quire_file& file, const std::string& column) {
  const auto found = file.rows.find(file.table);
  if (found != file.rows.end()) return found->second;
  throw usage("the number of rows of this rank is not known").on(column).advise("call quire_set_rows before quire_put");
}

void choose_rows(quire_file& file, const quire::RowSelection& rows, const std::uint64_t* total) {
  open_step(file).rows_at(rows, total != nullptr ? std::optional(*total) : std::nullopt);
  file.rows[file.table] = rows.count();
}

const quire::Box& chosen_box(const quire_file& file) {
  if (!file.box) throw usage("no box was chosen").advise("call quire_set_box first");
  return *file.box;
}

quire::Field field_to_write(const quire_file& file, const char* name, const char* unit) {
  quire::Field field;
  field.name = not_null(name, "the name of the field");
  field.unit = text_or_empty(unit);
  field.extents = file.extents;
  if (chosen_box(file).start.size() == field.extents.size()) return field;
  throw usage("the extents of the field are not known").on(field.name).advise("pass them to quire_set_box");
}

/// Views of the components of a box, of either kind.
template <class AnyView, class Memory>
std::vector<AnyView> component_views(const quire_file& file, quire_type type, uint64_t components,
                                     Memory* const* values) {
  using Bytes = std::conditional_t<std::is_const_v<Memory>, const std::byte, std::byte>;
  const quire::Type of = number_type(type);
  const std::uint64_t elements = quire::volume(chosen_box(file).count);
  if (values == nullptr && components > 0) throw usage("the values are a null pointer");
  std::vector<AnyView> views;
  for (uint64_t component = 0; component < components; ++component) {
    if (values[component] == nullptr && elements > 0) throw usage("the values of a component are a null pointer");
    views.emplace_back(of, static_cast<Bytes*>(values[component]), elements,
                       static_cast<std::ptrdiff_t>(quire::size_of(of)));
  }
  return views;
}

/// Throws a usage error in a quire_fill.
void refuse_in_fill(const quire_file& file) {
  if (file.is_filling) throw usage("quire_write_file() does this itself: its fill only sets and puts");
}

/// A collective call of a step before its commit. If it fails the step ends: a rank that cannot commit it any more
/// aborts it, and the others receive the reason.
quire_status collective_in_step(quire_file* file, void (quire::WriteStep::*call)()) noexcept {
  return quire::capi::guarded(file, [&] {
    refuse_in_fill(*file);
    open_step(*file);
    if (file->is_placed && !file->refused) file->refused = usage("the step is placed already");
    if (!file->refused) {
      try {
        return (*file->write_step.*call)();
      } catch (const Error&) {
        file->write_step.reset();
        throw;
      }
    }
    quire::WriteStep step = *std::exchange(file->write_step, std::nullopt);
    const Error refused = *std::exchange(file->refused, std::nullopt);
    step.abort(refused.message());
    throw Error(refused);
  });
}

/// Memory for rows of a column.
quire::ReadColumn column_view(const char* column, quire_type type, uint64_t count, void* values) {
  const quire::Type of = number_type(type);
  if (values == nullptr && count > 0) throw usage("the values are a null pointer").on(text_or_empty(column));
  const quire::View view(of, static_cast<std::byte*>(values), count, static_cast<std::ptrdiff_t>(quire::size_of(of)));
  return {not_null(column, "the name of the column"), view};
}

/// Memory for the chosen box of a field.
std::vector<quire::View> field_views(const quire_file& file, const char* field, quire_type type, uint64_t components,
                                     void* const* values) {
  static_cast<void>(not_null(field, "the name of the field"));
  return component_views<quire::View>(file, type, components, values);
}

/// Returns the request of this rank in a collective read. All ranks throw the error of a request that is invalid.
template <class Request>
auto agreeable(const quire::ReadStep& step, const Request& request) {
  std::optional<decltype(request())> mine;
  if (const auto error = quire::caught([&] { mine.emplace(request()); })) step.refuse_read(*error);
  return *std::move(mine);
}

const quire::Table& chosen_table(quire_file& file) {
  const quire::StepDescription& step = chosen_step(file).description();
  return step.tables.at(step.find_table(file.table));
}

}  // namespace

extern "C" {

quire_status quire_create(const char* path, const quire_options* options, quire_file** file) {
  return quire::capi::create(path, only_process, options, file);
}

quire_status quire_write_file(const char* path, int64_t number, quire_fill fill, void* data,
                              const quire_options* options, quire_file** file) {
  return quire::capi::write_file(path, number, fill, data, only_process, options, file);
}

quire_status quire_append(const char* path, const int64_t* after, int drop_later, const quire_options* options,
                          quire_file** file) {
  return quire::capi::append(path, after, drop_later != 0, only_process, options, file);
}

quire_status quire_open(const char* path, const quire_options* options, quire_file** file) {
  return quire::capi::open(path, only_process, options, file);
}

quire_status quire_define_attribute(quire_file* file, const char* name, quire_type type, const char* unit) {
  return define(file, [&](quire::StepDescription& step) {
    const quire::Quantity quantity = quantity_of(name, type_of(type), unit);
    const std::vector<std::byte> zero(quire::size_of(quantity.type));
    const bool is_text = quantity.type == quire::Type::string;
    step.attributes.push_back({quantity, is_text ? quire::Value("") : quire::Value::numbers(quantity.type, {}, zero)});
  });
}

quire_status quire_define_column(quire_file* file, const char* table, const char* column, quire_type type,
                                 const char* unit) {
  return define(file, [&](quire::StepDescription& step) {
    const std::string name = text_or_empty(table);
    auto found = std::ranges::find(step.tables, name, &quire::Table::name);
    if (found == step.tables.end()) found = step.tables.insert(found, quire::Table{.name = name, .columns = {}});
    found->columns.push_back({quantity_of(column, number_type(type), unit)});
  });
}

quire_status quire_define_field(quire_file* file, const char* field, quire_type type, uint64_t axes,
                                uint64_t components, const char* unit) {
  return define(file, [&](quire::StepDescription& step) {
    quire::Field& defined = step.fields.emplace_back();
    static_cast<quire::Quantity&>(defined) = quantity_of(field, number_type(type), unit);
    defined.extents.assign(axes, 0);
    defined.components = components;
  });
}

quire_status quire_step(quire_file* file, int64_t number) {
  return quire::capi::guarded(file, [&] {
    refuse_in_fill(*file);
    if (file->reader) {
      file->read_step = file->reader->step(number);
    } else {
      file->write_step = writer_of(*file).step(number);
    }
    file->table.clear();
    file->rows.clear();
    file->box.reset();
    file->is_placed = false;
    file->refused.reset();
  });
}

quire_status quire_steps(quire_file* file, uint64_t capacity, int64_t* numbers, uint64_t* count) {
  return quire::capi::guarded(file, [&] {
    const auto all = reader_of(*file).numbers();
    if (count == nullptr) throw usage("the count is a null pointer");
    if (numbers == nullptr && capacity > 0) throw usage("the numbers are a null pointer");
    *count = all.size();
    std::copy_n(all.begin(), std::min<std::uint64_t>(capacity, all.size()), numbers);
  });
}

quire_status quire_set(quire_file* file, const char* name, quire_type type, uint64_t count, const void* values,
                       const char* unit) {
  return guarded_in_step(file, [&] {
    const quire::Type of = number_type(type);
    if (values == nullptr && count > 0) throw usage("the values are a null pointer");
    const std::span bytes(static_cast<const std::byte*>(values), count * quire::size_of(of));
    const auto shape = count == 1 ? std::vector<std::uint64_t>{} : std::vector<std::uint64_t>{count};
    set_attribute(*file, not_null(name, "the name"), quire::Value::numbers(of, shape, bytes), text_or_empty(unit));
  });
}

quire_status quire_set_text(quire_file* file, const char* name, const char* text) {
  return guarded_in_step(
      file, [&] { set_attribute(*file, not_null(name, "the name"), quire::Value(not_null(text, "the text")), ""); });
}

quire_status quire_get(quire_file* file, const char* name, quire_type type, uint64_t capacity, void* values,
                       uint64_t* count) {
  return quire::capi::guarded(file, [&] {
    const quire::Type of = number_type(type);
    const quire::Value& value = find_attribute(*file, not_null(name, "the name")).value;
    if (count != nullptr) *count = value.count();
    if (capacity < value.count()) throw usage("the attribute has more values than fit into the memory").on(name);
    if (values == nullptr && value.count() > 0) throw usage("the values are a null pointer");
    const quire::Value converted = value.converted_to(of);
    std::ranges::copy(converted.bytes(), static_cast<std::byte*>(values));
  });
}

quire_status quire_get_text(quire_file* file, const char* name, uint64_t capacity, char* text, uint64_t* length) {
  return quire::capi::guarded(file, [&] {
    const quire::Value& value = find_attribute(*file, not_null(name, "the name")).value;
    const std::string all = value.as_text();
    if (length != nullptr) *length = all.size();
    if (text == nullptr) throw usage("the text is a null pointer");
    if (capacity <= all.size()) throw usage("the text is longer than the memory").on(name);
    std::memcpy(text, all.c_str(), all.size() + 1);
  });
}

quire_status quire_table(quire_file* file, const char* name) {
  return guarded_in_step(file, [&] {
    if (file->writer) {
      open_step(*file).table(text_or_empty(name));
    } else {
      const quire::StepDescription& step = chosen_step(*file).description();
      static_cast<void>(step.find_table(text_or_empty(name)));
    }
    file->table = text_or_empty(name);
  });
}

quire_status quire_set_rows(quire_file* file, uint64_t rows) {
  return guarded_in_step(file, [&] {
    open_step(*file).rows(rows);
    file->rows[file->table] = rows;
  });
}

quire_status quire_set_row_list(quire_file* file, uint64_t count, const uint64_t* rows, const uint64_t* total) {
  return guarded_in_step(file, [&] {
    if (count > 0 && rows == nullptr) throw usage("the list of rows is a null pointer");
    choose_rows(*file, std::vector<std::uint64_t>(rows, rows + count), total);
  });
}

quire_status quire_set_row_blocks(quire_file* file, uint64_t start, uint64_t stride, uint64_t count, uint64_t block,
                                  const uint64_t* total) {
  return guarded_in_step(file, [&] {
    choose_rows(*file, quire::Hyperslab{{start}, {stride}, {count}, {block}}, total);
  });
}

quire_status quire_get_rows(quire_file* file, uint64_t* rows) {
  return quire::capi::guarded(file, [&] {
    if (rows == nullptr) throw usage("the rows are a null pointer");
    *rows = chosen_table(*file).rows;
  });
}

quire_status quire_put(quire_file* file, const char* column, quire_type type, const void* values, const char* unit) {
  return guarded_in_step(file, [&] {
    quire::WriteStep& step = open_step(*file);
    const quire::Type of = number_type(type);
    const std::uint64_t rows = known_rows(*file, text_or_empty(column));
    if (values == nullptr && rows > 0) throw usage("the values are a null pointer").on(text_or_empty(column));
    const quire::ConstView view(of, static_cast<const std::byte*>(values), rows,
                                static_cast<std::ptrdiff_t>(quire::size_of(of)));
    step.put(not_null(column, "the name of the column"), view, text_or_empty(unit));
  });
}

quire_status quire_set_box(quire_file* file, uint64_t axes, const uint64_t* extents, const uint64_t* start,
                           const uint64_t* count) {
  return guarded_in_step(file, [&] {
    if (!file->writer && !file->reader) throw usage("the file is not open");
    if (axes > 0 && (start == nullptr || count == nullptr)) throw usage("a list of the box is a null pointer");
    file->extents.clear();
    if (extents != nullptr) file->extents.assign(extents, extents + axes);
    file->box = quire::Box{{start, start + axes}, {count, count + axes}};
  });
}

quire_status quire_put_field(quire_file* file, const char* field, quire_type type, uint64_t components,
                             const void* const* values, const char* unit) {
  return guarded_in_step(file, [&] {
    quire::WriteStep& step = open_step(*file);
    step.put_field(field_to_write(*file, field, unit), chosen_box(*file),
                   component_views<quire::ConstView>(*file, type, components, values));
  });
}

quire_status quire_declare_field(quire_file* file, const char* field, quire_type type, uint64_t components,
                                 const char* unit) {
  return guarded_in_step(file, [&] {
    quire::WriteStep& step = open_step(*file);
    quire::Field declared = field_to_write(*file, field, unit);
    declared.type = number_type(type);
    declared.components = components;
    step.declare_field(std::move(declared), chosen_box(*file));
  });
}

quire_status quire_get_chunk(quire_file* file, const char* field, quire_type type, uint64_t components, uint64_t axes,
                             const uint64_t* extents, uint64_t* shape) {
  return quire::capi::guarded(file, [&] {
    if (axes > 0 && (extents == nullptr || shape == nullptr)) throw usage("a list of the chunk is a null pointer");
    quire::Field asked;
    asked.name = not_null(field, "the name of the field");
    asked.type = number_type(type);
    asked.components = components;
    asked.extents.assign(extents, extents + axes);
    const std::vector<std::uint64_t> chunk = open_step(*file).field_chunk(asked);
    std::fill_n(shape, axes, 0);
    std::copy_n(chunk.begin(), std::min<std::uint64_t>(axes, chunk.size()), shape);
  });
}

int quire_weighs_values(const quire_file* file) {
  return file != nullptr && file->writer && file->writer->weighs_values() ? 1 : 0;
}

quire_status quire_agree_on_rows(quire_file* file) {
  return collective_in_step(file, &quire::WriteStep::agree_on_rows);
}

quire_status quire_weigh_field(quire_file* file, const char* field, quire_type type, uint64_t components,
                               const void* const* values) {
  return guarded_in_step(file, [&] {
    open_step(*file).weigh_field(not_null(field, "the name of the field"), chosen_box(*file),
                                 component_views<quire::ConstView>(*file, type, components, values));
  });
}

quire_status quire_open_step(quire_file* file) {
  const quire_status status = collective_in_step(file, &quire::WriteStep::open);
  if (status == QUIRE_OK) file->is_placed = true;
  return status;
}

quire_status quire_write_field(quire_file* file, const char* field, quire_type type, uint64_t components,
                               const void* const* values) {
  return guarded_in_step(file, [&] {
    open_step(*file).write_field(not_null(field, "the name of the field"), chosen_box(*file),
                                 component_views<quire::ConstView>(*file, type, components, values));
  });
}

quire_status quire_get_extents(quire_file* file, const char* field, uint64_t capacity, uint64_t* extents,
                               uint64_t* axes, uint64_t* components) {
  return quire::capi::guarded(file, [&] {
    const quire::StepDescription& step = chosen_step(*file).description();
    const quire::Field& found = step.fields.at(step.find_field(not_null(field, "the name of the field")));
    if (axes != nullptr) *axes = found.extents.size();
    if (components != nullptr) *components = found.components;
    if (capacity < found.extents.size()) throw usage("the field has more axes than fit into the memory").on(field);
    if (extents == nullptr && !found.extents.empty()) throw usage("the extents are a null pointer");
    std::ranges::copy(found.extents, extents);
  });
}

quire_status quire_read_field(quire_file* file, const char* field, quire_type type, uint64_t components,
                              void* const* values) {
  return quire::capi::guarded(file, [&] {
    const quire::ReadStep& step = chosen_step(*file);
    const auto views = field_views(*file, field, type, components, values);
    step.read_field(field, chosen_box(*file), views);
  });
}

quire_status quire_read_field_all(quire_file* file, const char* field, quire_type type, uint64_t components,
                                  void* const* values) {
  return quire::capi::guarded(file, [&] {
    const quire::ReadStep& step = chosen_step(*file);
    const auto views = agreeable(step, [&] { return field_views(*file, field, type, components, values); });
    step.read_field_all(field, chosen_box(*file), views);
  });
}

quire_status quire_commit(quire_file* file) {
  return quire::capi::guarded(file, [&] {
    refuse_in_fill(*file);
    open_step(*file);
    // The step ends in all cases.
    quire::WriteStep step = *std::exchange(file->write_step, std::nullopt);
    if (const auto refused = std::exchange(file->refused, std::nullopt)) {
      step.abort(refused->message());
      throw *refused;
    }
    step.commit();
  });
}

quire_status quire_abort(quire_file* file, const char* reason) {
  return quire::capi::guarded(file, [&] {
    refuse_in_fill(*file);
    open_step(*file);
    quire::WriteStep step = *std::exchange(file->write_step, std::nullopt);
    file->refused.reset();
    step.abort(reason != nullptr ? reason : "no reason given");
  });
}

quire_status quire_read(quire_file* file, const char* column, quire_type type, uint64_t first, uint64_t count,
                        void* values) {
  return quire::capi::guarded(file, [&] {
    const quire::ReadStep& step = chosen_step(*file);
    step.read(file->table, quire::Slice{first, count}, {column_view(column, type, count, values)});
  });
}

quire_status quire_read_all(quire_file* file, const char* column, quire_type type, uint64_t first, uint64_t count,
                            void* values) {
  return quire::capi::guarded(file, [&] {
    const quire::ReadStep& step = chosen_step(*file);
    const auto view = agreeable(step, [&] { return column_view(column, type, count, values); });
    step.read_all(file->table, quire::Slice{first, count}, {view});
  });
}

quire_status quire_close(quire_file* file) {
  return quire::capi::guarded(file, [&] {
    refuse_in_fill(*file);
    if (!file->writer && !file->reader) throw usage("the file is not open");
    file->write_step.reset();
    file->read_step.reset();
    if (auto reader = std::exchange(file->reader, std::nullopt)) reader->close();
    if (auto writer = std::exchange(file->writer, std::nullopt)) writer->close();
  });
}

void quire_free(quire_file* file) {
  if (file != nullptr && file->is_filling) return;  // quire_write_file() still uses it
  const std::unique_ptr<quire_file> mine(file);
}

const char* quire_error_message(const quire_file* file) {
  return file != nullptr ? file->message.c_str() : "the handle is null";
}

const char* quire_status_name(quire_status status) {
  if (status == QUIRE_OK) return "ok";
  if (status < QUIRE_OK || status > QUIRE_INTERNAL) return "unknown";
  return quire::name(static_cast<ErrorKind>(static_cast<int>(status) - 1));
}

const char* quire_format_name(uint64_t index) {
  // Names are literals, so a zero byte follows them.
  return index < quire::formats().size() ? quire::formats()[index]->name.data() : nullptr;
}

int quire_format_holds_one_step(const char* name) {
  if (name == nullptr) return 0;
  const auto& formats = quire::formats();
  return std::ranges::any_of(formats, [=](const auto* one) { return one->name == name && one->holds_one_step; });
}

int quire_format_holds_streams(const char* name) {
  if (name == nullptr) return 0;
  const auto& formats = quire::formats();
  return std::ranges::any_of(formats, [=](const auto* one) { return one->name == name && one->holds_streams; });
}

int quire_format_holds_tables(const char* name) {
  if (name == nullptr) return 0;
  const auto& formats = quire::formats();
  return std::ranges::any_of(formats, [=](const auto* one) { return one->name == name && one->holds_tables; });
}

}  // extern "C"
