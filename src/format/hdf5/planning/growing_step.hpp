#pragma once

#include <hdf5.h>

#include <cstdint>
#include <string>
#include <vector>

#include "format/hdf5/planning/field_growth.hpp"
#include "format/hdf5/planning/growing_table.hpp"
#include "format/hdf5/planning/planned_step.hpp"
#include "quire/model/description.hpp"

namespace quire::hdf5 {

class Image;

/// A step whose tables and fields can be extended. A one-dimensional dataset may be both a column of a table and a
/// field; after it has grown as one of these, it no longer counts as the other.
struct GrowingStep {
  std::int64_t number = 0;
  std::string group;  ///< the path of its group in the file; empty: the root
  std::vector<GrowingTable> tables;
  std::vector<GrowingField> fields;
  template <class Archive>
  void archive(Archive& a) {
    a(number, group, tables, fields);
  }

  /// Throw conflict errors for objects that do not exist, and for tables that cannot grow.
  [[nodiscard]] const GrowingTable& table(const std::string& path) const;
  [[nodiscard]] const GrowingField& field(const std::string& name) const;
  /// The same for changes; never fail for an accepted step.
  [[nodiscard]] GrowingTable& at_table(const std::string& path);
  [[nodiscard]] GrowingField& at_field(const std::string& name);
  /// Removes the other entries of datasets that have grown as this table or field.
  void forget_others(const GrowingTable& grown);
  void forget_others(const GrowingField& grown);
};

/// The tables and fields of a growing step to which a step adds, in its order.
struct Grown {
  std::vector<const GrowingTable*> tables;
  std::vector<const GrowingField*> fields;
};

/// First half of a growth: releases the chunks that are encoded again. It needs a session of its own; otherwise HDF5
/// would reuse their space for the new chunks.
void release_step(hid_t file, const GrowingStep& step, const Grown& grown, const StepDescription& added);
/// Second half: extends tables and fields, and adds the new chunks to the indices.
void extend_step(hid_t file, Image& image, const GrowingStep& step, const Grown& grown, const StepDescription& added,
                 const PlannedStep& plan);

}  // namespace quire::hdf5
