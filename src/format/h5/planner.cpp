#include "format/h5/planner.hpp"

#include <algorithm>
#include <utility>

#include "format/h5/acceptance.hpp"
#include "format/h5/attributes.hpp"
#include "format/h5/driver.hpp"
#include "format/h5/links.hpp"
#include "format/h5/open_file.hpp"
#include "format/h5/structure.hpp"
#include "quire/base/archive.hpp"
#include "quire/base/checked.hpp"

namespace quire::h5 {
namespace {

/// The front of a new file is left to the superblock and the root group.
constexpr std::uint64_t front_bytes = 2048;
/// Columns from this size on start at a multiple of the alignment, smaller ones at a multiple of 8.
constexpr std::uint64_t aligned_from = std::uint64_t{64} << 10;
constexpr std::uint64_t small_alignment = 8;
constexpr std::uint64_t journal_budget = std::uint64_t{64} << 20;

std::vector<std::string> names_of(const std::vector<Link>& links) {
  std::vector<std::string> names;
  for (const Link& link : links) names.push_back(link.name);
  return names;
}

std::uint64_t alignment_option(const CheckedOptions& options) {
  const long long value = options.integer("alignment");
  constexpr long long most = 1LL << 30;
  if (value < 8 || value > most || value % 8 != 0) {
    throw Error(ErrorKind::usage, "the alignment must be a multiple of 8 up to 1 GiB").on("alignment");
  }
  return static_cast<std::uint64_t>(value);
}

unsigned width_option(const CheckedOptions& options) {
  const long long value = options.integer("step_width");
  constexpr long long most = 20;
  if (value < 0 || value > most) throw Error(ErrorKind::usage, "the width must be 0 to 20").on("step_width");
  return static_cast<unsigned>(value);
}

std::string prefix_option(const CheckedOptions& options) {
  const std::string& prefix = options.text("step_name");
  constexpr std::size_t longest = 63;
  if (prefix.empty() || prefix.size() > longest || prefix.find('/') != std::string::npos) {
    throw Error(ErrorKind::usage, "a step name has 1 to 63 bytes without a slash").on("step_name");
  }
  return prefix;
}

}  // namespace

H5partPlanner::H5partPlanner(const CheckedOptions& options)
    : naming_{prefix_option(options), width_option(options)},
      is_prefix_given_(options.given("step_name")),
      is_width_given_(options.given("step_width")),
      alignment_(alignment_option(options)),
      image_(std::make_unique<Image>(nullptr, Image::Use::writing)) {}

// ---- Taking over an existing file

Publication H5partPlanner::resume(std::shared_ptr<ByteSource> existing, std::optional<std::int64_t> after, bool drop) {
  const std::uint64_t raw_size = existing->size();
  image_ = std::make_unique<Image>(std::move(existing), Image::Use::writing);
  Publication acts;
  if (const auto journal = overlay_journal(*image_, journal_budget)) acts = complete(*journal);
  const Superblock superblock = read_superblock(image_->reader(), image_->size());
  published_end_ = superblock.end;
  image_->set_base(superblock);
  if (raw_size > published_end_) acts.emplace_back(PublishResize{published_end_});

  std::vector<StepEntry> leaving;
  image_->begin(published_end_, {});
  with_hdf5(*image_, [&] {
    const Handle file = open_image(*image_);
    check_file_space(file.id());
    const std::vector<std::string> names = names_of(list_links(file.id(), "/"));
    learn(names);
    std::vector<std::string> warnings;
    units_ = Units(read_attributes(*image_, file.id(), journal_budget, warnings));
    const std::vector<StepEntry> steps = step_entries(names, naming_.prefix, warnings);
    leaving = steps_to_drop(steps, after, drop);
    for (const StepEntry& step : steps) numbers_.insert(step.number);
  });
  image_->discard();
  if (leaving.empty()) return acts;

  Publication dropping = session({}, [&](hid_t file) {
    for (const StepEntry& step : leaving) {
      require(H5Ldelete(file, step.name.c_str(), H5P_DEFAULT), "drop the step", step.name);
      numbers_.erase(step.number);
    }
  });
  std::ranges::move(dropping, std::back_inserter(acts));
  image_->commit(next_end_);
  published_end_ = next_end_;
  return acts;
}

void H5partPlanner::learn(const std::vector<std::string>& links) {
  const StepNaming found = is_prefix_given_ ? guess_width(links, naming_.prefix) : guess_naming(links);
  naming_.prefix = found.prefix;
  if (!is_width_given_) naming_.width = found.width;
}

std::vector<StepEntry> H5partPlanner::steps_to_drop(const std::vector<StepEntry>& steps,
                                                    std::optional<std::int64_t> after, bool drop) const {
  if (!after) return {};
  if (std::ranges::find(steps, *after, &StepEntry::number) == steps.end()) {
    throw Error(ErrorKind::missing, "there is no step " + std::to_string(*after) + " to append after")
        .advise(steps.empty() ? "the file has no steps" : "the last step is " + std::to_string(steps.back().number));
  }
  std::vector<StepEntry> leaving;
  std::ranges::copy_if(steps, std::back_inserter(leaving), [&](const StepEntry& step) { return step.number > *after; });
  if (!leaving.empty() && !drop) {
    throw Error(ErrorKind::conflict, "the file holds steps behind step " + std::to_string(*after))
        .on(leaving.front().name)
        .advise("append after the last one, or ask to drop the later steps");
  }
  return leaving;
}

// ---- What the ranks share

std::vector<std::byte> H5partPlanner::state() const { return pack(published_end_); }

void H5partPlanner::adopt(std::span<const std::byte> state) { published_end_ = unpack<std::uint64_t>(state); }

void H5partPlanner::set_file(const FileDescription& file) {
  FileAcceptance accepted = accept_file(file, units_);
  file_attributes_ = std::move(accepted.attributes);
  units_ = std::move(accepted.units);
}

StepDescription H5partPlanner::accept(const StepDescription& step, bool lossy) const {
  if (numbers_.contains(step.number)) {
    throw Error(ErrorKind::conflict, "step " + std::to_string(step.number) + " is already in the file")
        .on(naming_.name(step.number));
  }
  return accept_step(step, units_, lossy);
}

// ---- Places

Measure H5partPlanner::measure(const StepPart& mine, bool /*root*/) const {
  return {mine.description.tables.empty() ? 0 : mine.description.tables.front().rows};
}

H5partPlanner::RawLayout H5partPlanner::lay_out(const StepDescription& step, std::uint64_t rows) const {
  RawLayout layout{.columns = {}, .end = published_end_};
  std::uint64_t next = round_up(std::max(published_end_, front_bytes), alignment_);
  if (step.tables.empty()) return layout;
  for (const Column& column : step.tables.front().columns) {
    const std::uint64_t length = checked_multiply(rows, size_of(column.type));
    next = round_up(next, length >= aligned_from ? alignment_ : small_alignment);
    layout.columns.push_back({next, length});
    next = checked_add(next, length);
    if (length > 0) layout.end = next;
  }
  return layout;
}

Placement H5partPlanner::place(const StepPart& mine, const Measure& before, const Measure& total, bool /*root*/) const {
  const RawLayout layout = lay_out(mine.description, total[0]);
  Placement placement;
  placement.end = layout.end;
  if (mine.description.tables.empty()) return placement;
  const Table& table = mine.description.tables.front();
  std::vector<Run>& runs = placement.tables.emplace_back();
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    const Type type = table.columns[c].type;
    Run run;
    run.record_bytes = size_of(type);
    run.offset = layout.columns[c].offset + before[0] * run.record_bytes;
    run.records = table.rows;
    run.bytes = table.rows * run.record_bytes;
    run.cells = {Cell{.column = c, .type = type}};
    runs.push_back(std::move(run));
  }
  return placement;
}

// ---- Publication

template <class Work>
Publication H5partPlanner::session(std::vector<PlannedSpace> planned, Work&& work) {
  std::erase_if(planned, [](const PlannedSpace& space) { return space.length == 0; });
  image_->begin(published_end_, std::move(planned));
  with_hdf5(*image_, [&] {
    Handle file = published_end_ == 0 ? create_image(*image_) : open_image(*image_);
    work(file.id());
    close_file(file);
  });
  if (!image_->is_plan_used()) throw Error(ErrorKind::internal, "HDF5 left planned places unused");
  next_end_ = image_->allocated_end();
  const Superblock superblock = read_superblock(image_->reader(next_end_), next_end_);
  if (superblock.end != next_end_) {
    throw Error(ErrorKind::internal, "HDF5 stores another end of the file than it has told its driver");
  }
  return make_publication(image_->pending(), published_end_, next_end_, superblock);
}

void H5partPlanner::write_file_attributes(std::int64_t file, const StepDescription& step) const {
  for (const Attribute& attribute : file_attributes_) write_attribute(file, attribute.name, attribute.value);
  for (const auto& [quantity, unit] : new_units(step, units_)) {
    write_attribute(file, Units::attribute_name(quantity), Value(unit));
  }
}

Publication H5partPlanner::publish(const StepPart& mine, const Measure& total) {
  const RawLayout layout = lay_out(mine.description, total[0]);
  return session(layout.columns, [&](hid_t file) {
    write_file_attributes(file, mine.description);
    write_step(file, *image_, naming_.name(mine.description.number), mine.description, layout.columns, total[0]);
  });
}

void H5partPlanner::advance(const StepPart& mine, const Measure& /*total*/, bool published) {
  if (!published) return image_->discard();
  for (const auto& [quantity, unit] : new_units(mine.description, units_)) units_.set(quantity, unit);
  file_attributes_.clear();
  numbers_.insert(mine.description.number);
  if (next_end_ == 0) return;  // another rank publishes, and tells by its state
  image_->commit(next_end_);
  published_end_ = next_end_;
}

Publication H5partPlanner::finish() {
  if (published_end_ != 0 && file_attributes_.empty()) return {};
  return session({}, [&](hid_t file) { write_file_attributes(file, {}); });
}

}  // namespace quire::h5
