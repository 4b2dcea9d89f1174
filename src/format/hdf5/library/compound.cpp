#include "format/hdf5/library/compound.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include "format/hdf5/guard/header_check.hpp"
#include "format/hdf5/library/handle.hpp"
#include "format/hdf5/library/left_out.hpp"
#include "format/hdf5/library/types.hpp"
#include "quire/spi/base/checked.hpp"

namespace quire::hdf5 {
namespace {

/// A compound type with one member of `length` bytes: HDF5 selects members by name.
Handle single_member(const std::string& member, hid_t type, std::size_t length) {
  Handle compound = own(H5Tcreate(H5T_COMPOUND, length), "create a type", member);
  require(H5Tinsert(compound.id(), member.c_str(), 0, type), "create a type", member);
  return compound;
}

void take_text(const std::byte* element, std::size_t length, H5T_str_t padding, PackedStrings& out) {
  std::string_view text(reinterpret_cast<const char*>(element), length);
  text = text.substr(0, std::min(text.find('\0'), text.size()));
  if (padding == H5T_STR_SPACEPAD) text = text.substr(0, text.find_last_not_of(' ') + 1);
  out.push_back(text);
}

/// The type of a member in memory after HDF5 has read it: numbers of the view's type, texts as stored.
struct MemberType {
  Handle type;
  std::size_t length = 0;  ///< of all its elements
  H5T_str_t padding = H5T_STR_NULLTERM;
};

MemberType member_type(hid_t compound, const std::string& member, const View& out) {
  const int index = require(H5Tget_member_index(compound, member.c_str()), "find the member", member);
  MemberType found;
  found.type = own(H5Tget_member_type(compound, static_cast<unsigned>(index)), "read the type", member);
  if (H5Tget_class(found.type.id()) == H5T_ARRAY) {
    const std::vector<hsize_t> shape = element_of(found.type.id()).extents;
    found.type = own(H5Tarray_create2(native_type(out.type), static_cast<unsigned>(shape.size()), shape.data()),
                     "create a type", member);
  } else if (out.type == Type::string) {
    if (require(H5Tis_variable_str(found.type.id()), "read the type", member) > 0) {
      throw Error(ErrorKind::unsupported, "variable-length texts in compounds cannot be read").on(member);
    }
    found.padding = H5Tget_strpad(found.type.id());
  } else {
    found.type = own(H5Tcopy(native_type(out.type)), "copy a type", member);
  }
  found.length = H5Tget_size(found.type.id());
  return found;
}

/// Creates cells from the members of a compound, in order.
class Layout {
 public:
  Layout(hid_t type, CompoundDescription& compound, std::vector<std::string>& warnings)
      : type_(type), compound_(compound), warnings_(warnings) {}

  void add(unsigned index, const std::string& name) {
    const LibraryText text(H5Tget_member_name(type_, index));
    if (text == nullptr) throw hdf5_error("read the name of a member", name);
    const std::string member(text.get());
    const Handle type = own(H5Tget_member_type(type_, index), "read the type", name);
    const ElementType base = element_of(type.id());
    const bool is_array = !base.extents.empty();
    const std::uint64_t count = volume({base.extents.begin(), base.extents.end()});
    check_place(index, type.id(), checked_multiply(count, H5Tget_size(base.type.id())), name);
    const auto stored = stored_type(base.type.id());
    // Arrays of texts are rare, and long arrays do not fit columns of a table: both become holes, as do members without
    // numbers.
    if (!stored || (is_array && (stored->type == Type::string || count > most_elements))) {
      return compound_.left_out.push_back(member);
    }
    report_left_out_names(base.type.id(), name + "/" + member, warnings_);
    is_direct_ = is_direct_ && stored->direct && is_in_order(*stored) && fill(H5Tget_member_offset(type_, index));
    for (std::uint64_t element = 0; element < count; ++element) {
      compound_.data.run.cells.push_back({.column = compound_.values.size(), .type = stored->type});
      compound_.values.push_back(
          {member, is_array ? std::optional<std::uint64_t>(element) : std::nullopt, stored->type});
      end_ += size_of(stored->type);
    }
  }

  /// Fills up to the end of the record. Returns true if its bytes are cells.
  [[nodiscard]] bool finish(std::size_t record) {
    compound_.data.run.order = order_;
    return is_direct_ && fill(record);
  }

 private:
  static constexpr std::uint64_t most_elements = 64;
  static constexpr std::size_t longest_hole = 1024;

  /// HDF5 1.10 converts members that are outside of their record without checks.
  void check_place(unsigned index, hid_t member, std::uint64_t bytes, const std::string& name) const {
    const std::size_t record = H5Tget_size(type_);
    const std::size_t offset = H5Tget_member_offset(type_, index);
    if (bytes == H5Tget_size(member) && offset <= record && bytes <= record - offset) return;
    throw Error(ErrorKind::bad_file, "a member of the records lies outside of them").on(name);
  }

  /// All cells of a record have the same byte order.
  bool is_in_order(const StoredType& stored) {
    if (size_of(stored.type) == 1) return true;
    if (!has_order_) order_ = *stored.direct;
    has_order_ = true;
    return order_ == *stored.direct;
  }

  /// Adds cells of no column up to `offset`. Returns false for members that overlap, and for holes that are too long.
  bool fill(std::size_t offset) {
    if (offset < end_ || offset - end_ > longest_hole) return false;
    for (const Type type : {Type::int64, Type::int32, Type::int16, Type::int8}) {
      for (; offset - end_ >= size_of(type); end_ += size_of(type)) {
        compound_.data.run.cells.push_back({.column = no_column, .type = type});
      }
    }
    return true;
  }

  static constexpr std::uint64_t no_column = std::numeric_limits<std::uint64_t>::max();

  hid_t type_;
  CompoundDescription& compound_;
  std::vector<std::string>& warnings_;
  // Set to false if only HDF5 can convert the numbers of a member.
  bool is_direct_ = true;
  std::size_t end_ = 0;
  bool has_order_ = false;
  ByteOrder order_ = native_order;
};

/// Refuses records for which HDF5 computed a larger size than the file states.
void check_record(hid_t dataset, const std::string& name, std::size_t record, Image& image) {
  if (!image.base()) return;
  const std::uint64_t address = checked_add(*image.base(), address_of(dataset));
  const auto stored = stored_element_bytes(image.reader(), image.size(), *image.base(), address);
  if (!stored || *stored == record) return;
  throw Error(ErrorKind::bad_file,
              "the records have " + std::to_string(*stored) + " bytes, their members " + std::to_string(record))
      .on(name)
      .at(address);
}

}  // namespace

std::string CompoundValue::name() const { return element ? member + "[" + std::to_string(*element) + "]" : member; }

std::optional<CompoundDescription> describe_compound(hid_t dataset, const std::string& name, ChunkScope& chunks) {
  const Handle type = own(H5Dget_type(dataset), "read the type", name);
  if (H5Tget_class(type.id()) != H5T_COMPOUND) return std::nullopt;
  const int count = require(H5Tget_nmembers(type.id()), "read the type", name);
  const std::size_t record = H5Tget_size(type.id());
  check_record(dataset, name, record, chunks.image);
  CompoundDescription compound;
  Layout cells(type.id(), compound, chunks.warnings);
  for (int m = 0; m < count; ++m) cells.add(static_cast<unsigned>(m), name);
  if (compound.values.empty()) return std::nullopt;
  const bool is_direct = cells.finish(record);
  place_elements(dataset, name, chunks.image.ends(), record, is_direct, compound.data);
  check_written(dataset, name, compound.data.extents, chunks);
  Run& run = compound.data.run;
  if (!is_direct || !run.opaque || compound.data.extents.size() != 1) return compound;
  const Handle creation = own(H5Dget_create_plist(dataset), "read the layout", name);
  run.chunks = describe_chunks(dataset, creation.id(), name, compound.data.extents, record, chunks);
  if (run.chunks) run.opaque = false;
  return compound;
}

void read_member(hid_t dataset, const std::string& name, const CompoundValue& value, const Slice& rows, const View& out,
                 std::uint64_t memory_budget) {
  check_storage(dataset, name, memory_budget);
  const Handle compound = own(H5Dget_type(dataset), "read the type", name);
  const MemberType element = member_type(compound.id(), value.member, out);
  const std::size_t width = out.type == Type::string ? element.length : size_of(out.type);
  const std::size_t skipped = static_cast<std::size_t>(value.element.value_or(0)) * width;
  const Handle memory_type = single_member(value.member, element.type.id(), element.length);
  const Handle space = own(H5Dget_space(dataset), "read the shape", name);
  const std::uint64_t step = std::max<std::uint64_t>(1, bytes_at_once / element.length);
  std::vector<std::byte> block(static_cast<std::size_t>(checked_multiply(std::min(step, rows.count), element.length)));
  for (std::uint64_t done = 0; done < rows.count; done += step) {
    const hsize_t start = rows.first + done;
    const hsize_t count = std::min(step, rows.count - done);
    const Handle memory = own(H5Screate_simple(1, &count, nullptr), "create a shape");
    require(H5Sselect_hyperslab(space.id(), H5S_SELECT_SET, &start, nullptr, &count, nullptr), "select the rows", name);
    require(H5Dread(dataset, memory_type.id(), memory.id(), space.id(), H5P_DEFAULT, block.data()), "read the dataset",
            name);
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::byte* from = block.data() + i * element.length + skipped;
      if (out.type == Type::string) {
        take_text(from, width, element.padding, *out.strings);
      } else {
        std::memcpy(out.data + static_cast<std::ptrdiff_t>(done + i) * out.stride, from, width);
      }
    }
  }
}

}  // namespace quire::hdf5
