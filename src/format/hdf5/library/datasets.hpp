#pragma once

#include <hdf5.h>

#include <optional>
#include <string>
#include <vector>

#include "format/hdf5/image/split.hpp"
#include "format/hdf5/library/chunks.hpp"
#include "format/hdf5/library/handle.hpp"
#include "quire/model/selection.hpp"
#include "quire/model/type.hpp"
#include "quire/model/value.hpp"
#include "quire/spi/plan/record.hpp"

namespace quire::hdf5 {

/// The bytes that one call of HDF5 reads where rows are read in blocks.
inline constexpr std::size_t bytes_at_once = std::size_t{1} << 20;

/// A dataset of numbers or texts: its shape and the places of its elements.
struct DatasetDescription {
  Type type = Type::float64;
  std::vector<std::uint64_t> extents;  ///< slowest first; none for a scalar
  Run run;  ///< one cell of column 0; opaque, with the shape of chunks, if only HDF5 can read it
};

/// The dataset with this path in a group.
[[nodiscard]] Handle open_dataset(hid_t group, const std::string& path);

/// The shape of an open dataset; one extent of 0 if its dataspace is null.
[[nodiscard]] std::vector<std::uint64_t> extents_of(hid_t dataset, const std::string& name);

/// Locates the elements of an open dataset in a file with these `ends`. Sets all of `data.run` except order and cells,
/// which describe one element of `element_bytes` in the file if the cells are `direct`. Throws as below.
void place_elements(hid_t dataset, const std::string& name, const FileEnds& ends, std::uint64_t element_bytes,
                    bool direct, DatasetDescription& data);

/// The size in bytes of one unfiltered chunk of an open dataset; 0 if it is not chunked.
[[nodiscard]] std::uint64_t chunk_bytes(hid_t dataset, const std::string& name);

/// Refuses datasets that the library would read from other files, or with more memory than allowed.
void check_storage(hid_t dataset, const std::string& name, std::uint64_t memory_budget);

/// Describes an open dataset of a file with these `ends`. Returns no value if its type holds neither numbers nor texts.
/// Without `chunks`, chunked datasets are opaque. Throws bad_file errors if its bytes are outside the file.
[[nodiscard]] std::optional<DatasetDescription> describe_dataset(hid_t dataset, const std::string& name,
                                                                 const FileEnds& ends, ChunkScope* chunks = nullptr);

/// Reads elements, counted in C order, through libhdf5 into `out`, with conversion if the type of the view holds every
/// value of `type`. Other conversions are type errors. References of variable-length texts are checked first, in the
/// `image` of the file.
void read_dataset(Image& image, hid_t dataset, const std::string& name, Type type, const Slice& rows, const View& out,
                  std::uint64_t memory_budget);
/// The same for datasets of numbers.
void read_dataset(hid_t dataset, const std::string& name, Type type, const Slice& rows, const View& out,
                  std::uint64_t memory_budget);

/// The same for one component of a field: elements at one index of the first axis of a dataset of numbers.
void read_component(hid_t dataset, const std::string& name, Type type, std::uint64_t component, const Slice& elements,
                    const View& out, std::uint64_t memory_budget);

}  // namespace quire::hdf5
