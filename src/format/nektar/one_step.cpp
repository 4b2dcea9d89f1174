#include "format/nektar/one_step.hpp"

namespace quire::nektar {
namespace {

Error one_step_only() {
  return Error(ErrorKind::unsupported, "a file of this format holds one step")
      .advise("write each step to a file of its own");
}

}  // namespace

void OneStepDescriber::require_step(std::uint64_t index) const {
  if (index > 0) throw Error(ErrorKind::missing, "there is no step at this index").in_file(context_.path);
}

std::int64_t OneStepDescriber::step_number(std::uint64_t index) {
  require_step(index);
  return layout().description.number;
}

std::optional<StepLayout> OneStepDescriber::step(std::uint64_t index) {
  if (index > 0) return std::nullopt;
  return layout();
}

OneStepDescriber::ColumnPosition OneStepDescriber::column_of(const StepLayout& step, const std::string& object) {
  if (named_ != &step) names_ = {};
  named_ = &step;
  const std::size_t slash = object.find('/');
  const std::size_t table = names_.find_table(step.description, object.substr(0, slash));
  return {table, names_.find_column(step.description, table, object.substr(slash + 1))};
}

const StepLayout& OneStepDescriber::layout() {
  if (step_) return *step_;
  forget_names();
  step_.emplace();
  try {
    guarded([&] { describe(); });
  } catch (...) {
    step_.reset();
    throw;
  }
  return *step_;
}

Publication OneStepPlanner::resume(std::shared_ptr<ByteSource> /*existing*/, std::optional<std::int64_t> /*after*/,
                                   bool /*drop*/) {
  throw one_step_only();
}

StepDescription OneStepPlanner::accept(const StepDescription& step, bool /*lossy*/) const {
  if (is_written_) throw one_step_only();
  return accept_step(step, file_attributes_, rules_);
}

}  // namespace quire::nektar
