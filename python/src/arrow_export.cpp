// Tables for other libraries: blocks of NumPy memory as Arrow arrays, without a copy.

#include <cerrno>
#include <memory>
#include <string>
#include <vector>

#include "arrow_abi.hpp"
#include "bindings.hpp"
#include "text.hpp"

namespace nb = nanobind;

namespace quire::python {
namespace {

constexpr const char* schema_capsule = "arrow_schema";
constexpr const char* array_capsule = "arrow_array";
constexpr const char* stream_capsule = "arrow_array_stream";

/// Name, format and metadata of each column.
using ArrowColumns = ListOf<TupleOf<nb::str, nb::str, DictOf<nb::str>>>;
/// The number of rows and the buffers of each column.
using Batch = TupleOf<std::int64_t, ListOf<ListOf<AnyArray>>>;
using Batches = Typed<nb::iterable, Batch>;

/// Name, format and key-value pairs of a column, or of the whole table.
struct FieldText {
  std::string name;
  std::string format;
  std::string metadata;
};

struct TableText {
  FieldText whole;
  std::vector<FieldText> columns;
};

void append_length(std::string& bytes, std::size_t length) {
  const auto number = static_cast<std::int32_t>(length);
  bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
}

/// Key-value pairs as the interface encodes them; nothing for none.
std::string encode_metadata(const DictOf<nb::str>& pairs) {
  std::string bytes;
  if (pairs.size() == 0) return bytes;
  append_length(bytes, pairs.size());
  for (const auto& [key, value] : pairs) {
    for (const nb::handle item : {nb::handle(key), nb::handle(value)}) {
      const Text text = nb::cast<Text>(item);
      append_length(bytes, text.value.size());
      bytes += text.value;
    }
  }
  return bytes;
}

FieldText field_text(nb::handle name, nb::handle format, nb::handle metadata) {
  return {nb::cast<Text>(name).value, nb::cast<Text>(format).value,
          encode_metadata(nb::cast<DictOf<nb::str>>(metadata))};
}

TableText table_text(const ArrowColumns& columns, const DictOf<nb::str>& metadata) {
  TableText table{{"", "+s", encode_metadata(metadata)}, {}};
  for (const nb::handle item : columns) table.columns.push_back(field_text(item[0], item[1], item[2]));
  return table;
}

/// What an exported schema owns.
struct SchemaOwner {
  FieldText text;
  std::vector<ArrowSchema> children;
  std::vector<ArrowSchema*> pointers;
};

void release_schema(ArrowSchema* schema) {
  const std::unique_ptr<SchemaOwner> owner(static_cast<SchemaOwner*>(schema->private_data));
  for (ArrowSchema& child : owner->children) {
    if (child.release != nullptr) child.release(&child);
  }
  schema->release = nullptr;
}

/// Fills `out`, with places for the children.
SchemaOwner& fill_schema(ArrowSchema& out, const FieldText& text, std::size_t children) {
  auto owner = std::make_unique<SchemaOwner>();
  owner->text = text;
  owner->children.resize(children);
  for (ArrowSchema& child : owner->children) owner->pointers.push_back(&child);
  out = {};
  out.format = owner->text.format.c_str();
  out.name = owner->text.name.c_str();
  out.metadata = owner->text.metadata.empty() ? nullptr : owner->text.metadata.data();
  out.n_children = static_cast<std::int64_t>(children);
  out.children = owner->pointers.data();
  out.release = &release_schema;
  out.private_data = owner.get();
  return *owner.release();
}

void export_schema(ArrowSchema& out, const TableText& table) {
  SchemaOwner& owner = fill_schema(out, table.whole, table.columns.size());
  for (std::size_t i = 0; i < table.columns.size(); ++i) fill_schema(owner.children[i], table.columns[i], 0);
}

/// What an exported array owns: the memory of its buffers stays as long as it is not released.
struct ArrayOwner {
  std::vector<Py_buffer> views;
  std::vector<const void*> buffers;
  std::vector<ArrowArray> children;
  std::vector<ArrowArray*> pointers;
};

/// Called by any thread of the consumer, perhaps without the interpreter lock.
void release_array(ArrowArray* array) {
  auto* owner = static_cast<ArrayOwner*>(array->private_data);
  array->release = nullptr;
  for (ArrowArray& child : owner->children) {
    if (child.release != nullptr) child.release(&child);
  }
  if (!owner->views.empty()) {
    if (!nb::is_alive()) return;  // the interpreter has gone, and its memory with it
    const nb::gil_scoped_acquire lock;
    for (Py_buffer& view : owner->views) PyBuffer_Release(&view);
  }
  delete owner;
}

ArrayOwner& fill_array(ArrowArray& out, std::int64_t length, std::size_t children) {
  auto owner = std::make_unique<ArrayOwner>();
  owner->children.resize(children);
  for (ArrowArray& child : owner->children) owner->pointers.push_back(&child);
  owner->buffers.push_back(nullptr);  // no value is missing
  out = {};
  out.length = length;
  out.n_buffers = 1;
  out.n_children = static_cast<std::int64_t>(children);
  out.buffers = owner->buffers.data();
  out.children = owner->pointers.data();
  out.release = &release_array;
  out.private_data = owner.get();
  return *owner.release();
}

/// One column: `buffers` are contiguous NumPy arrays, in the order of the interface, after the validity.
void fill_column(ArrowArray& out, std::int64_t length, nb::handle buffers) {
  ArrayOwner& owner = fill_array(out, length, 0);
  for (const nb::handle buffer : buffers) {
    Py_buffer view;
    if (PyObject_GetBuffer(buffer.ptr(), &view, PyBUF_C_CONTIGUOUS) != 0) throw nb::python_error();
    owner.views.push_back(view);
    owner.buffers.push_back(view.buf);
  }
  out.n_buffers = static_cast<std::int64_t>(owner.buffers.size());
  out.buffers = owner.buffers.data();
}

/// A batch: the number of rows and the buffers of each column.
void export_batch(ArrowArray& out, nb::handle batch) {
  const auto length = nb::cast<std::int64_t>(batch[0]);
  const auto columns = nb::cast<nb::list>(batch[1]);
  ArrayOwner& owner = fill_array(out, length, columns.size());
  try {
    for (std::size_t i = 0; i < columns.size(); ++i) fill_column(owner.children[i], length, columns[i]);
  } catch (...) {
    out.release(&out);
    throw;
  }
}

template <class Structure>
void destroy_capsule(PyObject* capsule) {
  auto* structure = static_cast<Structure*>(PyCapsule_GetPointer(capsule, PyCapsule_GetName(capsule)));
  if (structure == nullptr) return;
  if (structure->release != nullptr) structure->release(structure);
  delete structure;
}

/// A capsule that owns the structure until a consumer takes it.
template <class Structure>
nb::any in_capsule(std::unique_ptr<Structure> structure, const char* name) {
  PyObject* capsule = PyCapsule_New(structure.get(), name, &destroy_capsule<Structure>);
  if (capsule == nullptr) throw nb::python_error();
  static_cast<void>(structure.release());
  return nb::steal<nb::any>(capsule);
}

/// A stream whose batches a Python iterator makes when they are asked for.
struct StreamOwner {
  TableText table;
  PyObject* batches = nullptr;
  std::string error;
};

StreamOwner& owner_of(ArrowArrayStream* stream) { return *static_cast<StreamOwner*>(stream->private_data); }

int stream_schema(ArrowArrayStream* stream, ArrowSchema* out) {
  export_schema(*out, owner_of(stream).table);
  return 0;
}

int stream_next(ArrowArrayStream* stream, ArrowArray* out) {
  StreamOwner& owner = owner_of(stream);
  const nb::gil_scoped_acquire lock;
  *out = {};
  try {
    const nb::object batch = nb::steal(PyIter_Next(owner.batches));
    if (batch.is_valid()) {
      export_batch(*out, batch);
    } else if (PyErr_Occurred() != nullptr) {
      throw nb::python_error();
    }
    return 0;
  } catch (const nb::python_error& failure) {
    owner.error = nb::str(failure.value()).c_str();
  } catch (const std::exception& failure) {
    owner.error = failure.what();
  }
  return EIO;
}

const char* stream_error(ArrowArrayStream* stream) {
  const StreamOwner& owner = owner_of(stream);
  return owner.error.empty() ? nullptr : owner.error.c_str();
}

void release_stream(ArrowArrayStream* stream) {
  const std::unique_ptr<StreamOwner> owner(static_cast<StreamOwner*>(stream->private_data));
  stream->release = nullptr;
  if (!nb::is_alive()) return;
  const nb::gil_scoped_acquire lock;
  Py_XDECREF(owner->batches);
}

nb::any make_stream(const ArrowColumns& columns, const DictOf<nb::str>& metadata, Unchecked<Batches> batches) {
  auto owner = std::make_unique<StreamOwner>();
  owner->table = table_text(columns, metadata);
  owner->batches = nb::iter(batches).release().ptr();
  auto stream = std::make_unique<ArrowArrayStream>();
  *stream = {&stream_schema, &stream_next, &stream_error, &release_stream, owner.release()};
  return in_capsule(std::move(stream), stream_capsule);
}

nb::any make_schema(const ArrowColumns& columns, const DictOf<nb::str>& metadata) {
  auto schema = std::make_unique<ArrowSchema>();
  export_schema(*schema, table_text(columns, metadata));
  return in_capsule(std::move(schema), schema_capsule);
}

nb::any make_array(Unchecked<Batch> batch) {
  auto array = std::make_unique<ArrowArray>();
  export_batch(*array, batch);
  return in_capsule(std::move(array), array_capsule);
}

}  // namespace

void bind_arrow_export(nb::module_& module) {
  module.def("arrow_schema", &make_schema, nb::arg("columns"), nb::arg("metadata"));
  module.def("arrow_array", &make_array, nb::arg("batch"));
  module.def("arrow_stream", &make_stream, nb::arg("columns"), nb::arg("metadata"), nb::arg("batches"));
}

}  // namespace quire::python
