#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "format/sion/chunk_sizes.hpp"
#include "format/sion/physical_file.hpp"
#include "quire/format/format.hpp"

namespace quire::sion {

/// Which of the reference's interfaces would have written the file: they differ in a few bytes.
enum class Interface : std::uint8_t { serial, parallel, mapped };

struct WriteRules {
  SizeRules sizes;
  Interface interface = Interface::parallel;
  std::uint64_t files = 1;
  bool keyed = false;
  bool keeps_origins = false;
  bool notes = true;  ///< what is used is noted beside the file until it is complete
  ByteOrder order = native_order;
  ByteOrder data_order = native_order;
  std::string stored_name;  ///< empty: the path
};

/// Plans a multifile: specs/sion.md sections 1 and 3. What makes it visible is the last number of the first header, the
/// place of the second one.
class SionPlanner final : public WritePlanner, public StreamPlanner {
 public:
  explicit SionPlanner(const CheckedOptions& options);

  [[nodiscard]] static WriteRules rules_of(const CheckedOptions& options);

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
  /// A file without streams is none, and is left empty.
  [[nodiscard]] Publication finish() override { return {}; }
  [[nodiscard]] std::string member_name(const std::string& first, std::uint64_t member) const override;
  [[nodiscard]] bool is_member(const std::string& first, std::string_view name) const override;

  // Its streams
  [[nodiscard]] StreamPlanner* streams() override { return this; }
  /// Records are not merged: each stays in the stream of its task.
  [[nodiscard]] bool merges() const override { return rules_.sizes.mode == Mode::merge && !rules_.keyed; }
  [[nodiscard]] bool is_keyed() const override { return rules_.keyed; }
  [[nodiscard]] bool keeps_origins() const override { return rules_.keeps_origins; }
  [[nodiscard]] std::vector<StreamPlace> place(const std::vector<StreamRequest>& requests, const std::string& path,
                                               bool is_open) override;
  [[nodiscard]] std::optional<std::uint64_t> notes() const override;
  [[nodiscard]] WritePlan title() override;
  void use(std::vector<StreamUse> uses) override { uses_ = std::move(uses); }

 private:
  /// One physical file and, for each of its tasks, the place of its request.
  struct PlannedFile {
    std::vector<std::uint64_t> order;
    Header header;
    ChunkMap map;
    std::vector<std::uint64_t> collectors;
  };
  void check(const std::vector<StreamRequest>& requests) const;
  void distribute(const std::vector<StreamRequest>& requests);
  void distribute_as_told(const std::vector<StreamRequest>& requests);
  void distribute_evenly(const std::vector<StreamRequest>& requests);
  void measure_out(const std::vector<StreamRequest>& requests, const std::string& path);
  [[nodiscard]] std::vector<std::byte> second(const PlannedFile& file, std::uint64_t blocks) const;
  [[nodiscard]] std::vector<std::byte> table(std::uint64_t number) const;
  [[nodiscard]] std::vector<std::byte> origins(const PlannedFile& file) const;

  WriteRules rules_;
  bool is_written_ = false;
  std::uint64_t published_size_ = 0;
  std::uint64_t pending_size_ = 0;
  std::vector<PlannedFile> files_;
  bool is_noted_ = false;
  std::vector<StreamUse> uses_;
};

}  // namespace quire::sion
