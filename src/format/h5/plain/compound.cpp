#include "format/h5/plain/compound.hpp"

#include <algorithm>
#include <cstring>
#include <memory>

#include "format/h5/hdf5.hpp"
#include "format/h5/types.hpp"
#include "quire/base/checked.hpp"

namespace quire::h5 {
namespace {

constexpr std::size_t block_bytes = std::size_t{1} << 20;

/// A text that belongs to the library.
using LibraryText = std::unique_ptr<char, decltype([](char* text) { H5free_memory(text); })>;

/// A compound type with one member of `length` bytes: HDF5 picks members by their names.
Handle single_member(const std::string& member, hid_t type, std::size_t length) {
  Handle compound = own(H5Tcreate(H5T_COMPOUND, length), "make a type", member);
  require(H5Tinsert(compound.id(), member.c_str(), 0, type), "make a type", member);
  return compound;
}

void take_text(const std::byte* element, std::size_t length, H5T_str_t padding, PackedStrings& out) {
  std::string_view text(reinterpret_cast<const char*>(element), length);
  text = text.substr(0, std::min(text.find('\0'), text.size()));
  if (padding == H5T_STR_SPACEPAD) text = text.substr(0, text.find_last_not_of(' ') + 1);
  out.push_back(text);
}

/// What the elements are in memory once HDF5 has read them: numbers of the view's type, texts as they are stored.
struct MemberType {
  Handle type;
  std::size_t length = 0;
  H5T_str_t padding = H5T_STR_NULLTERM;
};

MemberType member_type(hid_t compound, const std::string& member, const View& out) {
  const int index = require(H5Tget_member_index(compound, member.c_str()), "find the member", member);
  MemberType found;
  found.type = own(H5Tget_member_type(compound, static_cast<unsigned>(index)), "read the type", member);
  if (out.type == Type::string) {
    if (require(H5Tis_variable_str(found.type.id()), "read the type", member) > 0) {
      throw Error(ErrorKind::unsupported, "texts of any length inside of compounds cannot be read").on(member);
    }
    found.padding = H5Tget_strpad(found.type.id());
  } else {
    found.type = own(H5Tcopy(native_type(out.type)), "copy a type", member);
  }
  found.length = H5Tget_size(found.type.id());
  return found;
}

}  // namespace

std::optional<CompoundDescription> describe_compound(hid_t dataset, const std::string& name, std::uint64_t file_size) {
  const Handle type = own(H5Dget_type(dataset), "read the type", name);
  if (H5Tget_class(type.id()) != H5T_COMPOUND) return std::nullopt;
  const int count = require(H5Tget_nmembers(type.id()), "read the type", name);
  CompoundDescription compound;
  Run& run = compound.data.run;
  // Rows of cells stand there if the members fill them without holes, in one byte order.
  bool is_direct = true;
  std::size_t end = 0;
  std::optional<ByteOrder> order;
  for (int m = 0; m < count; ++m) {
    const auto index = static_cast<unsigned>(m);
    const LibraryText member(H5Tget_member_name(type.id(), index));
    const Handle member_type = own(H5Tget_member_type(type.id(), index), "read the type", name);
    const auto stored = member == nullptr ? std::nullopt : stored_type(member_type.id());
    if (!stored) {
      is_direct = false;
      continue;
    }
    const bool has_order = stored->direct && size_of(stored->type) > 1;
    is_direct = is_direct && stored->direct && end == H5Tget_member_offset(type.id(), index) &&
                (!has_order || order.value_or(*stored->direct) == *stored->direct);
    if (has_order) order = order.value_or(*stored->direct);
    end += size_of(stored->type);
    run.cells.push_back({.column = compound.members.size(), .type = stored->type});
    compound.members.emplace_back(member.get());
  }
  if (compound.members.empty()) return std::nullopt;
  run.order = order.value_or(native_order);
  const std::size_t element = H5Tget_size(type.id());
  place_elements(dataset, name, file_size, element, is_direct && end == element, compound.data);
  return compound;
}

void read_member(hid_t dataset, const std::string& name, const std::string& member, const Slice& rows, const View& out,
                 std::uint64_t memory_budget) {
  check_storage(dataset, name, memory_budget);
  const Handle compound = own(H5Dget_type(dataset), "read the type", name);
  const MemberType element = member_type(compound.id(), member, out);
  const Handle memory_type = single_member(member, element.type.id(), element.length);
  const Handle space = own(H5Dget_space(dataset), "read the shape", name);
  const std::uint64_t step = std::max<std::uint64_t>(1, block_bytes / element.length);
  std::vector<std::byte> block(static_cast<std::size_t>(checked_multiply(std::min(step, rows.count), element.length)));
  for (std::uint64_t done = 0; done < rows.count; done += step) {
    const hsize_t start = rows.first + done;
    const hsize_t count = std::min(step, rows.count - done);
    const Handle memory = own(H5Screate_simple(1, &count, nullptr), "make a shape");
    require(H5Sselect_hyperslab(space.id(), H5S_SELECT_SET, &start, nullptr, &count, nullptr), "select the rows", name);
    require(H5Dread(dataset, memory_type.id(), memory.id(), space.id(), H5P_DEFAULT, block.data()), "read the data set",
            name);
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::byte* value = block.data() + i * element.length;
      if (out.type == Type::string) {
        take_text(value, element.length, element.padding, *out.strings);
      } else {
        std::memcpy(out.data + static_cast<std::ptrdiff_t>(done + i) * out.stride, value, element.length);
      }
    }
  }
}

}  // namespace quire::h5
