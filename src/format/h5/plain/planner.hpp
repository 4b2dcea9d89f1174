#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "format/h5/chunking.hpp"
#include "format/h5/file_writer.hpp"
#include "format/h5/phdf5/settings.hpp"
#include "format/h5/placing.hpp"
#include "format/h5/plain/structure.hpp"
#include "quire/format/format.hpp"

namespace quire::h5 {

/// Plans and publishes the one step of a plain HDF5 file.
///
/// The raw data of all data sets come one behind the other, so that every rank knows their places from the numbers of
/// rows alone; HDF5's structures are made on rank 0 in memory, before and behind them.
class PlainPlanner final : public WritePlanner {
 public:
  /// Options: `layout`, `dataset`, chunking_options(), and those of with_alignment() and with_engine().
  explicit PlainPlanner(const CheckedOptions& options);

  [[nodiscard]] static PlainRules rules_of(const CheckedOptions& options);

  [[nodiscard]] Publication resume(std::shared_ptr<ByteSource> existing, std::optional<std::int64_t> after,
                                   bool drop) override;
  [[nodiscard]] std::vector<std::byte> state() const override;
  void adopt(std::span<const std::byte> state) override;
  void set_file(const FileDescription& file) override { file_attributes_ = accepted_file(file); }
  [[nodiscard]] StepDescription accept(const StepDescription& step, bool lossy) const override;
  [[nodiscard]] WritePlan guard(const StepPart& /*mine*/) override { return {}; }
  [[nodiscard]] bool groups_rows() const override { return chunking_.may_chunk_fields(); }
  [[nodiscard]] Grouping grouping(const StepDescription& step, std::size_t table) const override;
  [[nodiscard]] PackedGroup pack_group(const StepDescription& step, std::size_t table, std::size_t column,
                                       std::span<const std::byte> values) const override;
  [[nodiscard]] std::vector<std::uint64_t> chunk_shape(const StepDescription& step, std::size_t field) const override;
  [[nodiscard]] PackedGroup pack_chunk(const StepDescription& step, std::size_t field,
                                       std::span<const std::byte> values) const override;
  /// A slot for each table, its rows, and each field, its elements; then for each column the bytes of its chunks where
  /// their sizes are not known before, and for the chunks of each component of fields in chunks.
  [[nodiscard]] Measure measure(const StepPart& mine, bool root) const override;
  [[nodiscard]] Placement place(const StepPart& mine, const Measure& before, const Measure& total,
                                bool root) const override;
  [[nodiscard]] Publication publish(const StepPart& mine, const Measure& total) override;
  void advance(const StepPart& mine, const Measure& total, bool published) override;
  [[nodiscard]] std::uint64_t published_size() const override { return writer_.published_end(); }
  [[nodiscard]] std::unique_ptr<StepEngine> engine() override;
  [[nodiscard]] Publication finish() override;

 private:
  /// Where the bytes of each data set go, and of each component of each field.
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
  /// Enters the chunks of data set `index` of the step.
  void write_chunks(hid_t dataset, const StepPart& root, std::size_t index, const Measure& total);

  PlainRules rules_;
  EngineSettings engine_;
  Alignment alignment_;
  Chunking chunking_;
  mutable ChunkCoder coder_{};  ///< its buffers alone change
  std::vector<Attribute> file_attributes_;
  bool is_written_ = false;  ///< the one step
  FileWriter writer_;
};

}  // namespace quire::h5
