#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace quire {

/// Describes a table whose rows are coefficients of functions on elements of one shape and one set of bases. The table
/// has a column for each variable and, in file order, the coefficients of one element after another; those of an
/// element plane by plane. A second table, `elements`, has a row for each element: its `id` and, unless all elements
/// have the same order, its modes in columns `modes_0`, `modes_1`, ..., one for each direction.
struct Expansion {
  std::string shape;                 ///< of the elements: Segment, Triangle, ..., Hexahedron
  std::vector<std::string> basis;    ///< one for each direction: those of the element, then the homogeneous ones
  std::vector<std::uint64_t> modes;  ///< one for each direction; empty: every element has its own
  std::vector<double> lengths;       ///< of the homogeneous directions
  /// The planes (one homogeneous direction: `z_ids`) or lines (two: a pair each) to which the coefficients of an
  /// element belong; empty: all, as many as the homogeneous directions have modes.
  std::vector<std::uint64_t> y_ids;
  std::vector<std::uint64_t> z_ids;
  bool strips = false;
  std::vector<std::uint64_t> strip_ids;
  std::string points;        ///< types of the points, as written
  std::string point_counts;  ///< their numbers, as written
  std::string elements;      ///< the name of the table of the elements
  std::string origin;        ///< the part of the file that contains it, for display: a file of a set, a group

  /// The number of homogeneous directions.
  [[nodiscard]] std::size_t homogeneous_directions() const noexcept { return lengths.size(); }
  [[nodiscard]] bool is_mixed() const noexcept { return modes.empty(); }
  [[nodiscard]] bool operator==(const Expansion&) const = default;
  template <class Archive>
  void archive(Archive& a) {
    a(shape, basis, modes, lengths, y_ids, z_ids, strips, strip_ids, points, point_counts, elements, origin);
  }
};

/// The names of the columns of a table of elements.
[[nodiscard]] inline std::string id_column() { return "id"; }
[[nodiscard]] inline std::string modes_column(std::size_t direction) { return "modes_" + std::to_string(direction); }

/// Independent. The number of directions of elements of a shape. Throws bad_file errors for unknown shapes.
[[nodiscard]] std::size_t dimensions_of(std::string_view shape);

/// Independent. The number of coefficients of one element in one plane (specs/nektar-fld.md section 1.3), with so many
/// modes in each of its own directions. Throws bad_file errors for modes that the shape does not allow.
[[nodiscard]] std::uint64_t coefficients_of(std::string_view shape, std::span<const std::uint64_t> modes);

/// Independent. The number of coefficients of one element with these modes (one for each direction) in all its planes.
/// Throws as coefficients_of(), and for sizes beyond 64 bits.
[[nodiscard]] std::uint64_t element_coefficients(const Expansion& expansion, std::span<const std::uint64_t> modes);

/// Independent. Throws bad_file errors for an expansion that contradicts itself: directions that the shape does not
/// have, lists of planes of different lengths, a wrong number of modes.
void check_expansion(const Expansion& expansion);

}  // namespace quire
