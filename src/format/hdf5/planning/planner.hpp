#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "format/hdf5/library/chunking.hpp"
#include "format/hdf5/planning/file_planner.hpp"
#include "format/hdf5/planning/layout.hpp"
#include "quire/format/options.hpp"
#include "quire/spi/format/planner.hpp"

namespace quire::hdf5 {

/// Plans and publishes steps of tables and fields in HDF5 files of any layout.
///
/// The raw data of a step begin at the published end of the file, rounded up, in the order of the description: every
/// rank computes their places from the numbers of rows. HDF5's own structures are created in memory on rank 0 and
/// stored before and after them.
class Hdf5Planner final : public FilePlanner,
                          public RowGroupCodec,
                          public FieldChunkCodec,
                          public RowPlacer,
                          public ZoneRecorder,
                          public AttributeAdder {
 public:
  /// Options: `grow`, and those of chunking_options(), with_split(), with_alignment() and with_library_version().
  Hdf5Planner(const CheckedOptions& options, std::unique_ptr<Layout> layout);

  [[nodiscard]] Publication resume(std::shared_ptr<ByteSource> existing, std::optional<std::int64_t> after,
                                   bool drop) override;
  [[nodiscard]] std::vector<std::byte> state() const override;
  void adopt(std::span<const std::byte> state) override;
  void set_file(const FileDescription& file) override;
  void add_to_file(const Attribute& attribute) override;
  [[nodiscard]] StepDescription accept(const StepDescription& step, bool lossy) const override;
  void require_row_places(const StepDescription& step, std::size_t table) const override;
  [[nodiscard]] std::optional<ZoneTable> zones_of(const StepDescription& step, std::size_t table) const override {
    return layout_->zones_of(step, table);
  }
  [[nodiscard]] std::uint64_t rows_before(const Measure& before, std::size_t table) const override {
    return before[table];
  }
  [[nodiscard]] Grouping grouping(const StepDescription& step, std::size_t table) const override;
  [[nodiscard]] PackedGroup pack_group(const StepDescription& step, std::size_t table, std::size_t column,
                                       std::span<const std::byte> values) const override;
  [[nodiscard]] Extent open_group(const StepDescription& step, std::size_t table, std::size_t column) const override;
  [[nodiscard]] std::vector<std::byte> unpack_group(const StepDescription& step, std::size_t table, std::size_t column,
                                                    std::span<const std::byte> bytes) const override;
  [[nodiscard]] std::vector<std::uint64_t> chunk_shape(const StepDescription& step, std::size_t field) const override;
  [[nodiscard]] PackedGroup pack_chunk(const StepDescription& step, std::size_t field,
                                       std::span<const std::byte> values) const override;
  [[nodiscard]] std::vector<std::uint64_t> held_extents(const StepDescription& step, std::size_t field) const override;
  [[nodiscard]] Chunk held_chunk(const StepDescription& step, std::size_t field, std::size_t component,
                                 std::uint64_t index) const override;
  [[nodiscard]] std::vector<std::byte> unpack_chunk(const StepDescription& step, std::size_t field, const Chunk& chunk,
                                                    std::span<const std::byte> bytes) const override;
  /// A slot for the rows of each table and, if the layout counts them, for the elements of each field; then one for
  /// each column with the sizes of its chunks if these are not known in advance, and one for the chunks of each
  /// component of chunked fields.
  [[nodiscard]] Measure measure(const StepPart& mine, bool root) const override;
  [[nodiscard]] Placement place(const StepPart& mine, const Measure& before, const Measure& total,
                                bool root) const override;
  [[nodiscard]] Publication publish(const StepPart& mine, const Measure& total) override;
  void advance(const StepPart& mine, const Measure& total, bool published) override;
  [[nodiscard]] Publication finish() override;
  [[nodiscard]] PlannerCapabilities capabilities() override;

 private:
  /// Whether a step adds to the existing one of its number.
  [[nodiscard]] bool is_growth(const StepDescription& step) const;
  /// Whether rows are encoded in groups. Added rows always are, together with the open ones.
  [[nodiscard]] bool is_grouped(const StepDescription& step) const;
  /// Whether columns have chunks of their own.
  [[nodiscard]] bool is_chunked(const StepDescription& step) const;
  /// Whether each table is one extent of the file, row by row.
  [[nodiscard]] bool is_matrix(const StepDescription& step) const;
  [[nodiscard]] const GrowingTable& growing(const Table& table) const;
  [[nodiscard]] const GrowingField& growing(const Field& field) const;
  [[nodiscard]] Grown growing(const StepDescription& step) const;
  /// The filters of the chunks of a column and of a field.
  [[nodiscard]] std::vector<Filter> pipeline(const StepDescription& step, const Table& table,
                                             const Column& column) const;
  [[nodiscard]] std::vector<Filter> pipeline(const StepDescription& step, const Field& field) const;
  [[nodiscard]] StepDescription accept_growth(const StepDescription& step, bool lossy) const;
  /// The number of slots before those of chunks.
  [[nodiscard]] std::size_t first_chunk_slot(const StepDescription& step) const;
  [[nodiscard]] PlannedStep lay_out(const StepDescription& step, const Measure& total) const;
  /// The same with the chunks.
  [[nodiscard]] PlannedStep plan(const StepPart& root, const Measure& total) const;
  /// How the most recently published step can grow.
  [[nodiscard]] std::optional<GrowingStep> grown(const StepPart& mine, const Measure& total) const;

  std::unique_ptr<Layout> layout_;
  Chunking chunking_;
  mutable ChunkCoder coder_{};  ///< only its buffers change
  bool grows_;
  std::vector<Attribute> file_attributes_;  ///< to be written with the next publication
  bool has_published_ = false;
  std::optional<GrowingStep> growing_;  ///< the last step, if it can grow and the option is set
};

}  // namespace quire::hdf5
