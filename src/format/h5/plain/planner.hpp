#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "format/h5/chunking.hpp"
#include "format/h5/file_planner.hpp"
#include "format/h5/placing.hpp"
#include "format/h5/plain/growth.hpp"
#include "format/h5/plain/structure.hpp"
#include "quire/format/format.hpp"

namespace quire::h5 {

/// Plans and publishes the one step of a plain HDF5 file, and what it grows by.
///
/// The raw data of all data sets come one behind the other, so that every rank knows their places from the numbers of
/// rows alone; HDF5's structures are made on rank 0 in memory, before and behind them.
class PlainPlanner final : public FilePlanner {
 public:
  /// Options: `layout`, `dataset`, `grow`, chunking_options(), and those of with_split(), with_alignment()
  /// and with_engine().
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
  [[nodiscard]] bool groups_rows() const override {
    return chunking_.may_chunk_fields() || (grows_ && !engine_.is_phdf5);
  }
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
  /// A slot for each table, its rows, and each field, its elements; then for each column the bytes of its chunks where
  /// their sizes are not known before, and for the chunks of each component of fields in chunks.
  [[nodiscard]] Measure measure(const StepPart& mine, bool root) const override;
  [[nodiscard]] Placement place(const StepPart& mine, const Measure& before, const Measure& total,
                                bool root) const override;
  [[nodiscard]] Publication publish(const StepPart& mine, const Measure& total) override;
  void advance(const StepPart& mine, const Measure& total, bool published) override;
  [[nodiscard]] std::unique_ptr<StepEngine> engine() override;
  [[nodiscard]] bool grows() const override { return grows_; }
  [[nodiscard]] Publication finish() override;

 private:
  /// Where the bytes of each data set go (of each column where these have chunks of their own), and of each component
  /// of each field.
  struct RawLayout {
    std::vector<PlannedSpace> spaces;
    std::vector<std::vector<PlannedSpace>> components;
    std::uint64_t end = 0;
  };
  [[nodiscard]] RawLayout lay_out(const StepDescription& step, const Measure& total) const;
  [[nodiscard]] std::vector<Run> runs_of(const StepPart& mine, std::size_t table, const PlannedSpace* spaces,
                                         std::uint64_t before) const;
  /// Where the raw data are allocated: the places of data sets, or of the chunks in them.
  [[nodiscard]] std::vector<PlannedSpace> planned(const StepPart& root, const RawLayout& layout,
                                                  const Measure& total) const;
  /// Whether a step adds to what is in the file.
  [[nodiscard]] bool is_growth(const StepDescription& step) const;
  /// Whether rows are encoded in groups: those that are added always are, together with the open ones.
  [[nodiscard]] bool is_grouped(const StepDescription& step) const;
  /// Whether columns have chunks of their own.
  [[nodiscard]] bool is_chunked(const StepDescription& step) const;
  /// Whether each table is one piece of the file, row behind row.
  [[nodiscard]] bool is_matrix(const StepDescription& step) const;
  [[nodiscard]] const GrowingTable& growing(const StepDescription& step, std::size_t table) const;
  [[nodiscard]] const GrowingField& growing_field(const StepDescription& step, std::size_t field) const;
  [[nodiscard]] std::vector<Filter> pipeline(const StepDescription& step, std::size_t field) const;
  /// How what is made is cut into chunks, whoever encodes them.
  [[nodiscard]] const Chunking& chunking_of_file() const noexcept {
    return engine_.is_phdf5 ? library_chunking_ : chunking_;
  }
  [[nodiscard]] StepDescription accept_growth(const StepDescription& step, bool lossy) const;
  /// The bytes of the chunks of each column, in the order of their rows; none where columns have no chunks.
  [[nodiscard]] ColumnChunks chunk_lengths(const StepPart& root, const Measure& total) const;
  void make_tables(hid_t file, const StepPart& root, const RawLayout& layout, const Measure& total,
                   std::span<const PlannedDataset> datasets);
  void make_fields(hid_t file, const StepPart& root, std::span<const PlannedSpace> spaces,
                   std::span<const PlannedDataset> datasets);
  [[nodiscard]] Handle make_dataset(hid_t file, const PlannedDataset& dataset, const PlannedSpace& space) const;
  [[nodiscard]] Publication publish_growth(const StepPart& mine, const Measure& total);
  /// What the file can grow by once a step is published.
  [[nodiscard]] std::optional<GrowingData> grown(const StepPart& mine, const Measure& total) const;

  PlainRules rules_;
  Alignment alignment_;
  Chunking chunking_;
  Chunking library_chunking_;   ///< of the engine that leaves chunks to HDF5
  mutable ChunkCoder coder_{};  ///< its buffers alone change
  bool grows_;
  std::vector<Attribute> file_attributes_;  ///< to be written with the next publication
  bool has_published_ = false;
  bool is_written_ = false;             ///< the one step
  std::optional<GrowingData> growing_;  ///< it, if it can and may grow
};

}  // namespace quire::h5
