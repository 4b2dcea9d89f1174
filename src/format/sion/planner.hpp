#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "format/sion/physical_file.hpp"
#include "format/sion/rules.hpp"
#include "quire/format/options.hpp"
#include "quire/spi/format/planner_capabilities.hpp"
#include "quire/spi/format/streams.hpp"

namespace quire::sion {

/// Plans a multifile: specs/sion.md sections 1 and 3. The last number of the first header, which is the offset of the
/// second one, publishes it.
class SionPlanner final : public WritePlanner, public StreamPlanner, public FileSetNames {
 public:
  explicit SionPlanner(const CheckedOptions& options);

  // The file as a whole
  [[nodiscard]] Publication resume(std::shared_ptr<ByteSource> existing, std::optional<std::int64_t> after,
                                   bool drop) override;
  [[nodiscard]] std::vector<std::byte> state() const override { return {}; }
  void adopt(std::span<const std::byte> /*state*/) override {}
  void set_file(const FileDescription& file) override;
  [[nodiscard]] StepDescription accept(const StepDescription& step, bool lossy) const override;
  [[nodiscard]] WritePlan guard(const StepPart& /*mine*/) override { return {}; }
  [[nodiscard]] Measure measure(const StepPart& /*mine*/, bool /*root*/) const override { return {}; }
  [[nodiscard]] Placement place(const StepPart& /*mine*/, const Measure& /*before*/, const Measure& /*total*/,
                                bool /*root*/) const override {
    return {};
  }
  [[nodiscard]] Publication publish(const StepPart& mine, const Measure& total) override;
  void advance(const StepPart& mine, const Measure& total, bool published) override;
  [[nodiscard]] std::uint64_t published_size() const override { return published_size_; }
  /// A file without streams remains empty and is no multifile.
  [[nodiscard]] Publication finish() override { return {}; }
  [[nodiscard]] PlannerCapabilities capabilities() override { return {.file_set = this, .streams = this}; }
  [[nodiscard]] std::string member_name(const std::string& first, std::uint64_t member) const override;
  [[nodiscard]] bool is_member(const std::string& first, std::string_view name) const override;

  // Its streams
  /// Records are not merged: each stays in the stream of its task.
  [[nodiscard]] bool merges() const override { return rules_.sizes.mode == Mode::merge && !rules_.keyed; }
  [[nodiscard]] bool is_keyed() const override { return rules_.keyed; }
  [[nodiscard]] bool keeps_origins() const override { return rules_.keeps_origins; }
  [[nodiscard]] bool asks_for_machine() const override { return !rules_.files; }
  void suit(const Machine& machine) override { machine_ = machine; }
  [[nodiscard]] std::vector<StreamPlace> place(const std::vector<StreamRequest>& requests, const std::string& path,
                                               bool is_open) override;
  [[nodiscard]] std::optional<std::uint64_t> notes() const override;
  [[nodiscard]] std::vector<Extent> reservations() const override;
  [[nodiscard]] WritePlan title() override;
  void use(std::vector<StreamUse> uses) override { uses_ = std::move(uses); }

 private:
  /// Bytes of all streams of a file, and the fewest blocks that hold them.
  struct Filling {
    std::uint64_t bytes = 0;
    std::uint64_t blocks = 1;
  };
  /// One physical file and, for each of its tasks, the place of its request.
  struct PlannedFile {
    std::uint64_t set = 0;      ///< 0, or 1 and more for copies
    std::uint64_t number = 0;   ///< in its set
    std::uint64_t keepers = 0;  ///< of a copy: its first tasks, which write it and have no bytes of their own in it
    std::vector<std::uint64_t> order;
    Header header;
    ChunkMap map;
    std::vector<std::uint64_t> collectors;
    std::optional<Filling> filling;  ///< its content, if known

    [[nodiscard]] std::uint64_t member() const noexcept { return set * most_files_with_copies + number; }
    [[nodiscard]] std::uint64_t tasks() const noexcept { return keepers + order.size(); }
  };
  [[nodiscard]] std::optional<Filling> filling_of(const PlannedFile& file,
                                                  const std::vector<StreamRequest>& requests) const;
  [[nodiscard]] std::uint64_t files_for(const std::vector<StreamRequest>& requests) const;
  void measure_out(const std::vector<StreamRequest>& requests, const std::string& path);
  [[nodiscard]] std::vector<std::byte> second(const PlannedFile& file, std::uint64_t blocks) const;
  [[nodiscard]] std::vector<std::byte> table(const PlannedFile& file) const;
  void add_copies();
  [[nodiscard]] std::vector<std::byte> origins(const PlannedFile& file) const;

  WriteRules rules_;
  bool is_written_ = false;
  std::uint64_t published_size_ = 0;
  std::uint64_t pending_size_ = 0;
  Machine machine_;
  std::vector<PlannedFile> files_;  ///< the set, and then the copies of its files
  bool is_noted_ = false;
  std::vector<StreamUse> uses_;
};

}  // namespace quire::sion
