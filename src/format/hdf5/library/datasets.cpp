#include "format/hdf5/library/datasets.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

#include "format/hdf5/library/handle.hpp"
#include "format/hdf5/library/left_out.hpp"
#include "format/hdf5/library/text_references.hpp"
#include "format/hdf5/library/types.hpp"
#include "quire/spi/base/checked.hpp"

namespace quire::hdf5 {
namespace {

/// Longer texts are read through the library: decoders hold blocks of rows.
constexpr std::uint64_t longest_direct_text = std::uint64_t{64} << 10;

std::uint64_t direct_text_bytes(hid_t type) {
  const std::uint64_t bytes = bytes_of_texts(type);
  return bytes > longest_direct_text ? 0 : bytes;
}

/// The offset of the elements if they are contiguous in this file; 0 for an empty dataset.
std::optional<std::uint64_t> contiguous_offset(hid_t dataset, const std::string& name, std::uint64_t bytes,
                                               const FileEnds& ends) {
  if (bytes == 0) {
    const Handle creation = own(H5Dget_create_plist(dataset), "read the layout", name);
    const bool is_in_this_file =
        H5Pget_layout(creation.id()) == H5D_CONTIGUOUS && H5Pget_external_count(creation.id()) == 0;
    return is_in_this_file ? std::optional<std::uint64_t>(0) : std::nullopt;
  }
  // Defined for contiguous datasets only, and fifty times faster than the property list.
  const haddr_t offset = H5Dget_offset(dataset);
  if (offset == HADDR_UNDEF) return std::nullopt;
  // Without allocated space it means nothing: in a file with a user block it is not even undefined.
  H5D_space_status_t space = H5D_SPACE_STATUS_NOT_ALLOCATED;
  require(H5Dget_space_status(dataset, &space), "read the state of allocation", name);
  return space == H5D_SPACE_STATUS_ALLOCATED ? std::optional(ends.place(offset)) : std::nullopt;
}

/// A selection of elements of a dataset, and the dataspace of the memory for them.
struct Selection {
  Handle file;
  Handle memory;
};

/// The largest box at the beginning of a range of elements, counted in C order, that contains only these.
Box leading_box(const std::vector<std::uint64_t>& extents, const Slice& elements) {
  Box box{std::vector<std::uint64_t>(extents.size(), 0), std::vector<std::uint64_t>(extents.size(), 1)};
  std::uint64_t left = elements.first;
  for (std::size_t axis = extents.size(); axis-- > 0; left /= extents[axis]) box.start[axis] = left % extents[axis];
  std::uint64_t inner = 1;
  for (std::size_t axis = extents.size(); axis-- > 0; inner *= extents[axis]) {
    box.count[axis] = std::min(extents[axis] - box.start[axis], elements.count / inner);
    // The box can extend along the next axis only if it is whole along this one.
    if (box.count[axis] < extents[axis]) break;
  }
  return box;
}

/// The elements [first, first + count), counted in C order.
Selection select(hid_t dataset, const std::string& name, std::uint64_t first, std::uint64_t count) {
  Selection selection;
  selection.file = own(H5Dget_space(dataset), "read the shape", name);
  const hsize_t length = count;
  selection.memory = own(H5Screate_simple(1, &length, nullptr), "create a shape");
  const std::vector<std::uint64_t> extents = extents_of(dataset, name);
  if (extents.empty() || count == volume(extents)) return selection;
  // Several boxes: rows up to a whole layer, whole layers, and the rest of a layer.
  H5S_seloper_t operation = H5S_SELECT_SET;
  while (count > 0) {
    const Box box = leading_box(extents, {first, count});
    const std::vector<hsize_t> start(box.start.begin(), box.start.end());
    const std::vector<hsize_t> counts(box.count.begin(), box.count.end());
    require(H5Sselect_hyperslab(selection.file.id(), operation, start.data(), nullptr, counts.data(), nullptr),
            "select the elements", name);
    operation = H5S_SELECT_OR;
    first += volume(box.count);
    count -= volume(box.count);
  }
  return selection;
}

/// Throws type errors for views that do not hold every value of a type.
void check_types(Type type, Type wanted, const std::string& name) {
  const bool is_same_kind = (type == Type::string) == (wanted == Type::string);
  if (is_same_kind && (type == wanted || type == Type::string || converts_without_loss(type, wanted))) return;
  throw Error(ErrorKind::type, "values of type " + std::string(quire::name(type)) + " cannot be read as " +
                                   std::string(quire::name(wanted)))
      .on(name)
      .advise("read them as " + std::string(quire::name(type)));
}

void read_native(hid_t dataset, const std::string& name, const Slice& rows, const View& out) {
  const hid_t type = native_type(out.type);
  if (out.is_contiguous()) {
    const Selection all = select(dataset, name, rows.first, rows.count);
    require(H5Dread(dataset, type, all.memory.id(), all.file.id(), H5P_DEFAULT, out.data), "read the dataset", name);
    return;
  }
  const std::size_t width = size_of(out.type);
  const bool is_line = extents_of(dataset, name).size() == 1;
  const std::uint64_t step = is_line ? bytes_at_once / width : rows.count;
  std::vector<std::byte> block(static_cast<std::size_t>(std::min(step, rows.count) * width));
  for (std::uint64_t done = 0; done < rows.count; done += step) {
    const std::uint64_t count = std::min(step, rows.count - done);
    const Selection part = select(dataset, name, rows.first + done, count);
    require(H5Dread(dataset, type, part.memory.id(), part.file.id(), H5P_DEFAULT, block.data()), "read the dataset",
            name);
    for (std::uint64_t i = 0; i < count; ++i) {
      std::memcpy(out.data + static_cast<std::ptrdiff_t>(done + i) * out.stride, block.data() + i * width, width);
    }
  }
}

void read_fixed_texts(hid_t dataset, const std::string& name, hid_t type, const Slice& rows, PackedStrings& out) {
  const std::size_t length = H5Tget_size(type);
  const std::uint64_t step = std::max<std::uint64_t>(1, bytes_at_once / length);
  std::vector<char> block(static_cast<std::size_t>(std::min(step, rows.count) * length));
  for (std::uint64_t done = 0; done < rows.count; done += step) {
    const std::uint64_t count = std::min(step, rows.count - done);
    const Selection part = select(dataset, name, rows.first + done, count);
    require(H5Dread(dataset, type, part.memory.id(), part.file.id(), H5P_DEFAULT, block.data()), "read the dataset",
            name);
    for (std::uint64_t i = 0; i < count; ++i) {
      std::string_view text(block.data() + i * length, length);
      text = text.substr(0, std::min(text.find('\0'), text.size()));
      if (H5Tget_strpad(type) == H5T_STR_SPACEPAD) text = text.substr(0, text.find_last_not_of(' ') + 1);
      out.push_back(text);
    }
  }
}

void read_variable_texts(Image& image, hid_t dataset, const std::string& name, hid_t type, const Slice& rows,
                         PackedStrings& out) {
  const std::uint64_t step = bytes_at_once / sizeof(char*);
  for (std::uint64_t done = 0; done < rows.count; done += step) {
    const std::uint64_t count = std::min(step, rows.count - done);
    const Selection part = select(dataset, name, rows.first + done, count);
    const auto read_part = [&](hid_t as, void* values) {
      return H5Dread(dataset, as, part.memory.id(), part.file.id(), H5P_DEFAULT, values);
    };
    check_text_references(image, read_part, count);
    std::vector<char*> pointers(static_cast<std::size_t>(count), nullptr);
    require(read_part(type, pointers.data()), "read the dataset", name);
    for (const char* text : pointers) out.push_back(text == nullptr ? "" : text);
    H5Dvlen_reclaim(type, part.memory.id(), H5P_DEFAULT, pointers.data());
  }
}

void read_texts(Image& image, hid_t dataset, const std::string& name, const Slice& rows, const View& out) {
  const Handle type = own(H5Dget_type(dataset), "read the type", name);
  if (require(H5Tis_variable_str(type.id()), "read the type", name) > 0) {
    read_variable_texts(image, dataset, name, type.id(), rows, *out.strings);
  } else {
    read_fixed_texts(dataset, name, type.id(), rows, *out.strings);
  }
}

/// Elements that are arrays become additional dimensions of the dataset if they are contiguous in the file.
std::optional<DatasetDescription> describe_arrays(hid_t dataset, const std::string& name, const FileEnds& ends,
                                                  const ElementType& element, const StoredType& stored) {
  DatasetDescription description{.type = stored.type, .extents = {}, .run = {}};
  Run& run = description.run;
  run.cells = {Cell{.column = 0, .type = stored.type}};
  run.order = stored.direct.value_or(native_order);
  const std::vector<std::uint64_t> inner(element.extents.begin(), element.extents.end());
  const std::uint64_t count = volume(inner);
  const std::uint64_t width = size_of(stored.type);
  place_elements(dataset, name, ends, checked_multiply(count, width), stored.direct.has_value(), description);
  if (run.opaque) return std::nullopt;
  run.records = checked_multiply(run.records, count);
  run.record_bytes = width;
  description.extents.insert(description.extents.end(), inner.begin(), inner.end());
  return description;
}

}  // namespace

Handle open_dataset(hid_t group, const std::string& path) {
  return own(H5Dopen2(group, path.c_str(), H5P_DEFAULT), "open the dataset", path);
}

std::vector<std::uint64_t> extents_of(hid_t dataset, const std::string& name) {
  const Handle space = own(H5Dget_space(dataset), "read the shape", name);
  if (H5Sget_simple_extent_type(space.id()) == H5S_NULL) return {0};
  std::array<hsize_t, H5S_MAX_RANK> extents{};
  const int rank = require(H5Sget_simple_extent_dims(space.id(), extents.data(), nullptr), "read the shape", name);
  return {extents.begin(), extents.begin() + rank};
}

std::uint64_t chunk_bytes(hid_t dataset, const std::string& name) {
  const Handle creation = own(H5Dget_create_plist(dataset), "read the layout", name);
  if (H5Pget_layout(creation.id()) != H5D_CHUNKED) return 0;
  std::array<hsize_t, H5S_MAX_RANK> chunk{};
  const int rank =
      require(H5Pget_chunk(creation.id(), static_cast<int>(chunk.size()), chunk.data()), "read the chunk size", name);
  const Handle type = own(H5Dget_type(dataset), "read the type", name);
  std::uint64_t bytes = H5Tget_size(type.id());
  for (int axis = 0; axis < rank; ++axis) bytes = checked_multiply(bytes, chunk[static_cast<std::size_t>(axis)]);
  return bytes;
}

void check_storage(hid_t dataset, const std::string& name, std::uint64_t memory_budget) {
  const Handle creation = own(H5Dget_create_plist(dataset), "read the layout", name);
  const H5D_layout_t layout = H5Pget_layout(creation.id());
  if (layout == H5D_VIRTUAL || H5Pget_external_count(creation.id()) > 0) {
    throw Error(ErrorKind::unsupported, "the values are kept in other files")
        .on(name)
        .advise("copy them into this file with h5repack");
  }
  if (const std::uint64_t bytes = chunk_bytes(dataset, name); bytes > memory_budget) {
    throw Error(ErrorKind::memory, "one chunk takes " + std::to_string(bytes) + " bytes, more than the memory budget")
        .on(name)
        .advise("raise the budget, or rewrite the dataset with smaller chunks (h5repack)");
  }
}

void place_elements(hid_t dataset, const std::string& name, const FileEnds& ends, std::uint64_t element_bytes,
                    bool direct, DatasetDescription& data) {
  data.extents = extents_of(dataset, name);
  Run& run = data.run;
  run.records = volume(data.extents);
  // Row counters are signed in most languages.
  if (run.records > std::numeric_limits<std::int64_t>::max()) {
    throw Error(ErrorKind::bad_file, "the dataset claims " + std::to_string(run.records) + " elements").on(name);
  }
  run.record_bytes = element_bytes;
  run.bytes = checked_multiply(run.records, run.record_bytes);
  const std::optional<std::uint64_t> offset = direct ? contiguous_offset(dataset, name, run.bytes, ends) : std::nullopt;
  run.opaque = !offset.has_value();
  if (run.opaque) return;
  run.offset = *offset;
  if (!ends.hold(run.offset, run.bytes)) {
    throw Error(ErrorKind::bad_file, "the dataset is outside the file")
        .on(name)
        .at(run.offset)
        .advise("it takes " + std::to_string(run.bytes) + " bytes, the file has " + std::to_string(ends.longest()));
  }
}

std::optional<DatasetDescription> describe_dataset(hid_t dataset, const std::string& name, const FileEnds& ends,
                                                   ChunkScope* chunks) {
  const Handle type = own(H5Dget_type(dataset), "read the type", name);
  const ElementType element = element_of(type.id());
  const auto stored = stored_type(element.type.id());
  if (!stored) return std::nullopt;
  if (chunks != nullptr) report_left_out_names(element.type.id(), name, chunks->warnings);
  if (!element.extents.empty()) return describe_arrays(dataset, name, ends, element, *stored);
  DatasetDescription description{.type = stored->type, .extents = {}, .run = {}};
  const bool is_line = extents_of(dataset, name).size() == 1;
  const std::uint64_t text_bytes = is_line ? direct_text_bytes(element.type.id()) : 0;
  description.run.cells = {Cell{.column = 0, .type = stored->type, .text_bytes = text_bytes}};
  description.run.order = stored->direct.value_or(native_order);
  const bool is_direct = stored->direct || text_bytes != 0;
  place_elements(dataset, name, ends, bytes_of(description.run.cells.front()), is_direct, description);
  if (!description.run.opaque || chunks == nullptr) return description;
  check_written(dataset, name, description.extents, *chunks);
  const Handle creation = own(H5Dget_create_plist(dataset), "read the layout", name);
  Run& run = description.run;
  if (is_direct) {
    run.chunks = describe_chunks(dataset, creation.id(), name, description.extents, run.record_bytes, *chunks);
  }
  if (run.chunks) {
    run.opaque = false;
  } else {
    run.chunks = describe_chunk_shape(creation.id(), description.extents, run.record_bytes);
  }
  return description;
}

namespace {

/// Returns false if there is nothing to read. Throws errors for invalid requests.
bool check_request(hid_t dataset, const std::string& name, Type type, const Slice& rows, const View& out,
                   std::uint64_t memory_budget) {
  const std::vector<std::uint64_t> extents = extents_of(dataset, name);
  const std::uint64_t elements = volume(extents);
  if (rows.first > elements || rows.count > elements - rows.first || rows.count != out.count) {
    throw Error(ErrorKind::usage, "the requested rows are outside the dataset").on(name);
  }
  check_storage(dataset, name, memory_budget);
  if (rows.count == 0) return false;
  check_types(type, out.type, name);
  return true;
}

}  // namespace

void read_dataset(Image& image, hid_t dataset, const std::string& name, Type type, const Slice& rows, const View& out,
                  std::uint64_t memory_budget) {
  if (type != Type::string) return read_dataset(dataset, name, type, rows, out, memory_budget);
  if (check_request(dataset, name, type, rows, out, memory_budget)) read_texts(image, dataset, name, rows, out);
}

void read_dataset(hid_t dataset, const std::string& name, Type type, const Slice& rows, const View& out,
                  std::uint64_t memory_budget) {
  if (check_request(dataset, name, type, rows, out, memory_budget)) read_native(dataset, name, rows, out);
}

void read_component(hid_t dataset, const std::string& name, Type type, std::uint64_t component, const Slice& elements,
                    const View& out, std::uint64_t memory_budget) {
  const std::vector<std::uint64_t> extents = extents_of(dataset, name);
  const std::uint64_t count = extents.front() == 0 ? 0 : volume(extents) / extents.front();
  if (component >= extents.front() || elements.first > count || elements.count > count - elements.first) {
    throw Error(ErrorKind::usage, "the requested elements are outside the component").on(name);
  }
  if (!out.is_contiguous() && checked_multiply(elements.count, size_of(out.type)) > memory_budget) {
    throw Error(ErrorKind::memory, "the values of a component exceed the memory budget")
        .on(name)
        .advise("read the field in parts, or raise the budget");
  }
  read_dataset(dataset, name, type, {component * count + elements.first, elements.count}, out, memory_budget);
}

}  // namespace quire::hdf5
