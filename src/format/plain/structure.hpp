#pragma once

#include <hdf5.h>

#include <cstdint>
#include <string>
#include <vector>

#include "format/hdf5/library/chunking.hpp"
#include "format/hdf5/library/handle.hpp"
#include "format/plain/acceptance.hpp"
#include "quire/model/description.hpp"

namespace quire::hdf5 {

/// A dataset that a step creates: its path, its shape, and the attributes that describe it.
struct PlannedDataset {
  std::string path;
  Type type = Type::float64;
  std::vector<std::uint64_t> extents;
  std::vector<Attribute> attributes;
  std::vector<std::uint64_t> chunk{};  ///< the shape of its chunks; empty if contiguous

  [[nodiscard]] std::uint64_t bytes() const;
};

/// The datasets of a step with these numbers of rows in its tables, in the order of their bytes in the file: first
/// tables, then fields, in the order of the description; chunked according to `chunking`.
[[nodiscard]] std::vector<PlannedDataset> datasets_of(const StepDescription& step, const PlainRules& rules,
                                                      const std::vector<std::uint64_t>& rows,
                                                      const Chunking* chunking = nullptr);

/// Creates a dataset with its attributes, and missing parent groups. Returns it open.
[[nodiscard]] Handle create_dataset(hid_t file, const PlannedDataset& dataset, hid_t creation);

/// Creates an empty group that marks a step without datasets: a file without any object would be read as a file of
/// steps without any step.
void mark_without_datasets(hid_t file);

/// Writes attributes and their units to an object; single values become scalars.
void write_attributes(hid_t object, const std::vector<Attribute>& attributes);

}  // namespace quire::hdf5
