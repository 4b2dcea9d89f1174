#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "quire/model/description.hpp"

namespace quire::hdf5 {

// Names of records.
inline constexpr const char* position = "position";
inline constexpr const char* offset_of_position = "positionOffset";

/// The place of values in a species or among meshes: a record and, unless it is scalar, one of its components.
struct RecordPath {
  std::string record;
  std::string component;  ///< empty: the record is scalar
  [[nodiscard]] bool operator==(const RecordPath&) const = default;
  [[nodiscard]] std::string text() const { return component.empty() ? record : record + "/" + component; }
};

/// The record component of a column with this name and unit. Columns have the short names of beam physics: `x` is
/// position/x if it is a length or has no unit, `px` is momentum/x, and `E_x` is E/x. Any other name with a slash is a
/// path, and one without a slash is a scalar record.
[[nodiscard]] RecordPath path_of_column(const std::string& name, const std::string& unit);
/// The same for all columns of a table. If a record would be scalar and have components as well, its components become
/// scalar records of their own.
[[nodiscard]] std::vector<RecordPath> paths_of_columns(const Table& table);
/// The same for all columns of a table that is written, and then for its constants.
[[nodiscard]] std::vector<RecordPath> paths_of_written(const Table& table);
/// The inverse: the short name, or the path if it would be read as another one.
[[nodiscard]] std::string column_name(const RecordPath& path, const std::string& unit);

/// The record component of a field without a name for components: the parts of its name around the first slash.
[[nodiscard]] RecordPath path_of_field(const std::string& name);
/// Names for the components of a vector field: x, y, z for up to three.
[[nodiscard]] std::vector<std::string> usual_components(std::uint64_t count);

/// Why a name cannot be that of an HDF5 object, or an empty text.
[[nodiscard]] std::string defect_of_name(std::string_view name);

/// The attributes of the root that state where things are.
struct SeriesPaths {
  std::string version = "1.1.0";
  std::string encoding = "groupBased";
  std::string format = "/data/%T/";  ///< iterationFormat
  std::string base = "data";         ///< the group of the iterations, without slashes around it; empty: the root
  bool is_numbered = true;           ///< base has a group for each iteration; otherwise it is the only one
  /// Groups in an iteration, without slashes around them; empty: the iteration itself. No value: there are none.
  std::optional<std::string> meshes = "meshes";
  std::optional<std::string> particles = "particles";

  /// Takes the paths from the attributes of a root, and adds them to the layout of the file. Throws unsupported errors
  /// for paths of another kind.
  [[nodiscard]] static SeriesPaths take(std::vector<Attribute>& attributes, std::vector<Fact>& layout);
  /// The attributes of a root with these paths, apart from those of meshes and particles.
  [[nodiscard]] std::vector<Attribute> attributes() const;
  [[nodiscard]] std::string iteration(const std::string& name) const;
};

/// Attributes of the root that exist if any iteration has meshes or particles.
inline constexpr std::string_view meshes_path = "meshesPath";
inline constexpr std::string_view particles_path = "particlesPath";

/// Whether an attribute of the root is one of these.
[[nodiscard]] bool is_structural(std::string_view attribute);

[[nodiscard]] Attribute attribute_of(std::string name, Value value);

}  // namespace quire::hdf5
