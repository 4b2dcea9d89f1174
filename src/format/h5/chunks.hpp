#pragma once

#include <hdf5.h>

#include <optional>
#include <string>
#include <vector>

#include "format/h5/image.hpp"
#include "quire/format/options.hpp"
#include "quire/plan/chunks.hpp"

namespace quire::h5 {

/// Whether data sets may be described of which nearly nothing was ever written.
enum class Unwritten : std::uint8_t { refused, allowed };
/// The reader's option that allows it, and what it says.
[[nodiscard]] Option unwritten_option();
[[nodiscard]] Unwritten unwritten_of(const CheckedOptions& options);

/// What describing data sets shares: the file they stand in, how much memory the tables of chunks may take, and how
/// much may be missing.
struct ChunkScope {
  Image& image;
  std::uint64_t memory_budget;         ///< also for one chunk
  std::uint64_t table_bytes;           ///< left for tables of chunks
  std::vector<std::string>& warnings;  ///< of what is read more slowly than it could be
  Unwritten unwritten;

  ChunkScope(Image& file, std::uint64_t budget, std::vector<std::string>& texts, Unwritten missing = Unwritten::allowed)
      : image(file), memory_budget(budget), table_bytes(budget / 4), warnings(texts), unwritten(missing) {}
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

/// That an open data set claims far more elements than the file holds, which were never written: whatever reads all of
/// it would be busy for hours with fill values. Empty for others; what is small may be missing, as HDF5 allocates late.
[[nodiscard]] std::string excessive_claim(hid_t dataset, const std::string& name,
                                          const std::vector<std::uint64_t>& extents, const FileEnds& ends);

/// Throws the unsupported error that it does, unless the `scope` allows it.
void check_written(hid_t dataset, const std::string& name, const std::vector<std::uint64_t>& extents,
                   const ChunkScope& scope);

/// Whether chunks of an open data set were never made, and read as fill values. Goes through its index once.
[[nodiscard]] bool lacks_chunks(hid_t dataset, const std::string& name);

}  // namespace quire::h5
