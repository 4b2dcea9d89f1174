#pragma once

#include <vector>

#include "format/h5/hdf5.hpp"
#include "format/nektar/type_names.hpp"
#include "quire/model/description.hpp"

namespace quire::nektar {

/// Makes the groups of a file and their attributes. Texts are what the reference reads: of any length, ASCII, with NUL
/// (specs/nektar-fld.md section 5.1). What all of them have in common is made once.
class GroupMaker {
 public:
  GroupMaker();

  /// The group NEKTAR with its version and the metadata, open.
  [[nodiscard]] h5::Handle root(hid_t file, const std::vector<Attribute>& metadata) const;
  /// The group of a kind of blocks.
  void type(hid_t root, const TypeGroup& kind) const;

 private:
  [[nodiscard]] h5::Handle group(hid_t parent, const std::string& name) const;
  void write_text(hid_t object, const std::string& name, const std::string& text) const;
  void write_texts(hid_t object, const std::string& name, const std::vector<std::string>& texts) const;

  h5::Handle creation_;
  h5::Handle text_;
  h5::Handle single_;  ///< the shape of one value
};

}  // namespace quire::nektar
