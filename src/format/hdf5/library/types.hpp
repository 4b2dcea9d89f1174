#pragma once

#include <hdf5.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "format/hdf5/library/handle.hpp"
#include "quire/model/description.hpp"
#include "quire/model/type.hpp"
#include "quire/spi/base/endian.hpp"

namespace quire::hdf5 {

/// The type of the model for an HDF5 type.
struct StoredType {
  Type type = Type::float64;        ///< holds every value of the stored type
  std::optional<ByteOrder> direct;  ///< the stored bytes are elements of `type` in this order; else HDF5 must convert
};

/// The type of the model for a type of a file; no value for compounds, references and other types without numbers or
/// texts.
[[nodiscard]] std::optional<StoredType> stored_type(hid_t type);

/// The type in which numbers and characters of a type are stored.
[[nodiscard]] Type held_as(Type type) noexcept;

/// The native type, in memory and in files, of numbers and characters; owned by the library.
[[nodiscard]] hid_t native_type(Type type);

/// A type of texts of `length` bytes including the NUL; 0 for variable length.
[[nodiscard]] Handle text_type(std::size_t length, bool is_ascii);

/// The type in files of a column: that of its numbers, or UTF-8 texts of Column::text_bytes, padded with zeros.
class ColumnType {
 public:
  explicit ColumnType(const Column& column);
  [[nodiscard]] hid_t id() const noexcept { return id_; }

 private:
  Handle owned_;
  hid_t id_;
};

/// The bytes of each text of a type of fixed size that ends at the first zero byte; 0 for other types.
[[nodiscard]] std::uint64_t bytes_of_texts(hid_t type);

/// Why our texts cannot be added to those of a type, or an empty text.
[[nodiscard]] std::string defect_of_texts(hid_t type);

/// A type without extents, or the element type of an array and the array's extents.
struct ElementType {
  Handle type;
  std::vector<hsize_t> extents;
};
[[nodiscard]] ElementType element_of(hid_t type);

}  // namespace quire::hdf5
