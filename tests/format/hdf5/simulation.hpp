#pragma once

#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "quire/format/options.hpp"
#include "quire/spi/format/planner_capabilities.hpp"
#include "quire/spi/plan/byte_source.hpp"

namespace quire::test {

using Bytes = std::vector<std::byte>;

/// A file in memory that counts the reads.
class MemoryFile final : public ByteSource {
 public:
  MemoryFile() = default;
  explicit MemoryFile(Bytes content) : bytes(std::move(content)) {}
  [[nodiscard]] std::uint64_t size() override { return bytes.size(); }
  [[nodiscard]] std::size_t read(std::uint64_t offset, std::span<std::byte> out) override;

  void write(std::uint64_t offset, std::span<const std::byte> content);
  void carry_out(const PublishAct& act);
  void carry_out(const Publication& acts);

  Bytes bytes;
  std::uint64_t reads = 0;
  std::uint64_t bytes_read = 0;
};

/// A step with the values of all ranks: float64 values by column.
struct SimulatedStep {
  std::int64_t number = 0;
  std::vector<Attribute> attributes;
  std::vector<Column> columns;
  std::vector<std::vector<double>> values;  ///< of all ranks, converted to the column's type
};

/// Several simulated ranks in this process that write one file in memory, through the planners only.
class Simulation {
 public:
  explicit Simulation(int ranks, const Options& options = {});
  /// Continues a file.
  Simulation(int ranks, std::shared_ptr<MemoryFile> existing, std::optional<std::int64_t> after, bool drop,
             const Options& options = {});

  void set_file(const FileDescription& description);
  /// Places and writes all data, then publishes. Rows are split unevenly; the first of several ranks has none.
  void write(const SimulatedStep& step);
  /// Writes all data and returns the publication that write() would then carry out.
  [[nodiscard]] Publication prepare(const SimulatedStep& step);
  /// After prepare(): whether the publication was carried out.
  void conclude(bool published);
  void finish();

  [[nodiscard]] MemoryFile& file() { return *file_; }
  [[nodiscard]] std::shared_ptr<MemoryFile> share() { return file_; }
  [[nodiscard]] WritePlanner& root() { return *planners_.front(); }

 private:
  void make_planners(int ranks, const Options& options);

  std::shared_ptr<MemoryFile> file_ = std::make_shared<MemoryFile>();
  std::vector<std::unique_ptr<WritePlanner>> planners_;
  std::vector<StepPart> parts_;
  Measure total_;
};

[[nodiscard]] std::unique_ptr<Describer> describe(std::shared_ptr<ByteSource> bytes, const Options& options = {},
                                                  const DescribeContext& context = {});
/// A describer of a copy of these bytes.
[[nodiscard]] std::unique_ptr<Describer> describe(const Bytes& bytes, const Options& options = {});

/// All values of a column of the first table as float64, read through runs or as opaque.
[[nodiscard]] std::vector<double> column_values(ByteSource& file, Describer& describer, std::uint64_t index,
                                                const std::string& column);
/// Reads the extents of a plan.
void run_plan(ByteSource& file, const ReadPlan& plan);
/// The values of a run of numbers, or of an opaque object.
[[nodiscard]] Value run_value(ByteSource& file, Describer& describer, std::uint64_t index, const std::string& object,
                              std::uint64_t component, const Run& run);

[[nodiscard]] Attribute attribute(std::string name, Value value, std::string unit = {});
[[nodiscard]] Column column(std::string name, Type type = Type::float64, std::string unit = {});
/// A step of `rows` rows with columns x, y (float64) and id (int64), whose values depend on number and row.
[[nodiscard]] SimulatedStep sample_step(std::int64_t number, std::uint64_t rows);
/// Checks that the step at `index` is sample_step(number, rows).
void expect_sample(ByteSource& file, Describer& describer, std::uint64_t index, std::int64_t number,
                   std::uint64_t rows);

/// The bytes of a file of tests/data/h5part.
[[nodiscard]] Bytes vector_bytes(const std::string& name);

}  // namespace quire::test
