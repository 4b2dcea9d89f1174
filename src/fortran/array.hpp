#pragma once

#include <ISO_Fortran_binding.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "quire/quire.h"

namespace quire::fortran {

/// An array or a scalar that a Fortran program passed, of any type and rank. Throws std::invalid_argument for what no
/// file can hold.
class Array {
 public:
  /// @param what names the argument in messages
  Array(const CFI_cdesc_t& descriptor, const std::string& what);

  /// QUIRE_STRING for all texts.
  [[nodiscard]] quire_type type() const noexcept { return type_; }
  [[nodiscard]] bool is_scalar() const noexcept { return descriptor_->rank == 0; }
  [[nodiscard]] std::uint64_t count() const noexcept;
  [[nodiscard]] std::size_t element_size() const noexcept { return descriptor_->elem_len; }
  [[nodiscard]] std::size_t bytes() const noexcept { return count() * element_size(); }
  /// Slowest axis first, as in C: reversed with respect to Fortran.
  [[nodiscard]] std::vector<std::uint64_t> shape() const;

  [[nodiscard]] bool is_contiguous() const noexcept;
  /// Whether the elements along the first dimension follow each other. GCC 12 passes wrong addresses to pointer
  /// arguments for components of an array of a derived type, `beam%x`, which never are like this.
  [[nodiscard]] bool has_contiguous_columns() const noexcept;
  [[nodiscard]] void* data() const noexcept { return descriptor_->base_addr; }
  /// Copies all elements, in array element order, to contiguous memory of bytes().
  void copy_to(std::byte* packed) const;
  /// The inverse.
  void copy_from(const std::byte* packed) const;

 private:
  const CFI_cdesc_t* descriptor_;
  quire_type type_;
};

/// The values of an argument that is an integer of any kind, or a list of them, in Fortran's order. None for an absent
/// argument.
[[nodiscard]] std::vector<std::int64_t> integers_of(const CFI_cdesc_t* descriptor, const std::string& what);
/// One integer.
[[nodiscard]] std::int64_t integer_of(const CFI_cdesc_t* descriptor, const std::string& what);
/// One integer that is not negative.
[[nodiscard]] std::uint64_t natural_of(const CFI_cdesc_t* descriptor, const std::string& what);
/// A list of integers that are not negative, in the order of C: the last one of Fortran's list first.
[[nodiscard]] std::vector<std::uint64_t> extents_of(const CFI_cdesc_t* descriptor, const std::string& what);
/// Positions that count from 1 in Fortran, from 0 in C, in the order of Fortran.
[[nodiscard]] std::vector<std::uint64_t> positions_of(const CFI_cdesc_t* descriptor, const std::string& what);

/// The elements of a field that an array holds, in the order of C: as many as its shape has.
struct Elements {
  /// @param start position of the first one along each axis; null: 1
  /// @param stride distance of neighbours along each axis; null: 1
  Elements(const Array& values, const CFI_cdesc_t* start, const CFI_cdesc_t* stride);

  std::vector<std::uint64_t> start;
  std::vector<std::uint64_t> stride;
  std::vector<std::uint64_t> count;
};

}  // namespace quire::fortran
