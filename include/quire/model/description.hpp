#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "quire/model/type.hpp"
#include "quire/model/value.hpp"

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

/// The common part of columns, fields and attributes. Texts are kept exactly as written in the file.
struct Quantity {
  std::string name;
  Type type = Type::float64;
  std::string unit;
  std::string symbol;
  std::string description;
  std::string display;  ///< printf format to display a value; never used to encode one

  [[nodiscard]] bool operator==(const Quantity&) const = default;
  template <class Archive>
  void archive(Archive& a) {
    a(name, type, unit, symbol, description, display);
  }
};

/// A small value of a file, a step or a field, the same on every rank. `type` equals `value.type()`.
struct Attribute : Quantity {
  Value value;

  [[nodiscard]] bool operator==(const Attribute&) const = default;
  template <class Archive>
  void archive(Archive& a) {
    Quantity::archive(a);
    a(value);
  }
};

struct Column : Quantity {
  /// Of a column of strings: the bytes of each text in the file if all have the same size, shorter texts followed by
  /// zeros; 0 if texts have any size. A property of the file: it takes no part in comparisons.
  std::uint64_t text_bytes = 0;

  template <class Archive>
  void archive(Archive& a) {
    Quantity::archive(a);
    a(text_bytes);
  }
};

/// The bytes of a value of a column in the file; 0 for texts of any size.
[[nodiscard]] inline std::uint64_t bytes_of(const Column& column) noexcept {
  return column.type == Type::string ? column.text_bytes : size_of(column.type);
}

/// The limits of a column in the zones of its table: columns of the table of zones. The values of a zone are in
/// [lower, lower + extent], apart from NaN.
struct ZoneLimits {
  std::string column;
  std::string lower;
  std::string extent;

  [[nodiscard]] bool operator==(const ZoneLimits&) const = default;
  template <class Archive>
  void archive(Archive& a) {
    a(column, lower, extent);
  }
};

/// Blocks of consecutive rows of a table whose values have known limits, so that a condition need not read all rows.
/// Another table of the step has a row for each zone, with the columns that are named here. Rows without a zone have no
/// limits.
struct Zones {
  std::string table;  ///< of the zones
  std::string first;  ///< column with the number of the first row of a zone
  std::string rows;   ///< column with the number of rows of a zone
  std::vector<ZoneLimits> limits;

  [[nodiscard]] bool operator==(const Zones&) const = default;
  template <class Archive>
  void archive(Archive& a) {
    a(table, first, rows, limits);
  }
};

/// Named columns of equal length.
struct Table {
  std::string name;
  std::uint64_t rows = 0;
  std::vector<Column> columns;
  std::optional<Expansion> expansion{};  ///< if the rows are coefficients on elements
  std::optional<Zones> zones{};          ///< if the limits of blocks of rows are known
  /// Columns with the same number in every row, which is stored once. In a step that is read they are also among the
  /// columns; in one that is written they are not.
  std::vector<Attribute> constants{};

  /// The position of a column, or a missing error that names the nearest existing ones.
  [[nodiscard]] std::size_t find(const std::string& column) const;
  [[nodiscard]] bool operator==(const Table&) const = default;
  template <class Archive>
  void archive(Archive& a) {
    a(name, rows, columns, expansion, zones, constants);
  }
};

/// The position of a field's elements in space. All lists have one entry for each axis, in the order of the extents
/// (slowest first), or none if unknown.
struct Geometry {
  std::vector<double> origin;                    ///< the position of the first element
  std::vector<double> spacing;                   ///< the distance between neighbours
  std::vector<std::vector<double>> coordinates;  ///< of every index along an axis; empty where the axis is regular

  /// True if nothing is set.
  [[nodiscard]] bool is_empty() const noexcept { return origin.empty() && spacing.empty() && coordinates.empty(); }
  [[nodiscard]] bool operator==(const Geometry&) const = default;
  template <class Archive>
  void archive(Archive& a) {
    a(origin, spacing, coordinates);
  }
};

/// An n-dimensional array with one or more components.
struct Field : Quantity {
  std::vector<std::uint64_t> extents;  ///< slowest axis first
  std::uint64_t components = 1;
  std::string group;  ///< fields of one group belong together
  std::vector<Attribute> attributes;
  Geometry geometry;

  [[nodiscard]] bool operator==(const Field&) const = default;
  template <class Archive>
  void archive(Archive& a) {
    Quantity::archive(a);
    a(extents, components, group, attributes, geometry);
  }
};

/// Throws usage errors for a geometry whose lists do not match the axes of its field.
void check_geometry(const Field& field);

/// One instance of the described structure.
struct StepDescription {
  std::int64_t number = 0;
  std::vector<Attribute> attributes;
  std::vector<Table> tables;
  std::vector<Field> fields;
  std::uint64_t streams = 0;          ///< the number of streams, see StreamFinder::streams()
  std::vector<std::string> warnings;  ///< tolerances used while reading this step

  /// The table of this name; an empty name is the only or first one. Throws missing errors.
  [[nodiscard]] std::size_t find_table(const std::string& table) const;
  [[nodiscard]] std::size_t find_field(const std::string& field) const;
  template <class Archive>
  void archive(Archive& a) {
    a(number, attributes, tables, fields, streams, warnings);
  }
};

/// The same tables, columns, fields and attributes without values: the declaration of a step. Tables have no rows;
/// fields and arrays have no elements along any axis; a scalar attribute holds a zero or an empty text without meaning.
[[nodiscard]] StepDescription without_values(const StepDescription& step);

/// A property of the layout of a file ("byte order": "little"), for display and for `info --json`.
struct Fact {
  std::string name;
  std::string value;
  template <class Archive>
  void archive(Archive& a) {
    a(name, value);
  }
};

/// A file that is stored inside another one, as uninterpreted bytes.
struct Attachment {
  std::string name;
  std::uint64_t bytes = 0;

  [[nodiscard]] bool operator==(const Attachment&) const = default;
  template <class Archive>
  void archive(Archive& a) {
    a(name, bytes);
  }
};

/// A file as a whole.
struct FileDescription {
  std::string format;
  std::string title;
  std::string contents;
  std::vector<Fact> layout;
  std::vector<Attribute> attributes;  ///< of the file: the same at every step
  std::vector<std::string> warnings;  ///< tolerances used while reading the header
  std::vector<Attachment> attachments;
  /// The names of the files of a set, apart from the first one, which is opened.
  std::vector<std::string> members;
  /// The structure of every step, as without_values() returns it, if the file declares it separately from its steps.
  std::optional<StepDescription> declared{};

  template <class Archive>
  void archive(Archive& a) {
    a(format, title, contents, layout, attributes, warnings, attachments, members, declared);
  }
};

/// After a wrong name: " (nearest: x, xp)", or, if none is near, "; there are: x, y" (of many the first), or nothing.
[[nodiscard]] std::string nearest_names(const std::string& wrong, const std::vector<std::string>& names);

}  // namespace quire
