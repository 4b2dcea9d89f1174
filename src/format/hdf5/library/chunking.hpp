#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "format/hdf5/image/image.hpp"
#include "format/hdf5/library/handle.hpp"
#include "kernels/codec.hpp"
#include "quire/format/options.hpp"
#include "quire/model/type.hpp"
#include "quire/spi/format/planner.hpp"
#include "quire/spi/plan/chunks.hpp"

namespace quire::hdf5 {

/// How the columns and fields of a step are divided into chunks, and how these are encoded.
class Chunking {
 public:
  /// Reads the options of chunking_options(). Throws usage errors.
  explicit Chunking(const CheckedOptions& options);
  /// Everything is contiguous.
  Chunking() = default;

  /// The shape of the chunks of a field with these extents; empty if it is contiguous. Throws usage errors if the shape
  /// of the option `field_chunk` does not fit.
  [[nodiscard]] std::vector<std::uint64_t> field_shape(const Field& field) const;
  /// Whether fields may be chunked.
  [[nodiscard]] bool may_chunk_fields() const noexcept { return is_filtered() || !field_shape_.empty(); }
  /// Rows of a chunk; 0 if columns are contiguous.
  [[nodiscard]] std::uint64_t rows() const noexcept { return rows_; }
  [[nodiscard]] bool is_filtered() const noexcept { return filter_ != 0; }
  /// The filters for each chunk of a column of this type.
  [[nodiscard]] std::vector<Filter> pipeline(Type type) const;
  /// The number of rows that are stored for a column with `rows` rows: `rows`, rounded up to whole chunks. Throws
  /// unsupported errors if it exceeds 64 bits.
  [[nodiscard]] std::uint64_t stored_rows(std::uint64_t rows) const;

 private:
  std::uint64_t rows_ = 0;
  std::uint32_t filter_ = 0;
  unsigned level_ = 0;
  bool shuffle_ = false;
  std::vector<std::uint64_t> field_shape_;  ///< as given by the option
};

/// The size in bytes of each chunk of a column with `rows` rows: the sizes of its encoded groups or, if it has no
/// groups, the size of a full chunk.
[[nodiscard]] std::vector<std::uint64_t> column_chunks(const Chunking& chunking, const StepPart& root,
                                                       std::size_t table, std::size_t column, bool is_grouped,
                                                       std::uint64_t rows);

/// Throws unsupported errors if the rows of a table cannot be chosen, because the table adds to an existing one or
/// because its rows are encoded in groups.
void check_row_places(const Table& table, bool is_growth, bool is_grouped);

/// The bytes of the groups of a column on this rank.
[[nodiscard]] std::uint64_t group_bytes(const StepPart& mine, std::size_t table, std::size_t column);

/// Appends one slot for each component of a field: the bytes of its chunks on this rank.
void append_chunk_bytes(Measure& measure, const StepPart& mine, std::size_t field);

/// Registers our filters with HDF5, which can then read all chunks that we write.
void register_filters();

/// The options `chunk`, `field_chunk`, `filter`, `level` and `shuffle` of a writer.
[[nodiscard]] const std::vector<Option>& chunking_options();

/// Encodes and decodes chunks. Keeps one codec for each pipeline.
class ChunkCoder {
 public:
  /// Encodes the values of a chunk; missing values at the end are zeros.
  [[nodiscard]] std::vector<std::byte> encode(const std::vector<Filter>& pipeline, std::span<const std::byte> values,
                                              std::uint64_t chunk_bytes);
  /// Decodes a chunk of a file. Throws bad_file errors.
  [[nodiscard]] std::vector<std::byte> decode(const std::vector<Filter>& pipeline, std::uint32_t filter_mask,
                                              std::span<const std::byte> bytes, std::uint64_t chunk_bytes);

 private:
  [[nodiscard]] kernels::Codec& codec(const std::vector<Filter>& pipeline);

  std::vector<std::pair<std::vector<Filter>, kernels::Codec>> codecs_;
};

/// Creation properties of a chunked dataset, without time stamps. If there `may_be_holes`, missing chunks are read as
/// zeros; otherwise no fill values are written.
[[nodiscard]] Handle chunked_creation(std::span<const std::uint64_t> shape, const std::vector<Filter>& pipeline,
                                      bool may_be_holes);
/// A dataspace with these extents and unlimited maximum extents.
[[nodiscard]] Handle unlimited_space(std::span<const std::uint64_t> extents, const std::string& name);

/// Adds chunks of an array to the index of its dataset. If `component` is given, the dataset has an additional first
/// axis with one such array for each component. The bytes of the chunks are dropped as below.
void index_chunks(hid_t dataset, Image& image, std::span<const std::uint64_t> extents,
                  std::span<const std::uint64_t> shape, std::optional<std::uint64_t> component,
                  std::span<const PackedChunk> chunks);

/// Adds chunks to the index of a one-dimensional dataset or, if `column` is given, to the index of a matrix for this
/// column. `first` is the number of the first chunk, `lengths` are the sizes in bytes. What HDF5 writes is dropped,
/// because the bytes are already stored at their planned places.
void index_chunks(hid_t dataset, Image& image, std::uint64_t chunk_rows, std::uint64_t first,
                  std::span<const std::uint64_t> lengths, std::optional<std::uint64_t> column = std::nullopt);

}  // namespace quire::hdf5
