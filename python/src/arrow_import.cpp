// Tables of other libraries: Arrow arrays as NumPy memory, without a copy where they hold numbers.

#include <nanobind/stl/string.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "arrow_abi.hpp"
#include "bindings.hpp"
#include "quire/base/error.hpp"
#include "quire/spi/base/load.hpp"
#include "text.hpp"

namespace nb = nanobind;

namespace quire::python {
namespace {

/// Releases a structure of the interface at the end of its life.
template <class Structure>
class Released {
 public:
  Released() = default;
  /// Takes the contents of a capsule, which is empty afterwards.
  Released(nb::handle capsule, const char* name) {
    auto* held = static_cast<Structure*>(PyCapsule_GetPointer(capsule.ptr(), name));
    if (held == nullptr) throw nb::python_error();
    structure_ = *held;
    held->release = nullptr;
  }
  Released(Released&& other) noexcept : structure_(other.structure_) { other.structure_.release = nullptr; }
  Released& operator=(Released&&) = delete;
  ~Released() {
    if (structure_.release != nullptr) structure_.release(&structure_);
  }
  Structure* get() { return &structure_; }
  const Structure& operator*() const { return structure_; }
  const Structure* operator->() const { return &structure_; }

 private:
  Structure structure_{};
};

template <class Number>
Number load(const void* memory, std::int64_t place) {
  return load_at<Number>(static_cast<const std::byte*>(memory) + place * static_cast<std::int64_t>(sizeof(Number)));
}

std::size_t bytes_of(char format) {
  switch (format) {
    case 'c':
    case 'C':
      return 1;
    case 's':
    case 'S':
    case 'e':
      return 2;
    case 'i':
    case 'I':
    case 'f':
      return 4;
    case 'l':
    case 'L':
    case 'g':
      return 8;
    default:
      throw Error(ErrorKind::internal, std::string("the Arrow format ") + format + " is no number");
  }
}

/// One of the integers that may point into a dictionary.
std::int64_t load_index(char format, const void* memory, std::int64_t place) {
  switch (format) {
    case 'c':
      return load<std::int8_t>(memory, place);
    case 'C':
      return load<std::uint8_t>(memory, place);
    case 's':
      return load<std::int16_t>(memory, place);
    case 'S':
      return load<std::uint16_t>(memory, place);
    case 'i':
      return load<std::int32_t>(memory, place);
    case 'I':
      return load<std::uint32_t>(memory, place);
    default:
      return load<std::int64_t>(memory, place);
  }
}

/// Text `place` (counted with the offset) of an array of any text or bytes format.
std::string_view text_at(std::string_view format, const ArrowArray& array, std::int64_t place) {
  const auto between = [&](std::int64_t first, std::int64_t last) {
    return std::string_view(static_cast<const char*>(array.buffers[2]) + first, static_cast<std::size_t>(last - first));
  };
  if (format == "u" || format == "z") {
    return between(load<std::int32_t>(array.buffers[1], place), load<std::int32_t>(array.buffers[1], place + 1));
  }
  if (format == "U" || format == "Z") {
    return between(load<std::int64_t>(array.buffers[1], place), load<std::int64_t>(array.buffers[1], place + 1));
  }
  if (format.starts_with("w:")) {
    const auto width = static_cast<std::size_t>(std::stoull(std::string(format.substr(2))));
    return {static_cast<const char*>(array.buffers[1]) + static_cast<std::size_t>(place) * width, width};
  }
  if (format != "vu" && format != "vz") {
    throw Error(ErrorKind::internal, "the Arrow format " + std::string(format) + " is no text");
  }
  // A view has 16 bytes: the length, and the text itself up to 12 bytes, else its beginning, a buffer and an offset.
  const auto* view = static_cast<const char*>(array.buffers[1]) + place * 16;
  const auto length = static_cast<std::size_t>(load<std::int32_t>(view, 0));
  if (length <= 12) return {view + 4, length};
  const auto* data = static_cast<const char*>(array.buffers[2 + load<std::int32_t>(view, 2)]);
  return {data + load<std::int32_t>(view, 3), length};
}

/// A table of another library, whole: its schema and its batches.
class ArrowTable {
 public:
  static ArrowTable from_stream(Unchecked<nb::any> capsule) {
    Released<ArrowArrayStream> stream(capsule, "arrow_array_stream");
    const nb::gil_scoped_release unlocked;
    ArrowTable table;
    expect(stream.get(), stream->get_schema(stream.get(), table.schema_.get()));
    while (true) {
      Released<ArrowArray> batch;
      expect(stream.get(), stream->get_next(stream.get(), batch.get()));
      if (batch->release == nullptr) break;
      table.batches_.push_back(std::move(batch));
    }
    return table;
  }
  static ArrowTable from_array(Unchecked<nb::any> schema, Unchecked<nb::any> array) {
    ArrowTable table(Released<ArrowSchema>(schema, "arrow_schema"));
    table.batches_.emplace_back(array, "arrow_array");
    return table;
  }

  [[nodiscard]] std::string format() const { return schema_->format; }

  /// Name, format, format of the dictionary (empty: none) and metadata of each column.
  [[nodiscard]] ListOf<TupleOf<nb::str, nb::str, nb::str, DictOf<nb::str>>> columns() const {
    nb::list columns;
    for (std::int64_t i = 0; i < schema_->n_children; ++i) {
      const ArrowSchema& child = *schema_->children[i];
      const char* dictionary = child.dictionary == nullptr ? "" : child.dictionary->format;
      columns.append(nb::make_tuple(decode(child.name == nullptr ? "" : child.name), child.format, dictionary,
                                    metadata_of(child)));
    }
    return columns;
  }

  [[nodiscard]] std::vector<std::int64_t> lengths() const {
    std::vector<std::int64_t> lengths;
    for (const auto& batch : batches_) lengths.push_back(batch->length);
    return lengths;
  }

  /// How many values of a column are missing. A dictionary may have missing entries that no row uses.
  [[nodiscard]] std::int64_t missing(std::size_t column) const {
    std::int64_t count = 0;
    for (const auto& batch : batches_) {
      const ArrowArray& array = *batch->children[column];
      count += missing_in(*batch, batch->offset, batch->length);
      count += missing_in(array, array.offset + batch->offset, batch->length);
      if (array.dictionary != nullptr) {
        count +=
            missing_entries(schema_->children[column]->format[0], array, array.offset + batch->offset, batch->length);
      }
    }
    return count;
  }

  /// The bytes of the numbers of one batch; the memory belongs to this object.
  [[nodiscard]] Array<const std::uint8_t> numbers(nb::handle self, std::size_t batch, std::size_t column) const {
    const ArrowArray& array = *batches_.at(batch)->children[column];
    const std::size_t size = bytes_of(schema_->children[column]->format[0]);
    const auto first = static_cast<std::size_t>(array.offset + batches_[batch]->offset);
    const auto length = static_cast<std::size_t>(batches_[batch]->length);
    static const std::uint8_t nothing = 0;
    const auto* data = length == 0 ? &nothing : static_cast<const std::uint8_t*>(array.buffers[1]) + first * size;
    return {data, {length * size}, self};
  }

  /// The texts of one batch.
  [[nodiscard]] Texts texts(std::size_t batch, std::size_t column) const {
    const ArrowArray& array = *batches_.at(batch)->children[column];
    const ArrowSchema& schema = *schema_->children[column];
    const std::int64_t first = array.offset + batches_[batch]->offset;
    nb::list texts;
    for (std::int64_t i = first; i < first + batches_[batch]->length; ++i) {
      if (array.dictionary == nullptr) {
        texts.append(decode(text_at(schema.format, array, i)));
      } else {
        const std::int64_t entry = load_index(schema.format[0], array.buffers[1], i) + array.dictionary->offset;
        texts.append(decode(text_at(schema.dictionary->format, *array.dictionary, entry)));
      }
    }
    return texts;
  }

 private:
  ArrowTable() = default;
  explicit ArrowTable(Released<ArrowSchema> schema) : schema_(std::move(schema)) {}

  static void expect(ArrowArrayStream* stream, int status) {
    if (status == 0) return;
    const char* words = stream->get_last_error(stream);
    throw Error(ErrorKind::io, words != nullptr ? words : "the Arrow stream ended by an error");
  }

  static bool may_miss(const ArrowArray& array) {
    return array.null_count != 0 && array.n_buffers != 0 && array.buffers[0] != nullptr;
  }
  static bool misses(const ArrowArray& array, std::int64_t place) {
    return (static_cast<const std::uint8_t*>(array.buffers[0])[place / 8] >> (place % 8) & 1) == 0;
  }

  static std::int64_t missing_in(const ArrowArray& array, std::int64_t first, std::int64_t length) {
    if (!may_miss(array)) return 0;
    std::int64_t count = 0;
    for (std::int64_t i = first; i < first + length; ++i) count += misses(array, i) ? 1 : 0;
    return count;
  }

  /// Of rows that are there, how many point to an entry of the dictionary that is not.
  static std::int64_t missing_entries(char format, const ArrowArray& array, std::int64_t first, std::int64_t length) {
    const ArrowArray& dictionary = *array.dictionary;
    if (!may_miss(dictionary)) return 0;
    std::int64_t count = 0;
    for (std::int64_t i = first; i < first + length; ++i) {
      if (may_miss(array) && misses(array, i)) continue;
      count += misses(dictionary, load_index(format, array.buffers[1], i) + dictionary.offset) ? 1 : 0;
    }
    return count;
  }

  static nb::dict metadata_of(const ArrowSchema& schema) {
    nb::dict pairs;
    const char* at = schema.metadata;
    if (at == nullptr) return pairs;
    const auto number = [&] {
      const auto value = load<std::int32_t>(at, 0);
      at += sizeof value;
      return value;
    };
    const auto text = [&] {
      const auto length = static_cast<std::size_t>(number());
      const std::string_view bytes(at, length);
      at += length;
      return decode(bytes);
    };
    for (std::int32_t left = number(); left > 0; --left) {
      const nb::object key = text();
      pairs[key] = text();
    }
    return pairs;
  }

  Released<ArrowSchema> schema_;
  std::vector<Released<ArrowArray>> batches_;
};

}  // namespace

void bind_arrow_import(nb::module_& module) {
  nb::class_<ArrowTable>(module, "ArrowTable")
      .def_static("from_stream", &ArrowTable::from_stream, nb::arg("stream"))
      .def_static("from_array", &ArrowTable::from_array, nb::arg("schema"), nb::arg("array"))
      .def_prop_ro("format", &ArrowTable::format)
      .def_prop_ro("columns", &ArrowTable::columns)
      .def_prop_ro("lengths", &ArrowTable::lengths)
      .def("missing", &ArrowTable::missing, nb::arg("column"))
      .def(
          "numbers",
          [](nb::handle self, std::size_t batch, std::size_t column) {
            return nb::cast<const ArrowTable&>(self).numbers(self, batch, column);
          },
          nb::arg("batch"), nb::arg("column"))
      .def("texts", &ArrowTable::texts, nb::arg("batch"), nb::arg("column"));
}

}  // namespace quire::python
