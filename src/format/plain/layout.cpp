#include "format/plain/layout.hpp"

#include <utility>

#include "format/hdf5/library/file_writer.hpp"
#include "format/hdf5/library/words.hpp"
#include "format/plain/growth.hpp"
#include "format/plain/structure.hpp"
#include "quire/base/error.hpp"

namespace quire::hdf5 {
namespace {

constexpr std::uint64_t survey_budget = std::uint64_t{64} << 20;

Error one_step_only() {
  return Error(ErrorKind::unsupported, "a plain HDF5 file is one step")
      .advise(
          "write each step to a separate file, or choose a format of steps; with the option grow=true rows and "
          "elements are added to the step");
}

}  // namespace

PlainRules PlainLayout::rules_of(const CheckedOptions& options) {
  PlainRules rules;
  if (options.text("layout") == "matrix") rules.layout = TableLayout::matrix;
  rules.unnamed = options.text("dataset");
  if (rules.layout == TableLayout::columns && options.given("dataset")) {
    throw Error(ErrorKind::usage, "only a matrix has a dataset of this name").on("dataset").advise("layout=matrix");
  }
  return rules;
}

PlainLayout::PlainLayout(const CheckedOptions& options) : rules_(rules_of(options)), grows_(options.truth("grow")) {}

LayoutTraits PlainLayout::traits() const {
  return {.joins_columns = rules_.layout == TableLayout::matrix, .counts_elements = true, .holds_one_step = true};
}

void PlainLayout::check_new(std::int64_t /*number*/, bool is_first) const {
  if (!is_first) throw one_step_only();
}

StepDescription PlainLayout::accept(const StepDescription& step, const std::vector<Attribute>& pending,
                                    bool lossy) const {
  return accept_plain(step, rules_, pending, lossy);
}

std::optional<GrowingStep> PlainLayout::fresh(const StepDescription& step, const Chunking& chunking) const {
  return fresh_data(step, rules_, chunking);
}

Resumed PlainLayout::resume(FileWriter& writer, const OpenExisting& open, std::optional<std::int64_t> after,
                            bool /*drop*/) {
  if (!grows_) throw one_step_only();
  if (after.value_or(0) != 0) {
    throw Error(ErrorKind::missing, "there is no step " + std::to_string(*after) + " to append after")
        .advise("a plain HDF5 file has the step 0");
  }
  Resumed resumed;
  resumed.acts = open([&](hid_t file) {
    // HDF5 returns the addresses of chunks relative to the user block.
    if (writer.image().base() != 0) throw Error(ErrorKind::unsupported, "files with a user block cannot grow");
    resumed.growing = growing_data(file, writer.image(), survey_budget);
  });
  if (resumed.growing->tables.empty() && resumed.growing->fields.empty()) resumed.growing.reset();
  return resumed;
}

void PlainLayout::write_file(hid_t file, const std::vector<Attribute>& attributes,
                             const StepDescription& /*step*/) const {
  write_attributes(file, attributes);
}

std::vector<std::string> PlainLayout::create(const NewStep& step) {
  write_step(step, rules_);
  return {};
}

}  // namespace quire::hdf5
