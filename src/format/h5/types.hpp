#pragma once

#include <hdf5.h>

#include <optional>
#include <vector>

#include "format/h5/hdf5.hpp"
#include "quire/base/endian.hpp"
#include "quire/model/type.hpp"

namespace quire::h5 {

/// An HDF5 type in our words.
struct StoredType {
  Type type = Type::float64;        ///< holds every value of the stored type
  std::optional<ByteOrder> direct;  ///< the stored bytes are elements of `type` in this order; else HDF5 must convert
};

/// What we make of a file's type; nothing for compounds, references and other types that hold no numbers or texts.
[[nodiscard]] std::optional<StoredType> stored_type(hid_t type);

/// The type in which numbers and characters of a type are written.
[[nodiscard]] Type held_as(Type type) noexcept;

/// The type in memory (and, as the machine's own, in files) of numbers and characters; borrowed from the library.
[[nodiscard]] hid_t native_type(Type type);

/// A type of texts of `length` bytes including the NUL; 0 for texts of any length.
[[nodiscard]] Handle text_type(std::size_t length, bool is_ascii);

/// A type, or that of the elements of an array and the array's extents.
struct ElementType {
  Handle type;
  std::vector<hsize_t> extents;
};
[[nodiscard]] ElementType element_of(hid_t type);

}  // namespace quire::h5
