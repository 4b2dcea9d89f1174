#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "format/h5/hdf5.hpp"
#include "format/h5/image.hpp"
#include "quire/format/options.hpp"
#include "quire/kernels/codec.hpp"
#include "quire/model/type.hpp"
#include "quire/plan/chunks.hpp"

namespace quire::h5 {

/// How the columns of a step are cut into chunks, and how these are encoded.
class Chunking {
 public:
  /// The options below. Throws usage errors.
  explicit Chunking(const CheckedOptions& options);

  /// Rows of a chunk; 0: columns are contiguous.
  [[nodiscard]] std::uint64_t rows() const noexcept { return rows_; }
  [[nodiscard]] bool is_filtered() const noexcept { return filter_ != 0; }
  /// What each chunk of a column of this type goes through.
  [[nodiscard]] std::vector<Filter> pipeline(Type type) const;
  /// How many rows have their place in the file when a column has this many: all of them, in whole chunks. Throws
  /// unsupported errors for numbers beyond 64 bits.
  [[nodiscard]] std::uint64_t stored_rows(std::uint64_t rows) const;

 private:
  std::uint64_t rows_ = 0;
  std::uint32_t filter_ = 0;
  unsigned level_ = 0;
  bool shuffle_ = false;
};

/// The options `chunk`, `filter`, `level` and `shuffle` of a writer.
[[nodiscard]] const std::vector<Option>& chunking_options();

/// Encodes chunks and decodes them; keeps a codec for each pipeline.
class ChunkCoder {
 public:
  /// The values of a chunk, or of its beginning (then zeros follow), as they go into the file.
  [[nodiscard]] std::vector<std::byte> encode(const std::vector<Filter>& pipeline, std::span<const std::byte> values,
                                              std::uint64_t chunk_bytes);
  /// The values that a chunk of the file holds. Throws bad_file errors.
  [[nodiscard]] std::vector<std::byte> decode(const std::vector<Filter>& pipeline, std::uint32_t filter_mask,
                                              std::span<const std::byte> bytes, std::uint64_t chunk_bytes);

 private:
  [[nodiscard]] kernels::Codec& codec(const std::vector<Filter>& pipeline);

  std::vector<std::pair<std::vector<Filter>, kernels::Codec>> codecs_;
};

/// Creation properties of a data set of one dimension in chunks, without time stamps, never filled.
[[nodiscard]] Handle chunked_creation(std::uint64_t rows, const std::vector<Filter>& pipeline);

/// Makes HDF5 enter chunks into the index of a data set of one dimension. Their bytes are dropped: they have their
/// planned places in the file already. `first` is the number of the first of them, `lengths` their bytes.
void index_chunks(hid_t dataset, Image& image, std::uint64_t chunk_rows, std::uint64_t first,
                  std::span<const std::uint64_t> lengths);

}  // namespace quire::h5
