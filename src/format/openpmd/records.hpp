#pragma once

#include <hdf5.h>

#include <optional>
#include <string>
#include <vector>

#include "format/hdf5/library/chunks.hpp"
#include "format/hdf5/library/compound.hpp"
#include "format/hdf5/library/datasets.hpp"
#include "format/hdf5/library/links.hpp"
#include "quire/model/description.hpp"

namespace quire::hdf5 {

/// One component of a record: a dataset, or a constant in the attributes `value` and `shape` of a group.
struct RecordComponent {
  std::string name;                    ///< empty: the record is scalar
  std::string path;                    ///< of the dataset from the root
  DatasetDescription data;             ///< a constant is a chunk that was never written, with its value as fill value
  std::vector<CompoundValue> members;  ///< if the elements are compounds, such as complex numbers
  std::vector<Attribute> attributes;   ///< of a scalar record, those of the record
  bool is_constant = false;
  [[nodiscard]] bool is_zero() const;
};

/// Gives a constant another type if that has the same value.
void retype_constant(RecordComponent& constant, Type type);

/// One record of a species or of the meshes.
struct Record {
  std::string name;
  std::vector<Attribute> attributes;  ///< of a record with components
  std::vector<RecordComponent> components;
};

/// The place of a group whose records are read.
struct RecordScope {
  hid_t group = H5I_INVALID_HID;
  std::string path;  ///< from the root
  ChunkScope& chunks;
};

/// The record of a link; no value, with a warning, if it holds no values.
[[nodiscard]] std::optional<Record> read_record(const RecordScope& scope, const Link& link);

/// Opens the group of a link, which is checked before; no handle if it is something else or left out.
[[nodiscard]] Handle open_group(hid_t parent, const Link& link, Image& image);

/// Removes what the file states of the unit of a component, `unitSI`, `unitDimension` and `unitSymbol`, and returns its
/// text. What a writer would not restore from this text stays among the attributes of the component.
[[nodiscard]] std::string take_unit(const std::vector<Attribute>& record, std::vector<Attribute>& component);

/// The numbers of an attribute; empty for texts and missing ones.
[[nodiscard]] std::vector<double> numbers_of(const std::vector<Attribute>& attributes, std::string_view name);

/// Removes an attribute if it has the value with which a writer adds it.
void drop_preset(std::vector<Attribute>& attributes, const Attribute& preset);

}  // namespace quire::hdf5
