#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "quire/format/planner.hpp"

namespace quire::test {

/// Plans nothing and accepts every step: for tests of one function of a planner.
class IdlePlanner : public WritePlanner {
 public:
  [[nodiscard]] Publication resume(std::shared_ptr<ByteSource>, std::optional<std::int64_t>, bool) override {
    return {};
  }
  [[nodiscard]] std::vector<std::byte> state() const override { return {}; }
  void adopt(std::span<const std::byte>) override {}
  void set_file(const FileDescription&) override {}
  [[nodiscard]] StepDescription accept(const StepDescription& step, bool) const override { return step; }
  [[nodiscard]] WritePlan guard(const StepPart&) override { return {}; }
  [[nodiscard]] Measure measure(const StepPart&, bool) const override { return {}; }
  [[nodiscard]] Placement place(const StepPart&, const Measure&, const Measure&, bool) const override { return {}; }
  [[nodiscard]] Publication publish(const StepPart&, const Measure&) override { return {}; }
  void advance(const StepPart&, const Measure&, bool) override {}
  [[nodiscard]] std::uint64_t published_size() const override { return 0; }
  [[nodiscard]] Publication finish() override { return {}; }
};

}  // namespace quire::test
