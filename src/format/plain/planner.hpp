#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "format/hdf5/library/chunking.hpp"
#include "format/hdf5/planning/file_planner.hpp"
#include "format/hdf5/planning/placing.hpp"
#include "format/plain/growth.hpp"
#include "format/plain/structure.hpp"
#include "quire/format/format.hpp"

namespace quire::hdf5 {

/// Plans and publishes the one step of a plain HDF5 file, and its growth.
///
/// The raw data of all datasets are consecutive, so that every rank computes their places from the numbers of rows.
/// HDF5's structures are created in memory on rank 0 and stored before and after them.
class PlainPlanner final : public FilePlanner {
 public:
  /// Options: `layout`, `dataset`, `grow`, chunking_options(), and those of with_split(), with_alignment()
  /// and with_library_version().
  explicit PlainPlanner(const CheckedOptions& options);

  [[nodiscard]] static PlainRules rules_of(const CheckedOptions& options);

  [[nodiscard]] Publication resume(std::shared_ptr<ByteSource> existing, std::optional<std::int64_t> after,
                                   bool drop) override;
  [[nodiscard]] std::vector<std::byte> state() const override;
  void adopt(std::span<const std::byte> state) override;
  void set_file(const FileDescription& file) override { file_attributes_ = accepted_file(file); }
  void add_to_file(const Attribute& attribute) override;
  [[nodiscard]] StepDescription accept(const StepDescription& step, bool lossy) const override;
  void require_row_places(const StepDescription& step, std::size_t table) const override;
  [[nodiscard]] bool groups_rows() const override { return chunking_.may_chunk_fields() || grows_; }
  [[nodiscard]] Grouping grouping(const StepDescription& step, std::size_t table) const override;
  [[nodiscard]] PackedGroup pack_group(const StepDescription& step, std::size_t table, std::size_t column,
                                       std::span<const std::byte> values) const override;
  [[nodiscard]] std::vector<std::uint64_t> chunk_shape(const StepDescription& step, std::size_t field) const override;
  [[nodiscard]] PackedGroup pack_chunk(const StepDescription& step, std::size_t field,
                                       std::span<const std::byte> values) const override;
  [[nodiscard]] Extent open_group(const StepDescription& step, std::size_t table, std::size_t column) const override;
  [[nodiscard]] std::vector<std::byte> unpack_group(const StepDescription& step, std::size_t table, std::size_t column,
                                                    std::span<const std::byte> bytes) const override;
  [[nodiscard]] std::vector<std::uint64_t> held_extents(const StepDescription& step, std::size_t field) const override;
  [[nodiscard]] Chunk held_chunk(const StepDescription& step, std::size_t field, std::size_t component,
                                 std::uint64_t index) const override;
  [[nodiscard]] std::vector<std::byte> unpack_chunk(const StepDescription& step, std::size_t field, const Chunk& chunk,
                                                    std::span<const std::byte> bytes) const override;
  /// A slot for the rows of each table and for the elements of each field; then one for each column with the sizes of
  /// its chunks if these are not known in advance, and one for the chunks of each component of chunked fields.
  [[nodiscard]] Measure measure(const StepPart& mine, bool root) const override;
  [[nodiscard]] Placement place(const StepPart& mine, const Measure& before, const Measure& total,
                                bool root) const override;
  [[nodiscard]] Publication publish(const StepPart& mine, const Measure& total) override;
  void advance(const StepPart& mine, const Measure& total, bool published) override;
  [[nodiscard]] bool grows() const override { return grows_; }
  [[nodiscard]] Publication finish() override;

 private:
  /// The places of the bytes of each dataset (of each column if columns have their own chunks), and of each component
  /// of each field.
  struct RawLayout {
    std::vector<PlannedSpace> spaces;
    std::vector<std::vector<PlannedSpace>> components;
    std::uint64_t end = 0;
  };
  [[nodiscard]] RawLayout lay_out(const StepDescription& step, const Measure& total) const;
  [[nodiscard]] std::vector<Run> runs_of(const StepPart& mine, std::size_t table, const PlannedSpace* spaces,
                                         std::uint64_t before) const;
  /// The places where raw data are allocated: those of datasets, or of their chunks.
  [[nodiscard]] std::vector<PlannedSpace> planned(const StepPart& root, const RawLayout& layout,
                                                  const Measure& total) const;
  /// Whether a step adds to the existing one.
  [[nodiscard]] bool is_growth(const StepDescription& step) const;
  /// Whether rows are encoded in groups. Added rows always are, together with the open ones.
  [[nodiscard]] bool is_grouped(const StepDescription& step) const;
  /// Whether columns have chunks of their own.
  [[nodiscard]] bool is_chunked(const StepDescription& step) const;
  /// Whether each table is one extent of the file, row by row.
  [[nodiscard]] bool is_matrix(const StepDescription& step) const;
  [[nodiscard]] const GrowingTable& growing(const StepDescription& step, std::size_t table) const;
  [[nodiscard]] const GrowingField& growing_field(const StepDescription& step, std::size_t field) const;
  [[nodiscard]] std::vector<Filter> pipeline(const StepDescription& step, std::size_t field) const;
  [[nodiscard]] StepDescription accept_growth(const StepDescription& step, bool lossy) const;
  /// The sizes of the chunks of each column, in the order of their rows; empty if columns have no chunks.
  [[nodiscard]] ColumnChunks chunk_lengths(const StepPart& root, const Measure& total) const;
  void make_tables(hid_t file, const StepPart& root, const RawLayout& layout, const Measure& total,
                   std::span<const PlannedDataset> datasets);
  void make_fields(hid_t file, const StepPart& root, std::span<const PlannedSpace> spaces,
                   std::span<const PlannedDataset> datasets);
  [[nodiscard]] Handle make_dataset(hid_t file, const PlannedDataset& dataset, const PlannedSpace& space) const;
  [[nodiscard]] Publication publish_growth(const StepPart& mine, const Measure& total);
  /// How the file can grow after a step is published.
  [[nodiscard]] std::optional<GrowingData> grown(const StepPart& mine, const Measure& total) const;

  PlainRules rules_;
  Chunking chunking_;
  mutable ChunkCoder coder_{};  ///< only its buffers change
  bool grows_;
  std::vector<Attribute> file_attributes_;  ///< to be written with the next publication
  bool has_published_ = false;
  bool is_written_ = false;             ///< the one step
  std::optional<GrowingData> growing_;  ///< the step, if it can grow and the option is set
};

}  // namespace quire::hdf5
