#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "format/h5part/attachments.hpp"
#include "format/h5part/growth.hpp"
#include "format/h5part/names.hpp"
#include "format/h5part/rewriting.hpp"
#include "format/h5part/structure.hpp"
#include "format/h5part/units.hpp"
#include "format/hdf5/library/chunking.hpp"
#include "format/hdf5/planning/file_planner.hpp"
#include "format/hdf5/planning/placing.hpp"
#include "quire/format/format.hpp"

namespace quire::hdf5 {

/// Plans and publishes the steps of an H5Part file.
///
/// The raw data of a step begin at the published end of the file, rounded up, in the order of the columns: every rank
/// computes their places from the number of rows. HDF5's own structures are created in memory on rank 0 and stored
/// before and after them.
class H5partPlanner final : public FilePlanner {
 public:
  /// Options: `step_name`, `step_width`, `existing`, `grow`, and those of chunking_options(), with_split(),
  /// with_alignment() and with_library_version().
  explicit H5partPlanner(const CheckedOptions& options);

  [[nodiscard]] Publication resume(std::shared_ptr<ByteSource> existing, std::optional<std::int64_t> after,
                                   bool drop) override;
  [[nodiscard]] std::vector<std::byte> state() const override;
  void adopt(std::span<const std::byte> state) override;
  void set_file(const FileDescription& file) override;
  void add_to_file(const Attribute& attribute) override;
  [[nodiscard]] StepDescription accept(const StepDescription& step, bool lossy) const override;
  void require_row_places(const StepDescription& step, std::size_t table) const override;
  [[nodiscard]] bool groups_rows() const override { return chunking_.may_chunk_fields() || grows_; }
  [[nodiscard]] Grouping grouping(const StepDescription& step, std::size_t table) const override;
  [[nodiscard]] std::vector<std::uint64_t> chunk_shape(const StepDescription& step, std::size_t field) const override;
  [[nodiscard]] PackedGroup pack_chunk(const StepDescription& step, std::size_t field,
                                       std::span<const std::byte> values) const override;
  [[nodiscard]] std::vector<std::uint64_t> held_extents(const StepDescription& step, std::size_t field) const override;
  [[nodiscard]] Chunk held_chunk(const StepDescription& step, std::size_t field, std::size_t component,
                                 std::uint64_t index) const override;
  [[nodiscard]] std::vector<std::byte> unpack_chunk(const StepDescription& step, std::size_t field, const Chunk& chunk,
                                                    std::span<const std::byte> bytes) const override;
  [[nodiscard]] PackedGroup pack_group(const StepDescription& step, std::size_t table, std::size_t column,
                                       std::span<const std::byte> values) const override;
  [[nodiscard]] Extent open_group(const StepDescription& step, std::size_t table, std::size_t column) const override;
  [[nodiscard]] std::vector<std::byte> unpack_group(const StepDescription& step, std::size_t table, std::size_t column,
                                                    std::span<const std::byte> bytes) const override;
  [[nodiscard]] Measure measure(const StepPart& mine, bool root) const override;
  [[nodiscard]] Placement place(const StepPart& mine, const Measure& before, const Measure& total,
                                bool root) const override;
  [[nodiscard]] Publication publish(const StepPart& mine, const Measure& total) override;
  void advance(const StepPart& mine, const Measure& total, bool published) override;
  void attach(const std::string& name, std::optional<std::vector<std::byte>> bytes, bool replace) override;
  [[nodiscard]] Publication finish() override;

 private:
  /// The places of the raw data of each column and of each component of each field.
  struct RawLayout {
    std::vector<PlannedSpace> columns;
    std::vector<PlannedSpace> fields;
    std::uint64_t end = 0;
  };
  [[nodiscard]] RawLayout lay_out(const StepDescription& step, const Measure& total) const;
  /// The sizes of the chunks of each column, in the order of their rows; empty if columns are contiguous.
  [[nodiscard]] std::vector<std::vector<std::uint64_t>> chunk_lengths(const StepPart& root, std::uint64_t rows) const;
  [[nodiscard]] StepChunks chunks_of(const StepPart& root, std::uint64_t rows) const;
  /// A session of the writer that also applies the changes of attachments, whose bytes are stored after the planned
  /// data. `after` is called when all new objects have been created.
  [[nodiscard]] Publication session(std::vector<PlannedSpace> planned, const std::function<void(hid_t)>& work,
                                    const std::function<void(hid_t)>& before = {},
                                    const std::function<void(hid_t)>& after = {});
  /// Whether a step adds rows to the last one.
  [[nodiscard]] bool is_growth(const StepDescription& step) const;
  /// Whether the rows of a step are encoded in groups. Rows added to a step always are, together with the open rows.
  [[nodiscard]] bool is_grouped(const StepDescription& step) const;
  [[nodiscard]] StepDescription accept_growth(const StepDescription& step, bool lossy) const;
  [[nodiscard]] Publication publish_growth(const StepPart& mine, const Measure& total);
  /// The filters of the chunks of a field.
  [[nodiscard]] std::vector<Filter> pipeline(const StepDescription& step, std::size_t field) const;
  /// Records a publication of fields, whose components are stored at `places`.
  void grow_fields(GrowingStep& step, const StepPart& mine, std::span<const PlannedSpace> places) const;
  /// How the most recently published step can grow.
  [[nodiscard]] std::optional<GrowingStep> grown(const StepPart& mine, const Measure& total) const;
  void write_file_attributes(std::int64_t file, const StepDescription& step) const;
  void learn(hid_t file, const std::vector<std::string>& links);
  [[nodiscard]] std::vector<StepEntry> steps_to_drop(const std::vector<StepEntry>& steps,
                                                     std::optional<std::int64_t> after, bool drop) const;

  StepNaming naming_;
  bool is_prefix_given_;
  bool is_width_given_;
  Chunking chunking_;
  mutable ChunkCoder coder_{};  ///< only its buffers change
  bool grows_;
  Existing existing_;

  // The same on every rank.
  std::vector<Attribute> file_attributes_;  ///< to be written with the next publication
  Units units_;                             ///< of quantities in the file or about to be written

  std::optional<GrowingStep> growing_;  ///< the last step, if it can grow and the option is set

  // On rank 0 only.
  bool has_published_ = false;
  std::set<std::int64_t> numbers_;  ///< of the steps in the file
  AttachmentChanges attachments_;   ///< to be made with the next publication
};

}  // namespace quire::hdf5
