#pragma once

#include <hdf5.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "format/hdf5/image/image.hpp"
#include "format/hdf5/library/chunking.hpp"
#include "format/hdf5/library/datasets.hpp"
#include "quire/model/description.hpp"
#include "quire/plan/chunks.hpp"

namespace quire::hdf5 {

/// A field (or an array that the model describes as one) whose datasets can be extended, up to their maximum extents.
/// It has one dataset for each component.
struct GrowingField {
  std::string name;
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
    a(name, type, components, extents, limits, shape, filters, defect);
  }

  /// A new field without elements, with chunks of this shape and these filters.
  [[nodiscard]] static GrowingField fresh(const std::string& name, const Field& field, std::vector<std::uint64_t> shape,
                                          std::vector<Filter> filters);

  /// Extents and chunk shape along the last axes, as many as a field of the model has. Throws conflict errors if the
  /// preceding axes have more than one element.
  [[nodiscard]] std::vector<std::uint64_t> last_extents(std::size_t axes) const;
  [[nodiscard]] std::vector<std::uint64_t> last_shape(std::size_t axes) const;
  /// Rank 0. The stored chunk with this index in an array with other extents.
  [[nodiscard]] Chunk chunk(std::size_t component, const std::vector<std::uint64_t>& other_extents,
                            std::uint64_t index) const;
  /// Records a publication: `places` are those of the components.
  void grow(const std::vector<std::uint64_t>& new_extents, std::span<const PlannedSpace> places,
            const std::vector<std::vector<PackedChunk>>& added);
};

/// The field whose components are these datasets of an open file. If it cannot grow, `defect` states why.
[[nodiscard]] GrowingField growing_field(const std::string& name, const std::vector<hid_t>& components, Image& image,
                                         std::uint64_t memory_budget);

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

/// The new extents of the dataset in the file, which may have more axes than the field.
[[nodiscard]] std::vector<std::uint64_t> extended_extents(const GrowingField& old,
                                                          const std::vector<std::uint64_t>& new_extents);

/// First half of a growth to new extents: releases the chunks that are encoded again. It needs a session of its own;
/// otherwise HDF5 would reuse their space for the new chunks. The dataset may have additional axes in `front` of those
/// of the field, with these extents, which do not change.
void release_chunks(hid_t dataset, const GrowingField& old, const std::vector<std::uint64_t>& new_extents,
                    const std::vector<std::uint64_t>& front = {});
/// Second half: extends one dataset.
void extend_dataset(hid_t dataset, const GrowingField& old, const std::vector<std::uint64_t>& new_extents,
                    const std::vector<std::uint64_t>& front = {});
/// Then adds the chunks of a component to the index; `component` is the index on the first axis, if it exists.
void enter_chunks(hid_t dataset, Image& image, const GrowingField& old, const std::vector<std::uint64_t>& new_extents,
                  std::optional<std::uint64_t> component, std::span<const PackedChunk> chunks);

}  // namespace quire::hdf5
