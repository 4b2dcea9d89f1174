#pragma once

#include <optional>
#include <string>
#include <vector>

#include "format/nektar/one_step.hpp"
#include "format/nektar/xml_text.hpp"

namespace quire::nektar {

/// Plans fields in XML: one file in which every rank's blocks follow each other, or a directory with a file of each
/// rank and an index, in which every rank writes its own line. Each rank compresses its own blocks in memory.
class XmlPlanner final : public OneStepPlanner {
 public:
  XmlPlanner(Rules rules, bool is_directory, std::uint64_t largest_block)
      : OneStepPlanner(std::move(rules)), is_directory_(is_directory), largest_block_(largest_block) {}

  [[nodiscard]] bool weighs_values() const override { return true; }
  void weigh(StepPart& part, bool lossy) const override;
  /// Bytes of this rank in the first file, those of the opening (rank 0), and one for each rank.
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
  /// What this rank writes, made once for a step.
  struct Texts {
    std::string opening;
    std::string blocks;
    std::string index;  ///< its line in the index of a directory
  };
  [[nodiscard]] const Texts& texts(const StepPart& mine) const;

  bool is_directory_;
  std::uint64_t largest_block_;
  // Blocks are seen when they are weighed, and are needed when they are measured.
  mutable CollectedValues values_;
  mutable std::optional<Texts> texts_;
  std::uint64_t published_end_ = 0;
};

}  // namespace quire::nektar
