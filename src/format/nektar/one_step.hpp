#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "format/nektar/acceptance.hpp"
#include "model/step_names.hpp"
#include "quire/base/error.hpp"
#include "quire/spi/format/describer_capabilities.hpp"
#include "quire/spi/format/planner_capabilities.hpp"

namespace quire::nektar {

/// Describes a file that is one step. The step is described when it is first requested.
class OneStepDescriber : public Describer, public OpaqueReader {
 public:
  [[nodiscard]] const FileDescription& file() const override { return description_; }
  [[nodiscard]] std::uint64_t steps() override { return 1; }
  [[nodiscard]] std::int64_t step_number(std::uint64_t index) override;
  [[nodiscard]] std::optional<StepLayout> step(std::uint64_t index) override;

 protected:
  explicit OneStepDescriber(DescribeContext context) : context_(std::move(context)) {}

  /// Fills `step_`, which exists and is empty. On an error `step_` is reset, and the error is given the name of the
  /// file.
  virtual void describe() = 0;
  [[nodiscard]] const StepLayout& layout();
  /// Throws missing errors for any step but the first.
  void require_step(std::uint64_t index) const;

  struct ColumnPosition {
    std::size_t table = 0;
    std::size_t column = 0;
  };
  /// The table and column of an object of read_opaque(), in the step or in the salvaged one.
  [[nodiscard]] ColumnPosition column_of(const StepLayout& step, const std::string& object);
  /// Must be called when the step or the salvaged one changes.
  void forget_names() { named_ = nullptr; }

  /// Runs `work`; errors are given the name of the file.
  template <class Work>
  auto guarded(Work&& work) {
    try {
      return work();
    } catch (Error& error) {
      if (error.file().empty() && !context_.path.empty()) error.in_file(context_.path);
      throw;
    }
  }

  DescribeContext context_;
  FileDescription description_;
  std::optional<StepLayout> step_;

 private:
  StepNames names_;
  const StepLayout* named_ = nullptr;  ///< the step with these names
};

/// Plans a file that is one step, with metadata and blocks of elements.
class OneStepPlanner : public WritePlanner {
 public:
  [[nodiscard]] Publication resume(std::shared_ptr<ByteSource> existing, std::optional<std::int64_t> after,
                                   bool drop) override;
  [[nodiscard]] std::vector<std::byte> state() const override { return {}; }
  void adopt(std::span<const std::byte> /*state*/) override {}
  void set_file(const FileDescription& file) override { file_attributes_ = file.attributes; }
  [[nodiscard]] StepDescription accept(const StepDescription& step, bool lossy) const override;
  [[nodiscard]] WritePlan guard(const StepPart& /*mine*/) override { return {}; }

 protected:
  explicit OneStepPlanner(Rules rules) : rules_(std::move(rules)) {}

  /// The contents of a file without a step.
  [[nodiscard]] StepDescription nothing() const { return accept_step({}, file_attributes_, rules_); }

  /// The metadata of an accepted step, as this rank writes them.
  [[nodiscard]] std::vector<Attribute> metadata_of(const StepDescription& step) const {
    return with_surroundings(step.attributes, rules_);
  }

  bool is_written_ = false;

 private:
  Rules rules_;
  std::vector<Attribute> file_attributes_;
};

}  // namespace quire::nektar
