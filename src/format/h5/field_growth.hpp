#pragma once

#include <hdf5.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "format/h5/chunking.hpp"
#include "format/h5/datasets.hpp"
#include "format/h5/image.hpp"
#include "quire/model/description.hpp"
#include "quire/plan/chunks.hpp"

namespace quire::h5 {

/// A field, or what is one in the model, whose data sets can be extended, up to limits if they have some: one data set
/// for each component.
struct GrowingField {
  std::string name;
  Type type = Type::float64;
  std::uint64_t components = 1;
  std::vector<std::uint64_t> extents;  ///< as in the file
  std::vector<std::uint64_t> limits;   ///< of the extents; none if there are none
  std::vector<std::uint64_t> shape;    ///< of a chunk
  std::vector<Filter> filters;
  std::string defect;                      ///< why it cannot grow
  std::vector<std::vector<Chunk>> chunks;  ///< of each component, in C order; on rank 0 alone
  template <class Archive>
  void archive(Archive& a) {
    a(name, type, components, extents, limits, shape, filters, defect);
  }

  /// One without elements yet, in chunks of this shape that go through these filters.
  [[nodiscard]] static GrowingField fresh(const std::string& name, const Field& field, std::vector<std::uint64_t> shape,
                                          std::vector<Filter> filters);

  /// Extents and shape along the last axes, as many as a field of the model has. Throws conflict errors where there is
  /// something to be seen along those in front.
  [[nodiscard]] std::vector<std::uint64_t> last_extents(std::size_t axes) const;
  [[nodiscard]] std::vector<std::uint64_t> last_shape(std::size_t axes) const;
  /// Rank 0. Where the chunk stands that has this index in an array with other extents.
  [[nodiscard]] Chunk chunk(std::size_t component, const std::vector<std::uint64_t>& other_extents,
                            std::uint64_t index) const;
  /// Takes over what was published: `places` are those of the components.
  void grow(const std::vector<std::uint64_t>& new_extents, std::span<const PlannedSpace> places,
            const std::vector<std::vector<PackedChunk>>& added);
};

/// The field whose components are these data sets of an open file. What cannot grow says why.
[[nodiscard]] GrowingField growing_field(const std::string& name, const std::vector<hid_t>& components, Image& image,
                                         std::uint64_t memory_budget, bool by_library);

inline constexpr std::uint64_t no_limit = H5S_UNLIMITED;
/// How far a data set can be extended along each axis.
[[nodiscard]] std::vector<std::uint64_t> limits_of(hid_t dataset, const std::string& name);
/// Why one engine or the other cannot add to the chunks of a data set, or an empty text. Parallel HDF5 allocates all
/// chunks as soon as there is room for them: so it makes data sets, and can only extend such ones. Ours allocates each
/// when it is written, and extends the others where it knows in which order the library will allocate: if it is a line
/// that gets rows (`is_line`), all of whose chunks are new and, without a filter, of one length.
[[nodiscard]] std::string allocation_defect(hid_t dataset, bool by_library, const std::string& name,
                                            bool is_line = false);
/// Why chunks of ours cannot be added to those of a data set, or an empty text.
[[nodiscard]] std::string growth_defect(const DatasetDescription& data);
/// The same for a field, whose limits are taken over: one at least must leave room.
[[nodiscard]] std::string growth_defect(const DatasetDescription& data, hid_t dataset, GrowingField& field,
                                        bool by_library);

/// The field of an accepted step with the type of the file. Throws conflict errors if it cannot grow, or does not fit.
[[nodiscard]] Field grown_field(const GrowingField& old, const Field& added);

/// The new extents of what is in the file, which may have axes that the field has not.
[[nodiscard]] std::vector<std::uint64_t> extended_extents(const GrowingField& old,
                                                          const std::vector<std::uint64_t>& new_extents);

/// The first half of a growth to new extents: lets go of the chunks that are encoded again. In a session of its own, or
/// HDF5 would put the new ones into the space that it frees. The data set may have further axes in `front` of those
/// of the field, with these extents, which stay as they are.
void release_chunks(hid_t dataset, const GrowingField& old, const std::vector<std::uint64_t>& new_extents,
                    const std::vector<std::uint64_t>& front = {});
/// The second half: extends one data set.
void extend_dataset(hid_t dataset, const GrowingField& old, const std::vector<std::uint64_t>& new_extents,
                    const std::vector<std::uint64_t>& front = {});
/// Then enters the chunks of a component, the place on an axis in front if there is one.
void enter_chunks(hid_t dataset, Image& image, const GrowingField& old, const std::vector<std::uint64_t>& new_extents,
                  std::optional<std::uint64_t> component, std::span<const PackedChunk> chunks);

}  // namespace quire::h5
