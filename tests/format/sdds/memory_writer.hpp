#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "quire/format/format.hpp"
#include "quire/spi/format/planner_capabilities.hpp"

namespace quire::test {

/// Several ranks that write one file in memory, with the pure planner alone: as in api, but in one process and without
/// a transport.
class MemoryWriter {
 public:
  MemoryWriter(const Format& format, int ranks, const Options& options);

  void set_file(const FileDescription& file);
  /// Opens the bytes of an existing file for appending.
  void resume(std::string bytes, std::optional<std::int64_t> after, bool drop);
  /// One step from the parts of all ranks. `publish` false: the writer dies before the last write.
  void write(std::vector<StepPart> parts, bool publish = true);
  [[nodiscard]] std::string finish();
  [[nodiscard]] const std::string& bytes() const noexcept { return bytes_; }

 private:
  void run(const WritePlan& plan);
  void act(const Publication& acts);

  std::vector<std::unique_ptr<WritePlanner>> planners_;
  std::string bytes_;
};

/// The whole of a step in memory, as it was read: numbers and strings of all columns and fields.
struct LoadedStep {
  StepDescription description;
  std::vector<std::vector<std::byte>> numbers;  ///< for each column, then for each field
  std::vector<PackedStrings> strings;
};

[[nodiscard]] LoadedStep load(const StepLayout& layout, const std::string& bytes);

/// Rows of the first two columns of a step: numbers and strings.
struct Rows {
  std::vector<double> numbers;
  PackedStrings texts;
};
[[nodiscard]] Rows read_rows(const StepLayout& layout, const std::string& bytes, const Slice& rows);

/// The part of one rank when the rows are split evenly; fields along their slowest axis, those of strings on rank 0.
/// The views look into `step`.
[[nodiscard]] StepPart part_of(const LoadedStep& step, int rank, int ranks);

}  // namespace quire::test
