#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "format/nektar/one_step.hpp"
#include "format/nektar/xml/weighing.hpp"

namespace quire::nektar {

/// Plans fields in XML: one file with the blocks of all ranks in order, or a directory with a file for each rank and an
/// index in which every rank writes its own line. Each rank compresses its own blocks in memory.
class XmlPlanner final : public OneStepPlanner, public ValueWeigher, public FileSetNames {
 public:
  XmlPlanner(Rules rules, bool is_directory, const TextLimits& limits)
      : OneStepPlanner(std::move(rules)), is_directory_(is_directory), limits_(limits) {}

  [[nodiscard]] PlannerCapabilities capabilities() override { return {.weigher = this, .file_set = this}; }
  void weigh(StepPart& part, bool lossy) const override;
  /// The bytes of this rank in the first file, those of the opening (rank 0), and the number of ranks.
  [[nodiscard]] Measure measure(const StepPart& mine, bool root) const override;
  [[nodiscard]] Placement place(const StepPart& mine, const Measure& before, const Measure& total,
                                bool root) const override;
  [[nodiscard]] Publication publish(const StepPart& mine, const Measure& total) override;
  void advance(const StepPart& mine, const Measure& total, bool published) override;
  [[nodiscard]] std::uint64_t published_size() const override { return published_end_; }
  [[nodiscard]] Publication finish() override;

  [[nodiscard]] std::string entry() const override;
  [[nodiscard]] std::string member_name(const std::string& first, std::uint64_t member) const override;
  [[nodiscard]] bool is_member(const std::string& first, std::string_view name) const override;

 private:
  [[nodiscard]] XmlWeighing& weighing(const StepDescription& step) const;
  /// The same, after all rows were weighed.
  [[nodiscard]] const XmlWeighing& weighed(const StepPart& mine) const;
  /// Places the blocks of this rank one after another, between two texts.
  void place_blocks(Placement& placement, const StepPart& mine, std::uint64_t offset, std::string_view before,
                    std::string_view after) const;

  bool is_directory_;
  TextLimits limits_;
  // Blocks are compressed when they are weighed; the result is used when they are measured and placed.
  mutable std::optional<XmlWeighing> weighing_;
  std::uint64_t published_end_ = 0;
};

}  // namespace quire::nektar
