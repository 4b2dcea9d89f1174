#pragma once

#include <hdf5.h>

#include <optional>
#include <string>
#include <vector>

#include "format/h5/image.hpp"
#include "quire/plan/chunks.hpp"

namespace quire::h5 {

/// What describing chunked data sets shares: the file they stand in, and how much memory their tables of chunks may
/// take.
struct ChunkScope {
  Image& image;
  std::uint64_t memory_budget;         ///< also for one chunk
  std::uint64_t table_bytes;           ///< left for tables of chunks
  std::vector<std::string>& warnings;  ///< of what is read more slowly than it could be

  ChunkScope(Image& file, std::uint64_t budget, std::vector<std::string>& texts)
      : image(file), memory_budget(budget), table_bytes(budget / 4), warnings(texts) {}
};

/// Describes the chunks of an open data set with this creation list, which holds numbers of `element_bytes`. Nothing if
/// it is not chunked, or only HDF5 can read it: unknown filters, chunks or tables beyond the memory budget.
/// Throws bad_file errors for chunks that lie outside the file or are larger than they can be.
[[nodiscard]] std::optional<ChunkedLayout> describe_chunks(hid_t dataset, hid_t creation, const std::string& name,
                                                           std::vector<std::uint64_t> extents,
                                                           std::uint64_t element_bytes, ChunkScope& scope);

/// The same of chunks that only HDF5 can read, without their places: what reads box by box need not tear them apart.
/// Nothing if the data set is not chunked.
[[nodiscard]] std::optional<ChunkedLayout> describe_chunk_shape(hid_t creation,
                                                                const std::vector<std::uint64_t>& extents,
                                                                std::uint64_t element_bytes);

/// Whether chunks of an open data set were never made, and read as fill values. Goes through its index once.
[[nodiscard]] bool lacks_chunks(hid_t dataset, const std::string& name);

}  // namespace quire::h5
