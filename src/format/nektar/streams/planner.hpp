#pragma once

#include <vector>

#include "format/nektar/one_step.hpp"
#include "format/sion/header.hpp"

namespace quire::nektar {

/// Plans fields in the streams of one multifile, a stream for each rank, without padding (specs/nektar-fld.md section
/// 7, newer stream). Every rank writes its own entries of the container's tables: it has only sums over the others.
/// Metadata are not part of such streams; they are stored in the first one, after its blocks.
class StreamPlanner final : public OneStepPlanner {
 public:
  explicit StreamPlanner(Rules rules) : OneStepPlanner(std::move(rules)) {}

  /// The number of ranks, the bytes of their streams, and those of the metadata.
  [[nodiscard]] Measure measure(const StepPart& mine, bool root) const override;
  [[nodiscard]] Placement place(const StepPart& mine, const Measure& before, const Measure& total,
                                bool root) const override;
  [[nodiscard]] Publication publish(const StepPart& mine, const Measure& total) override;
  void advance(const StepPart& mine, const Measure& total, bool published) override;
  [[nodiscard]] std::uint64_t published_size() const override { return published_end_; }
  /// A multifile has at least one stream: a file without a step has one without blocks.
  [[nodiscard]] Publication finish() override;

 private:
  [[nodiscard]] static sion::Header header_of(std::uint64_t tasks);

  std::uint64_t published_end_ = 0;
};

}  // namespace quire::nektar
