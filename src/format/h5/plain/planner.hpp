#pragma once

#include <memory>
#include <optional>
#include <vector>

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
  /// Options: `layout`, `dataset`, and those of with_alignment() and with_engine().
  explicit PlainPlanner(const CheckedOptions& options);

  [[nodiscard]] static PlainRules rules_of(const CheckedOptions& options);

  [[nodiscard]] Publication resume(std::shared_ptr<ByteSource> existing, std::optional<std::int64_t> after,
                                   bool drop) override;
  [[nodiscard]] std::vector<std::byte> state() const override;
  void adopt(std::span<const std::byte> state) override;
  void set_file(const FileDescription& file) override { file_attributes_ = accepted_file(file); }
  [[nodiscard]] StepDescription accept(const StepDescription& step, bool lossy) const override;
  [[nodiscard]] WritePlan guard(const StepPart& /*mine*/) override { return {}; }
  /// A slot for each table, its rows, and each field, its elements.
  [[nodiscard]] Measure measure(const StepPart& mine, bool root) const override;
  [[nodiscard]] Placement place(const StepPart& mine, const Measure& before, const Measure& total,
                                bool root) const override;
  [[nodiscard]] Publication publish(const StepPart& mine, const Measure& total) override;
  void advance(const StepPart& mine, const Measure& total, bool published) override;
  [[nodiscard]] std::uint64_t published_size() const override { return writer_.published_end(); }
  [[nodiscard]] std::unique_ptr<StepEngine> engine() override;
  [[nodiscard]] Publication finish() override;

 private:
  /// Where the bytes of each data set go.
  struct RawLayout {
    std::vector<PlannedSpace> spaces;
    std::uint64_t end = 0;
  };
  [[nodiscard]] RawLayout lay_out(const std::vector<PlannedDataset>& datasets) const;
  [[nodiscard]] std::vector<Run> runs_of(const Table& table, const PlannedSpace* spaces, std::uint64_t before) const;
  [[nodiscard]] static std::vector<Run> runs_of(const Field& field, const PlannedSpace& space);

  PlainRules rules_;
  EngineSettings engine_;
  Alignment alignment_;
  std::vector<Attribute> file_attributes_;
  bool is_written_ = false;  ///< the one step
  FileWriter writer_;
};

}  // namespace quire::h5
