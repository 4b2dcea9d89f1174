#pragma once

#include <hdf5.h>

#include <optional>
#include <string>
#include <vector>

#include "format/hdf5/image/image.hpp"
#include "quire/format/options.hpp"
#include "quire/spi/plan/chunks.hpp"

namespace quire::hdf5 {

/// Whether datasets are described of which almost nothing was written.
enum class Unwritten : std::uint8_t { refused, allowed };
/// The reader's option for this, and its value.
[[nodiscard]] Option unwritten_option();
[[nodiscard]] Unwritten unwritten_of(const CheckedOptions& options);

/// The context for describing datasets: their file, the memory left for tables of chunks, and whether most of a dataset
/// may be unwritten.
struct ChunkScope {
  Image& image;
  std::uint64_t memory_budget;         ///< also the limit for one chunk
  std::uint64_t table_bytes;           ///< left for tables of chunks
  std::vector<std::string>& warnings;  ///< of datasets that are read more slowly than others
  Unwritten unwritten;

  ChunkScope(Image& file, std::uint64_t budget, std::vector<std::string>& texts, Unwritten missing = Unwritten::allowed)
      : image(file), memory_budget(budget), table_bytes(budget / 4), warnings(texts), unwritten(missing) {}
};

/// Describes the chunks of an open dataset with this creation list and numbers of `element_bytes`. Returns no value if
/// the dataset is not chunked or only HDF5 can read it: unknown filters, chunks or tables beyond the memory budget.
/// Throws bad_file errors for chunks that are outside the file or are larger than possible.
[[nodiscard]] std::optional<ChunkedLayout> describe_chunks(hid_t dataset, hid_t creation, const std::string& name,
                                                           std::vector<std::uint64_t> extents,
                                                           std::uint64_t element_bytes, ChunkScope& scope);

/// The same for chunks that only HDF5 can read, without their places. Readers can align their boxes with the chunks.
/// Returns no value if the dataset is not chunked.
[[nodiscard]] std::optional<ChunkedLayout> describe_chunk_shape(hid_t creation,
                                                                const std::vector<std::uint64_t>& extents,
                                                                std::uint64_t element_bytes);

/// A message if an open dataset claims far more elements than the file holds: reading the unwritten elements as fill
/// values could take hours. Empty for other datasets. Small datasets may be unwritten, since HDF5 allocates late.
[[nodiscard]] std::string excessive_claim(hid_t dataset, const std::string& name,
                                          const std::vector<std::uint64_t>& extents, const FileEnds& ends);

/// Throws an unsupported error with this message, unless the `scope` allows unwritten datasets.
void check_written(hid_t dataset, const std::string& name, const std::vector<std::uint64_t>& extents,
                   const ChunkScope& scope);

/// Whether an open dataset has chunks that were never allocated and are read as fill values. Iterates over its index
/// once.
[[nodiscard]] bool lacks_chunks(hid_t dataset, const std::string& name);

}  // namespace quire::hdf5
