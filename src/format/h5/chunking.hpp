#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "format/h5/hdf5.hpp"
#include "format/h5/image.hpp"
#include "quire/format/format.hpp"
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
  /// Nothing is in chunks.
  Chunking() = default;

  /// The shape of the chunks of a field with these extents; empty: it is contiguous. Throws usage errors for shapes
  /// that were asked for and do not fit.
  [[nodiscard]] std::vector<std::uint64_t> field_shape(const Field& field) const;
  /// Whether fields may come in chunks.
  [[nodiscard]] bool may_chunk_fields() const noexcept { return is_filtered() || !field_shape_.empty(); }
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
  std::vector<std::uint64_t> field_shape_;  ///< as asked for
};

/// The bytes of each chunk of a column with so many rows: as its groups were encoded or, if it has none, all alike.
[[nodiscard]] std::vector<std::uint64_t> column_chunks(const Chunking& chunking, const StepPart& root,
                                                       std::size_t table, std::size_t column, bool is_grouped,
                                                       std::uint64_t rows);

/// Throws unsupported errors for a table of which no rows can be chosen: it adds to one in the file, or its rows are
/// encoded in groups.
void check_row_places(const Table& table, bool is_growth, bool is_grouped);

/// The bytes of the groups of a column on this rank.
[[nodiscard]] std::uint64_t group_bytes(const StepPart& mine, std::size_t table, std::size_t column);

/// Adds a slot for each component of a field: the bytes of its chunks on this rank.
void append_chunk_bytes(Measure& measure, const StepPart& mine, std::size_t field);

/// Lets the library itself read chunks of every filter that we write.
void register_filters();

/// The options `chunk`, `field_chunk`, `filter`, `level` and `shuffle` of a writer.
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

/// Creation properties of a data set in chunks, without time stamps. Chunks that are not there are zeros for whoever
/// reads, if there `may_be_holes`; otherwise nothing is ever filled.
[[nodiscard]] Handle chunked_creation(std::span<const std::uint64_t> shape, const std::vector<Filter>& pipeline,
                                      bool may_be_holes);
/// The extents of a data set, without limits.
[[nodiscard]] Handle unlimited_space(std::span<const std::uint64_t> extents, const std::string& name);

/// Makes HDF5 enter chunks of an array into the index of its data set, which has this array for each component along an
/// axis in front if `component` is given. Their bytes are dropped as below.
void index_chunks(hid_t dataset, Image& image, std::span<const std::uint64_t> extents,
                  std::span<const std::uint64_t> shape, std::optional<std::uint64_t> component,
                  std::span<const PackedChunk> chunks);

/// Makes HDF5 enter chunks into the index of a data set of one dimension. Their bytes are dropped: they have their
/// planned places in the file already. `first` is the number of the first of them, `lengths` their bytes. Or into that
/// of a matrix, for one of its columns.
void index_chunks(hid_t dataset, Image& image, std::uint64_t chunk_rows, std::uint64_t first,
                  std::span<const std::uint64_t> lengths, std::optional<std::uint64_t> column = std::nullopt);

}  // namespace quire::h5
