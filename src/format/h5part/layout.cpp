#include "format/h5part/layout.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "format/appending.hpp"
#include "format/h5part/acceptance.hpp"
#include "format/h5part/growth.hpp"
#include "format/h5part/structure.hpp"
#include "format/hdf5/library/attributes.hpp"
#include "format/hdf5/library/dropping.hpp"
#include "format/hdf5/library/file_writer.hpp"
#include "format/hdf5/library/links.hpp"
#include "quire/spi/base/checked.hpp"

namespace quire::hdf5 {
namespace {

constexpr std::uint64_t attribute_budget = std::uint64_t{64} << 20;

std::vector<std::string> names_in(hid_t file) {
  require_sound_index(file, "/");
  std::vector<std::string> names;
  for (Link& link : list_links(file, "/")) names.push_back(std::move(link.name));
  return names;
}

unsigned width_option(const CheckedOptions& options) {
  const long long value = options.integer("step_width");
  constexpr long long most = 20;
  if (value < 0 || value > most) throw Error(ErrorKind::usage, "the width must be 0 to 20").on("step_width");
  return static_cast<unsigned>(value);
}

std::string prefix_option(const CheckedOptions& options) {
  const std::string prefix = options.text("step_name");
  constexpr std::size_t longest = 63;
  if (prefix.empty() || prefix.size() > longest || prefix.find('/') != std::string::npos) {
    throw Error(ErrorKind::usage, "a step name has 1 to 63 bytes without a slash").on("step_name");
  }
  return prefix;
}

/// The steps after `after`. Throws conflict errors if there is no such step, or if later ones may not be dropped.
std::vector<StepEntry> steps_to_drop(const std::vector<StepEntry>& steps, std::optional<std::int64_t> after,
                                     bool drop) {
  if (!after) return {};
  if (std::ranges::find(steps, *after, &StepEntry::number) == steps.end()) {
    throw no_step_to_append_after(*after, steps.empty() ? std::nullopt : std::optional(steps.back().number));
  }
  std::vector<StepEntry> leaving;
  std::ranges::copy_if(steps, std::back_inserter(leaving), [&](const StepEntry& step) { return step.number > *after; });
  if (!leaving.empty() && !drop) {
    throw Error(ErrorKind::conflict, "the file holds steps after step " + std::to_string(*after))
        .on(leaving.front().name)
        .advise("append after the last one, or request to drop the later steps");
  }
  return leaving;
}

}  // namespace

H5partLayout::H5partLayout(const CheckedOptions& options)
    : naming_{prefix_option(options), width_option(options)},
      is_prefix_given_(options.given("step_name")),
      is_width_given_(options.given("step_width")),
      grows_(options.truth("grow")),
      existing_(existing_option(options)) {
  if (grows_ && existing_ != Existing::refuse) {
    throw Error(ErrorKind::usage, "a file either grows or has its steps written over").on("existing");
  }
}

// ---- Taking over an existing file

Resumed H5partLayout::resume(FileWriter& writer, const OpenExisting& open, std::optional<std::int64_t> after,
                             bool drop) {
  Resumed resumed;
  std::vector<std::string> leaving;
  resumed.acts = open([&](hid_t file) {
    Image& image = writer.image();
    const std::vector<std::string> names = names_in(file);
    learn_naming(image, file, names);
    std::vector<std::string> warnings;
    units_ = Units(read_attributes(image, file, attribute_budget, warnings, OldTexts::any));
    const std::vector<StepEntry> steps = step_entries(names, naming_.prefix, warnings);
    for (const StepEntry& step : steps) numbers_.insert(step.number);
    for (const StepEntry& step : steps_to_drop(steps, after, drop)) {
      leaving.push_back(step.name);
      numbers_.erase(step.number);
    }
    std::set<std::string> attached;
    for (const Attachment& attachment : list_attachments(file, image, warnings)) attached.insert(attachment.name);
    attachments_.learn(std::move(attached));
    if (grows_ && leaving.empty() && !steps.empty()) {
      // HDF5 returns the addresses of chunks relative to the user block.
      if (image.base() != 0) throw Error(ErrorKind::unsupported, "files with a user block cannot grow");
      resumed.growing = growing_step(file, steps.back().number, steps.back().name, image, attribute_budget);
    }
  });
  if (leaving.empty()) return resumed;
  std::ranges::move(drop_links(writer, leaving), std::back_inserter(resumed.acts));
  writer.commit();
  return resumed;
}

void H5partLayout::learn_naming(Image& image, hid_t file, const std::vector<std::string>& links) {
  const auto is_group = [&](const std::string& name) { return may_be_group(image, file, name); };
  const StepNaming found = is_prefix_given_ ? guess_width(links, naming_.prefix) : guess_naming(links, is_group);
  naming_.prefix = found.prefix;
  if (!is_width_given_) naming_.width = found.width;
}

// ---- Steps

std::vector<Attribute> H5partLayout::accept_file(const FileDescription& file) const {
  return hdf5::accept_file(file, units_).attributes;
}

void H5partLayout::keep_file(const FileDescription& file) { units_ = hdf5::accept_file(file, units_).units; }

void H5partLayout::check_new(std::int64_t number, bool /*is_first*/) const {
  if (existing_ != Existing::refuse || !numbers_.contains(number)) return;
  throw Error(ErrorKind::conflict, "step " + std::to_string(number) + " is already in the file")
      .on(naming_.name(number))
      .advise("give it another number, or write with the option existing=replace, add or overwrite");
}

StepDescription H5partLayout::accept(const StepDescription& step, const std::vector<Attribute>& /*pending*/,
                                     bool lossy) const {
  return accept_step(step, units_, lossy);
}

std::optional<GrowingStep> H5partLayout::fresh(const StepDescription& step, const Chunking& chunking) const {
  if (chunking.rows() == 0 && !chunking.may_chunk_fields()) return std::nullopt;
  return fresh_step(step, naming_.name(step.number), chunking);
}

void H5partLayout::advance(const StepDescription& step) {
  for (const auto& [quantity, unit] : new_units(step, units_)) units_.set(quantity, unit);
  numbers_.insert(step.number);
  attachments_.advance();
}

// ---- Publication

void H5partLayout::write_file(hid_t file, const std::vector<Attribute>& attributes, const StepDescription& step) const {
  for (const Attribute& attribute : attributes) write_attribute(file, attribute.name, attribute.value);
  for (const auto& [quantity, unit] : new_units(step, units_)) {
    write_attribute(file, Units::attribute_name(quantity), Value(unit));
  }
}

std::vector<std::string> H5partLayout::create(const NewStep& step) {
  if (existing_ != Existing::refuse) step.image.keep_all();
  const std::int64_t number = step.step.number;
  const Existing mode = numbers_.contains(number) ? existing_ : Existing::refuse;
  const std::uint64_t rows = step.plan.rows.empty() ? 0 : step.plan.rows.front();
  return write_over(step.file, step.image, naming_.name(number), step.step, rows, mode,
                    [&](const std::string& name) { write_step(step, name, grows_); });
}

Publication H5partLayout::session(FileWriter& writer, std::vector<PlannedSpace> planned, const SessionWork& work) {
  std::uint64_t first = writer.first_free();
  for (const PlannedSpace& space : planned) first = std::max(first, checked_add(space.offset, space.length));
  const std::vector<PlannedSpace> attached = attachments_.lay_out(first);
  planned.insert(planned.end(), attached.begin(), attached.end());
  Publication acts = attachments_.contents(attached);
  SessionWork all = work;
  all.write = [&](hid_t file) {
    work.write(file);
    attachments_.write(file, attached);
  };
  std::ranges::move(Layout::session(writer, std::move(planned), all), std::back_inserter(acts));
  return acts;
}

}  // namespace quire::hdf5
