#pragma once

#include <hdf5.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "format/hdf5/library/chunks.hpp"
#include "format/hdf5/library/layout_marks.hpp"
#include "format/hdf5/library/open_file.hpp"
#include "quire/model/selection.hpp"
#include "quire/model/value.hpp"
#include "quire/spi/plan/record.hpp"

namespace quire::hdf5 {

/// True if the file has a group of meshes of H5Fed.
[[nodiscard]] bool holds_meshes(OpenFile& file);

/// The unstructured meshes of a file (specs/h5part.md section 6), which belong to no step, as the tables of one step.
///
/// A table is named by the path of its dataset below the group of meshes: `TetMeshes/0/Vertices`, `.../Elems`, and for
/// each tag set `.../Tags/<name>/elems`, `entities` and `values`. Attributes are named by the path of their group and
/// their own name. Partitioned meshes are left out with a warning.
class Meshes {
 public:
  /// Describes all meshes; called inside with_hdf5(). Throws bad_file errors for datasets without the members of a
  /// mesh.
  Meshes(OpenFile& file, std::uint64_t memory_budget, Unwritten unwritten);

  [[nodiscard]] const StepLayout& layout() const noexcept { return layout_; }
  /// Reads rows of a column (table name, slash, column name) whose bytes cannot be addressed.
  void read_opaque(const std::string& object, const Slice& rows, const View& out) const;

 private:
  using ReadRows = std::function<void(hid_t dataset, const Slice& rows, const View& out)>;
  struct Opaque {
    std::string table;
    ReadRows read;
  };

  void add_mesh(hid_t kind, const std::string& path, const std::string& name);
  void add_tags(hid_t mesh, const std::string& path);
  void add_attributes(hid_t group, const std::string& path);
  /// Adds a dataset of compounds that must have these members. Returns false, with a warning, if it does not exist.
  bool add_compounds(hid_t group, const std::string& path, const std::string& name,
                     const std::vector<std::string>& members);
  void add_values(hid_t group, const std::string& path);
  /// Opens a one-dimensional dataset; no handle, with a warning, if it does not exist.
  [[nodiscard]] Handle open_dataset(hid_t group, const std::string& path, const std::string& name);
  void compare_counts(const std::string& path, const std::string& attribute, const std::string& table);

  OpenFile& file_;
  std::uint64_t budget_;
  StepLayout layout_;
  ChunkScope chunks_;
  bool has_integer_tags_ = false;
  std::map<std::string, Opaque, std::less<>> opaque_;
};

}  // namespace quire::hdf5
