#pragma once

#include <hdf5.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "format/hdf5/image/planned_space.hpp"
#include "quire/model/description.hpp"
#include "quire/spi/format/planner.hpp"
#include "quire/spi/plan/chunks.hpp"

namespace quire::hdf5 {

class Image;
struct DatasetDescription;

/// A field (or an array that the model describes as one) whose datasets can be extended, up to their maximum extents.
/// It has one dataset for each component, or one dataset with an additional first axis for them.
struct GrowingField {
  std::string name;
  std::vector<std::string> paths{};  ///< of its datasets, in the group of the step
  Type type = Type::float64;
  std::uint64_t components = 1;
  std::vector<std::uint64_t> extents;  ///< as in the file
  std::vector<std::uint64_t> limits;   ///< maximum extents; empty if unlimited
  std::vector<std::uint64_t> shape;    ///< of a chunk
  std::vector<Filter> filters;
  std::string defect;                      ///< why it cannot grow
  std::vector<std::vector<Chunk>> chunks;  ///< of each component, in C order; on rank 0 only
  template <class Archive>
  void archive(Archive& a) {
    a(name, paths, type, components, extents, limits, shape, filters, defect);
  }

  /// Whether all components are in one dataset.
  [[nodiscard]] bool is_joined() const noexcept { return paths.size() == 1 && components != 1; }

  /// A new field without elements, with chunks of this shape and these filters, in these datasets.
  [[nodiscard]] static GrowingField fresh(const std::string& name, const Field& field, std::vector<std::uint64_t> shape,
                                          std::vector<Filter> filters, std::vector<std::string> paths);

  /// Extents and chunk shape along the last axes, as many as a field of the model has. Throws conflict errors if the
  /// preceding axes have more than one element.
  [[nodiscard]] std::vector<std::uint64_t> last_extents(std::size_t axes) const;
  [[nodiscard]] std::vector<std::uint64_t> last_shape(std::size_t axes) const;
  /// Rank 0. The stored chunk with this index in an array with other extents.
  [[nodiscard]] Chunk chunk(std::size_t component, const std::vector<std::uint64_t>& other_extents,
                            std::uint64_t index) const;
  /// Records a publication: `places` are those of the components.
  void grow(const std::vector<std::uint64_t>& new_extents, std::span<const PlannedSpace> places,
            std::span<const std::vector<PackedChunk>> added);
};

/// The field with these datasets, one for each component, in the group of a step. If it cannot grow, `defect` states
/// why.
[[nodiscard]] GrowingField growing_field(hid_t group, const std::string& name, std::vector<std::string> paths,
                                         Image& image, std::uint64_t memory_budget);

inline constexpr std::uint64_t no_limit = H5S_UNLIMITED;
/// The maximum extents of a dataset.
[[nodiscard]] std::vector<std::uint64_t> limits_of(hid_t dataset, const std::string& name);
/// Why chunks cannot be added to those of a dataset, or an empty text. Parallel HDF5 allocates all chunks of a dataset
/// early, when it is created or extended. Such a dataset can be extended only if the order of allocation is known: for
/// rows of a one-dimensional dataset (`is_line`), if all its chunks are new and, without a filter, have the same size.
[[nodiscard]] std::string allocation_defect(hid_t dataset, const std::string& name, bool is_line);
/// Why our chunks cannot be added to those of a dataset, or an empty text.
[[nodiscard]] std::string growth_defect(const DatasetDescription& data);
/// The same for a field. Sets its limits; it must be possible to extend at least one axis.
[[nodiscard]] std::string growth_defect(const DatasetDescription& data, hid_t dataset, GrowingField& field);

/// The field of an accepted step with the type of the file. Throws conflict errors if it cannot grow or does not fit.
[[nodiscard]] Field grown_field(const GrowingField& old, const Field& added);

/// First half of a growth to new extents: releases the chunks that are encoded again. It needs a session of its own;
/// otherwise HDF5 would reuse their space for the new chunks. `group` is that of the step.
void release_chunks(hid_t group, const GrowingField& old, const std::vector<std::uint64_t>& new_extents);
/// Second half: extends the datasets and adds the chunks of each component to their indices.
void extend_field(hid_t group, Image& image, const GrowingField& old, const std::vector<std::uint64_t>& new_extents,
                  std::span<const std::vector<PackedChunk>> chunks);

}  // namespace quire::hdf5
