#pragma once

#include <hdf5.h>

#include <optional>
#include <string>
#include <vector>

#include "format/h5/chunks.hpp"
#include "format/h5/split.hpp"
#include "quire/model/slice.hpp"
#include "quire/model/type.hpp"
#include "quire/model/view.hpp"
#include "quire/plan/record.hpp"

namespace quire::h5 {

/// A data set of numbers or texts: its shape and where its elements stand.
struct DatasetDescription {
  Type type = Type::float64;
  std::vector<std::uint64_t> extents;  ///< slowest first; none for a scalar
  Run run;  ///< one cell of column 0; opaque if only HDF5 can read it, with the shape of chunks
};

/// The shape of an open data set; one extent of 0 if it has no elements at all.
[[nodiscard]] std::vector<std::uint64_t> extents_of(hid_t dataset, const std::string& name);

/// Finds the elements of an open data set of a file that `ends` there: sets all of `data.run` but order and cells,
/// which describe one element that takes `element_bytes` in the file if the cells are `direct`. Throws as below.
void place_elements(hid_t dataset, const std::string& name, const FileEnds& ends, std::uint64_t element_bytes,
                    bool direct, DatasetDescription& data);

/// The bytes of one chunk of an open data set without its filters; 0 if it is not in chunks.
[[nodiscard]] std::uint64_t chunk_bytes(hid_t dataset, const std::string& name);

/// Refuses what the library would read from other files behind our back, or with more memory than allowed.
void check_storage(hid_t dataset, const std::string& name, std::uint64_t memory_budget);

/// Describes an open data set of a file that `ends` there. Nothing if its type holds neither numbers nor texts.
/// Without `chunks` chunked ones are opaque. Throws bad_file errors when its bytes lie outside the file.
[[nodiscard]] std::optional<DatasetDescription> describe_dataset(hid_t dataset, const std::string& name,
                                                                 const FileEnds& ends, ChunkScope* chunks = nullptr);

/// Reads elements, counted in C order, through libhdf5 into `out`, converting where every value of `type` fits the
/// view's. Other conversions are type errors. What texts of any length refer to is looked up in the `image` of the file
/// first.
void read_dataset(Image& image, hid_t dataset, const std::string& name, Type type, const Slice& rows, const View& out,
                  std::uint64_t memory_budget);
/// The same for data sets of numbers.
void read_dataset(hid_t dataset, const std::string& name, Type type, const Slice& rows, const View& out,
                  std::uint64_t memory_budget);

/// The same for elements at one place of the first axis of a data set of numbers: of a component of a field.
void read_component(hid_t dataset, const std::string& name, Type type, std::uint64_t component, const Slice& elements,
                    const View& out, std::uint64_t memory_budget);

}  // namespace quire::h5
