#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "format/nektar/acceptance.hpp"
#include "model/step_names.hpp"
#include "quire/base/error.hpp"
#include "quire/format/format.hpp"

namespace quire::nektar {

/// Describes a file that is one step, which is looked for when it is first asked for.
class OneStepDescriber : public Describer {
 public:
  [[nodiscard]] const FileDescription& file() const override { return description_; }
  [[nodiscard]] std::uint64_t steps() override { return 1; }
  [[nodiscard]] std::int64_t step_number(std::uint64_t index) override;
  [[nodiscard]] std::optional<StepLayout> step(std::uint64_t index) override;

 protected:
  explicit OneStepDescriber(DescribeContext context) : context_(std::move(context)) {}

  /// Fills `step_`, which is there and empty. What it throws takes that back, and gets the name of the file.
  virtual void describe() = 0;
  [[nodiscard]] const StepLayout& layout();
  /// Throws missing errors for steps behind the one.
  void require_step(std::uint64_t index) const;

  struct ColumnPosition {
    std::size_t table = 0;
    std::size_t column = 0;
  };
  /// The column that read_opaque() is asked for, in the step or in what is saved of it.
  [[nodiscard]] ColumnPosition column_of(const StepLayout& step, const std::string& object);
  /// Once the step, or what is saved of it, is another one.
  void forget_names() { named_ = nullptr; }

  /// Runs `work`; what it throws names the file.
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
  const StepLayout* named_ = nullptr;  ///< whose names these are
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

  /// What stands in a file that gets no step.
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
