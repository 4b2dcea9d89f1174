#pragma once

#include <vector>

#include "format/hdf5/library/handle.hpp"
#include "format/nektar/type_names.hpp"
#include "quire/model/description.hpp"

namespace quire::nektar {

/// Creates the groups of a file and their attributes. Texts are as the reference reads them: variable-length, ASCII,
/// null-terminated (specs/nektar-fld.md section 5.1). Types and dataspaces that all of them share are created once.
class GroupMaker {
 public:
  GroupMaker();

  /// Creates the group NEKTAR with its version and the metadata, and returns it open.
  [[nodiscard]] hdf5::Handle root(hid_t file, const std::vector<Attribute>& metadata) const;
  /// Creates the group of a kind of blocks.
  void type(hid_t root, const TypeGroup& kind) const;

 private:
  [[nodiscard]] hdf5::Handle group(hid_t parent, const std::string& name) const;
  void write_text(hid_t object, const std::string& name, const std::string& text) const;
  void write_texts(hid_t object, const std::string& name, const std::vector<std::string>& texts) const;

  hdf5::Handle creation_;
  hdf5::Handle text_;
  hdf5::Handle single_;  ///< a scalar dataspace
};

}  // namespace quire::nektar
