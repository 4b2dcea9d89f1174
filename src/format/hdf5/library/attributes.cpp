#include "format/hdf5/library/attributes.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "format/hdf5/guard/header_check.hpp"
#include "format/hdf5/library/left_out.hpp"
#include "format/hdf5/library/text_references.hpp"
#include "format/hdf5/library/types.hpp"
#include "quire/model/selection.hpp"
#include "quire/spi/base/checked.hpp"

namespace quire::hdf5 {
namespace {

constexpr std::uint64_t largest_message = 65536;  // of an object header
constexpr unsigned most_dimensions = H5S_MAX_RANK;

struct NamedAttribute {
  std::string name;
  std::int64_t order = 0;  ///< of creation, if the object tracks it
};

extern "C" herr_t collect_attribute(hid_t /*object*/, const char* name, const H5A_info_t* info, void* found) noexcept {
  try {
    const std::int64_t order = info->corder_valid ? static_cast<std::int64_t>(info->corder) : 0;
    static_cast<std::vector<NamedAttribute>*>(found)->push_back({name, order});
    return 0;
  } catch (...) {
    return -1;
  }
}

std::vector<std::uint64_t> shape_of(hid_t space) {
  std::array<hsize_t, most_dimensions> extents{};
  const int rank = require(H5Sget_simple_extent_dims(space, extents.data(), nullptr), "read the shape");
  return {extents.begin(), extents.begin() + rank};
}

/// The bytes of one fixed-length text without its padding.
std::string unpadded(const char* text, std::size_t length, H5T_str_t padding) {
  std::size_t end = static_cast<std::size_t>(std::find(text, text + length, '\0') - text);
  if (padding == H5T_STR_SPACEPAD) {
    while (end > 0 && text[end - 1] == ' ') --end;
  }
  return {text, end};
}

std::vector<std::string> read_fixed_texts(hid_t attribute, hid_t type, std::uint64_t count, std::uint64_t budget) {
  const std::size_t length = H5Tget_size(type);
  const std::uint64_t total = checked_multiply(count, length);
  if (total > budget) throw Error(ErrorKind::memory, "the value exceeds the memory budget");
  std::vector<char> bytes(static_cast<std::size_t>(total));
  if (total > 0) require(H5Aread(attribute, type, bytes.data()), "read an attribute");
  std::vector<std::string> texts;
  for (std::uint64_t i = 0; i < count; ++i) {
    texts.push_back(unpadded(bytes.data() + i * length, length, H5Tget_strpad(type)));
  }
  return texts;
}

std::vector<std::string> read_variable_texts(Image& image, hid_t attribute, hid_t type, hid_t space,
                                             std::uint64_t count) {
  std::vector<char*> pointers(static_cast<std::size_t>(count), nullptr);
  std::vector<std::string> texts;
  if (count == 0) return texts;
  const Handle memory = own(H5Tcopy(type), "copy a text type");
  check_text_references(
      image, [&](hid_t as, void* values) { return H5Aread(attribute, as, values); }, count);
  require(H5Aread(attribute, memory.id(), pointers.data()), "read an attribute");
  for (const char* text : pointers) texts.emplace_back(text == nullptr ? "" : text);
  H5Dvlen_reclaim(memory.id(), space, H5P_DEFAULT, pointers.data());
  return texts;
}

/// True for the texts of H5Part 1.x: arrays of 8-bit integers that end in NUL, or contain text followed by NUL and any
/// bytes, as in buffers of fixed length; with OldTexts::any also ASCII characters without NUL.
bool is_old_text(hid_t type, const Value& value, OldTexts texts) {
  // Truth values are enumerations of such numbers.
  if (H5Tget_class(type) != H5T_INTEGER || value.type() != Type::int8) return false;
  if (value.shape().size() != 1 || value.count() == 0) return false;
  const auto bytes = value.bytes();
  if (bytes.back() == std::byte{0}) return true;
  const auto end = std::ranges::find(bytes, std::byte{0});
  const bool has_end = end != bytes.end();
  if (!has_end && (texts == OldTexts::with_end || bytes.size() == 1)) return false;
  const unsigned last = has_end ? 255U : '~';
  const auto is_text = [last](std::byte byte) {
    const auto code = std::to_integer<unsigned>(byte);
    return (code >= ' ' && code <= last) || code == '\t' || code == '\n' || code == '\r';
  };
  return end != bytes.begin() && std::all_of(bytes.begin(), end, is_text);
}

std::string old_text(const Value& value) {
  const auto* first = reinterpret_cast<const char*>(value.bytes().data());
  return unpadded(first, value.bytes().size(), H5T_STR_NULLTERM);
}

Handle memory_type(Type type, const ElementType& element) {
  if (element.extents.empty()) return own(H5Tcopy(native_type(type)), "copy a type");
  return own(H5Tarray_create2(native_type(type), static_cast<unsigned>(element.extents.size()), element.extents.data()),
             "create a type");
}

std::optional<Value> read_value(Image& image, hid_t attribute, std::uint64_t budget, OldTexts texts) {
  const Handle type = own(H5Aget_type(attribute), "read the type of an attribute");
  const Handle space = own(H5Aget_space(attribute), "read the shape of an attribute");
  const ElementType element = element_of(type.id());
  const auto stored = stored_type(element.type.id());
  if (!stored || (stored->type == Type::string && !element.extents.empty())) return std::nullopt;
  std::vector<std::uint64_t> shape{0};
  if (H5Sget_simple_extent_type(space.id()) != H5S_NULL) shape = shape_of(space.id());
  shape.insert(shape.end(), element.extents.begin(), element.extents.end());
  const std::uint64_t count = volume(shape);
  if (checked_multiply(count, std::max<std::size_t>(size_of(stored->type), sizeof(char*))) > budget) {
    throw Error(ErrorKind::memory, "the value exceeds the memory budget");
  }
  const std::vector<std::uint64_t> described =
      shape == std::vector<std::uint64_t>{1} ? std::vector<std::uint64_t>{} : shape;
  if (stored->type == Type::string) {
    const bool variable = require(H5Tis_variable_str(type.id()), "read a text type") > 0;
    return Value::texts(described, variable ? read_variable_texts(image, attribute, type.id(), space.id(), count)
                                            : read_fixed_texts(attribute, type.id(), count, budget));
  }
  std::vector<std::byte> bytes(static_cast<std::size_t>(count * size_of(stored->type)));
  if (count > 0)
    require(H5Aread(attribute, memory_type(stored->type, element).id(), bytes.data()), "read an attribute");
  const Value stored_value = Value::numbers(stored->type, shape, bytes);
  if (is_old_text(type.id(), stored_value, texts)) return Value(old_text(stored_value));
  return Value::numbers(stored->type, described, bytes);
}

bool is_ascii(const std::string& text) {
  return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

/// Bytes of one element in the file.
std::uint64_t element_length(const Value& value) {
  if (value.type() != Type::string) return size_of(value.type());
  std::size_t longest = 0;
  for (const std::string& text : value.strings()) longest = std::max(longest, text.size());
  return longest + 1;
}

void check_size(const Attribute& attribute) {
  // Name, type and shape are stored in the same message, each rounded up to 8 bytes.
  const std::uint64_t frame = 8 + round_up(attribute.name.size() + 1, 8) + 32 + 8 + 16 * attribute.value.shape().size();
  const std::uint64_t bytes = checked_multiply(attribute.value.count(), element_length(attribute.value));
  if (checked_add(frame, bytes) >= largest_message) {
    throw Error(ErrorKind::unsupported,
                "an attribute of " + std::to_string(bytes) + " bytes does not fit: HDF5 allows 64 KB with its name")
        .on(attribute.name)
        .advise(attribute.type == Type::string ? "attach it to the file" : "write it as a column of a step of its own");
  }
}

Value narrowed(const Value& value, bool lossy) {
  if (value.type() == Type::float80) return value.converted_to(Type::float64, lossy);
  if (value.type() == Type::int8 && !value.is_scalar()) return value.converted_to(Type::int16);
  if (value.type() == Type::character) {
    const auto* first = reinterpret_cast<const char*>(value.bytes().data());
    return Value(std::string(first, value.bytes().size()));
  }
  return value;
}

Handle value_space(const Value& value, Scalars scalars) {
  const bool is_true_scalar = scalars == Scalars::as_such || value.type() == Type::string;
  if (value.is_scalar() && is_true_scalar) {
    return own(H5Screate(H5S_SCALAR), "create a scalar shape");
  }
  std::vector<hsize_t> extents(value.shape().begin(), value.shape().end());
  if (extents.empty()) extents.push_back(1);
  return own(H5Screate_simple(static_cast<int>(extents.size()), extents.data(), nullptr), "create a shape");
}

hsize_t count_attributes(hid_t object) {
  H5O_info_t info{};
  require(H5Oget_info2(object, &info, H5O_INFO_NUM_ATTRS), "count the attributes");
  return info.num_attrs;
}

/// Checks what HDF5 decodes when it is asked for any attribute of an object.
void check_attributes(Image& image, hid_t object) {
  if (!image.base()) return;
  check_attribute_messages(image.reader(), image.size(), *image.base(), *image.base() + address_of(object));
}

/// An existing attribute is written again if it has this type and shape: HDF5 counts the attributes that an object with
/// an index ever had, up to 65,535.
Handle attribute_to_write(hid_t object, const std::string& name, hid_t type, hid_t space) {
  if (require(H5Aexists(object, name.c_str()), "look for an attribute", name) > 0) {
    Handle existing = own(H5Aopen(object, name.c_str(), H5P_DEFAULT), "open an attribute", name);
    const Handle its_type = own(H5Aget_type(existing.id()), "read the type of an attribute", name);
    const Handle its_space = own(H5Aget_space(existing.id()), "read the shape of an attribute", name);
    const bool has_type = require(H5Tequal(its_type.id(), type), "compare types", name) > 0;
    if (has_type && require(H5Sextent_equal(its_space.id(), space), "compare shapes", name) > 0) return existing;
    existing = Handle();
    require(H5Adelete(object, name.c_str()), "replace an attribute", name);
  }
  return own(H5Acreate2(object, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT), "create the attribute", name);
}

}  // namespace

bool has_attribute(Image& image, hid_t object, const std::string& name) {
  check_attributes(image, object);
  return require(H5Aexists(object, name.c_str()), "look for an attribute", name) > 0;
}

std::vector<std::string> attribute_names(Image& image, hid_t object) {
  // Listing crashes in HDF5 1.10 if an attribute cannot be decoded. A lookup of a missing name decodes all of them, and
  // reports the damage.
  static_cast<void>(has_attribute(image, object, "\x01"));
  std::vector<NamedAttribute> found;
  hsize_t position = 0;
  // Native order is not sorted: HDF5 1.10 crashes when it sorts a damaged index. It is the order of creation, except
  // for many attributes of new files.
  require(H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_NATIVE, &position, collect_attribute, &found),
          "list the attributes");
  std::ranges::stable_sort(found, {}, &NamedAttribute::order);
  std::vector<std::string> names;
  for (NamedAttribute& attribute : found) names.push_back(std::move(attribute.name));
  return names;
}

std::vector<Attribute> read_attributes(Image& image, hid_t object, std::uint64_t memory_budget,
                                       std::vector<std::string>& warnings, OldTexts texts) {
  std::vector<Attribute> attributes;
  for (const std::string& name : attribute_names(image, object)) {
    const Handle handle = own(H5Aopen(object, name.c_str(), H5P_DEFAULT), "open an attribute", name);
    auto value = read_value(image, handle.id(), memory_budget, texts);
    if (!value) {
      warnings.push_back("the attribute " + name + " holds neither numbers nor texts and is left out");
      continue;
    }
    if (is_integer(value->type())) {
      const Handle type = own(H5Aget_type(handle.id()), "read the type of an attribute", name);
      report_left_out_names(element_of(type.id()).type.id(), "the attribute " + name, warnings);
    }
    Attribute attribute;
    attribute.name = name;
    attribute.type = value->type();
    attribute.value = *std::move(value);
    attributes.push_back(std::move(attribute));
  }
  return attributes;
}

void name_attributes(Image& image, hid_t object, const std::string& path, std::vector<std::string>& names) {
  try {
    // Most objects have none; their headers contain the count.
    if (count_attributes(object) == 0) return;
    std::vector<std::string> found = attribute_names(image, object);
    std::ranges::sort(found);
    for (const std::string& name : found) names.push_back(path + " " + name);
  } catch (const Error& error) {
    names.push_back(path + " (" + error.message() + ")");
  }
}

void report_left_out_attributes(const std::string& objects, const std::vector<std::string>& names,
                                std::vector<std::string>& warnings) {
  constexpr std::size_t shown = 16;
  if (names.empty()) return;
  std::string list;
  for (std::size_t i = 0; i < std::min(shown, names.size()); ++i) list += (i == 0 ? "" : ", ") + names[i];
  if (names.size() > shown) list += " and " + std::to_string(names.size() - shown) + " more";
  warnings.push_back("attributes of " + objects + " are left out: " + list);
}

Attribute accepted(const Attribute& attribute, bool lossy) {
  if (attribute.name.empty() || attribute.name.find('\0') != std::string::npos) {
    throw Error(ErrorKind::usage, "an attribute needs a name without NUL").on(attribute.name);
  }
  Attribute result = attribute;
  try {
    result.value = narrowed(attribute.value, lossy);
  } catch (Error& error) {
    throw error.on(attribute.name);
  }
  result.type = result.value.type();
  for (const std::string& text : result.value.strings()) {
    if (text.find('\0') != std::string::npos) {
      throw Error(ErrorKind::type, "a text with a NUL inside cannot be stored").on(attribute.name);
    }
  }
  check_size(result);
  return result;
}

Attribute accepted_in_h5part(const Attribute& attribute, bool lossy) {
  Attribute wide = attribute;
  const Type type = attribute.value.type();
  if (type == Type::int8 || type == Type::uint8) wide.value = attribute.value.converted_to(Type::int16);
  return accepted(wide, lossy);
}

void write_attribute(hid_t object, const std::string& name, const Value& value, Scalars scalars) {
  const Handle space = value_space(value, scalars);
  const bool is_text = value.type() == Type::string;
  const std::size_t length = static_cast<std::size_t>(element_length(value));
  const Handle type = is_text ? text_type(length, std::ranges::all_of(value.strings(), is_ascii))
                              : own(H5Tcopy(native_type(value.type())), "copy a type");
  const Handle attribute = attribute_to_write(object, name, type.id(), space.id());
  if (value.count() == 0) return;
  if (!is_text) {
    require(H5Awrite(attribute.id(), type.id(), value.bytes().data()), "write the attribute", name);
    return;
  }
  std::vector<char> bytes(value.strings().size() * length, '\0');
  for (std::size_t i = 0; i < value.strings().size(); ++i) {
    std::ranges::copy(value.strings()[i], bytes.begin() + static_cast<std::ptrdiff_t>(i * length));
  }
  require(H5Awrite(attribute.id(), type.id(), bytes.data()), "write the attribute", name);
}

}  // namespace quire::hdf5
