#include "format/hdf5/library/types.hpp"

#include <array>

namespace quire::hdf5 {
namespace {

std::optional<ByteOrder> order_of(hid_t type) {
  switch (H5Tget_order(type)) {
    case H5T_ORDER_LE:
      return ByteOrder::little;
    case H5T_ORDER_BE:
      return ByteOrder::big;
    case H5T_ORDER_NONE:
      return native_order;  // single bytes
    default:
      return std::nullopt;
  }
}

/// False for bit fields that extend beyond the element: HDF5 1.10 converts such numbers without checks.
bool has_possible_bits(hid_t type) {
  const std::size_t bits = 8 * H5Tget_size(type);
  const int offset = H5Tget_offset(type);
  const std::size_t precision = H5Tget_precision(type);
  if (offset < 0 || precision == 0 || precision > bits || static_cast<std::size_t>(offset) > bits - precision)
    return false;
  if (H5Tget_class(type) != H5T_FLOAT) return true;
  std::size_t sign = 0, exponent = 0, exponent_size = 0, mantissa = 0, mantissa_size = 0;
  if (H5Tget_fields(type, &sign, &exponent, &exponent_size, &mantissa, &mantissa_size) < 0) return false;
  const auto fits = [bits](std::size_t first, std::size_t count) { return count <= bits && first <= bits - count; };
  return fits(sign, 1) && fits(exponent, exponent_size) && fits(mantissa, mantissa_size) && exponent_size < 64;
}

std::optional<StoredType> stored_integer(hid_t type) {
  if (!has_possible_bits(type)) return std::nullopt;
  const std::size_t size = H5Tget_size(type);
  const bool is_signed = H5Tget_sign(type) == H5T_SGN_2;
  constexpr std::array signed_types{Type::int8, Type::int16, Type::int32, Type::int64};
  constexpr std::array unsigned_types{Type::uint8, Type::uint16, Type::uint32, Type::uint64};
  for (std::size_t i = 0; i < signed_types.size(); ++i) {
    const std::size_t width = size_of(signed_types[i]);
    if (size > width) continue;
    StoredType stored{.type = is_signed ? signed_types[i] : unsigned_types[i], .direct = {}};
    if (size == width && H5Tget_precision(type) == 8 * width) stored.direct = order_of(type);
    return stored;
  }
  return std::nullopt;
}

std::optional<StoredType> stored_float(hid_t type) {
  if (H5Tequal(type, H5T_IEEE_F64LE) > 0) return StoredType{Type::float64, ByteOrder::little};
  if (H5Tequal(type, H5T_IEEE_F64BE) > 0) return StoredType{Type::float64, ByteOrder::big};
  if (H5Tequal(type, H5T_IEEE_F32LE) > 0) return StoredType{Type::float32, ByteOrder::little};
  if (H5Tequal(type, H5T_IEEE_F32BE) > 0) return StoredType{Type::float32, ByteOrder::big};
  if (!has_possible_bits(type)) return std::nullopt;
  const std::size_t size = H5Tget_size(type);
  if (size <= 2) return StoredType{Type::float32, {}};
  if (size <= 8) return StoredType{Type::float64, {}};
  return StoredType{Type::float80, {}};
}

}  // namespace

std::optional<StoredType> stored_type(hid_t type) {
  switch (H5Tget_class(type)) {
    case H5T_INTEGER:
      return stored_integer(type);
    case H5T_FLOAT:
      return stored_float(type);
    case H5T_STRING:
      return StoredType{Type::string, {}};
    case H5T_ENUM: {
      // For example truth values of h5py: read as the numbers of the enumeration.
      const Handle base(H5Tget_super(type));
      return base ? stored_integer(base.id()) : std::nullopt;
    }
    default:
      return std::nullopt;
  }
}

ElementType element_of(hid_t type) {
  ElementType element;
  if (H5Tget_class(type) != H5T_ARRAY) {
    element.type = own(H5Tcopy(type), "copy a type");
    return element;
  }
  element.type = own(H5Tget_super(type), "read the type of an array");
  element.extents.resize(static_cast<std::size_t>(require(H5Tget_array_ndims(type), "read the type of an array")));
  require(H5Tget_array_dims2(type, element.extents.data()), "read the type of an array");
  return element;
}

Type held_as(Type type) noexcept {
  // Each value is converted when it is written: exactly, or with an error that names its row.
  if (type == Type::float80) return Type::float64;
  if (type == Type::character) return Type::int8;
  return type;
}

hid_t native_type(Type type) {
  switch (type) {
    case Type::int8:
    case Type::character:
      return H5T_NATIVE_INT8;
    case Type::uint8:
      return H5T_NATIVE_UINT8;
    case Type::int16:
      return H5T_NATIVE_INT16;
    case Type::uint16:
      return H5T_NATIVE_UINT16;
    case Type::int32:
      return H5T_NATIVE_INT32;
    case Type::uint32:
      return H5T_NATIVE_UINT32;
    case Type::int64:
      return H5T_NATIVE_INT64;
    case Type::uint64:
      return H5T_NATIVE_UINT64;
    case Type::float32:
      return H5T_NATIVE_FLOAT;
    case Type::float64:
      return H5T_NATIVE_DOUBLE;
    case Type::float80:
      return H5T_NATIVE_LDOUBLE;
    case Type::string:
      break;
  }
  throw Error(ErrorKind::internal, "texts have no native HDF5 type");
}

Handle text_type(std::size_t length, bool is_ascii) {
  Handle type = own(H5Tcopy(H5T_C_S1), "copy the text type");
  require(H5Tset_size(type.id(), length == 0 ? H5T_VARIABLE : length), "set the size of a text type");
  require(H5Tset_cset(type.id(), is_ascii ? H5T_CSET_ASCII : H5T_CSET_UTF8), "set the character set");
  return type;
}

ColumnType::ColumnType(const Column& column) {
  if (column.type == Type::string) {
    owned_ = text_type(static_cast<std::size_t>(column.text_bytes), false);
    require(H5Tset_strpad(owned_.id(), H5T_STR_NULLPAD), "set the padding of a text type");
  }
  id_ = owned_ ? owned_.id() : native_type(column.type);
}

std::uint64_t bytes_of_texts(hid_t type) {
  if (H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) != 0) return 0;
  return H5Tget_strpad(type) == H5T_STR_SPACEPAD ? 0 : H5Tget_size(type);
}

std::string defect_of_texts(hid_t type) {
  if (bytes_of_texts(type) == 0 || H5Tget_strpad(type) != H5T_STR_NULLPAD)
    return "its texts are not of fixed size and padded with zeros";
  return H5Tget_cset(type) == H5T_CSET_UTF8 ? "" : "its texts are not UTF-8";
}

}  // namespace quire::hdf5
