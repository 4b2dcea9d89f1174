#pragma once

#include <hdf5.h>

#include <cstdint>
#include <string>
#include <vector>

#include "format/h5/chunking.hpp"
#include "format/h5/hdf5.hpp"
#include "format/h5/plain/acceptance.hpp"
#include "quire/model/description.hpp"

namespace quire::h5 {

/// One data set that a step makes: its path, its shape, and the attributes that tell what it is.
struct PlannedDataset {
  std::string path;
  Type type = Type::float64;
  std::vector<std::uint64_t> extents;
  std::vector<Attribute> attributes;
  std::vector<std::uint64_t> chunk{};  ///< the shape of its chunks; empty: it is contiguous

  [[nodiscard]] std::uint64_t bytes() const;
};

/// The data sets of a step with these rows in its tables, in the order in which their bytes stand in the file: those of
/// tables, then those of fields, each as described; in chunks if `chunking` says so.
[[nodiscard]] std::vector<PlannedDataset> datasets_of(const StepDescription& step, const PlainRules& rules,
                                                      const std::vector<std::uint64_t>& rows,
                                                      const Chunking* chunking = nullptr);

/// Makes a data set with its attributes, and the groups above it where they are missing. Returns it open.
[[nodiscard]] Handle create_dataset(hid_t file, const PlannedDataset& dataset, hid_t creation);

/// Makes an empty group that tells of a step of attributes alone: without any object a file is one of steps that has
/// none yet.
void mark_without_datasets(hid_t file);

/// Writes attributes with their units to an object, as scalars where they are such.
void write_attributes(hid_t object, const std::vector<Attribute>& attributes);

}  // namespace quire::h5
