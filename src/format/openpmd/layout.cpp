#include "format/openpmd/layout.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "format/appending.hpp"
#include "format/hdf5/library/attributes.hpp"
#include "format/hdf5/library/dropping.hpp"
#include "format/hdf5/library/file_writer.hpp"
#include "format/hdf5/library/words.hpp"
#include "format/openpmd/iterations.hpp"
#include "format/openpmd/series.hpp"
#include "format/openpmd/structure.hpp"
#include "quire/base/error.hpp"

namespace quire::hdf5 {
namespace {

constexpr std::uint64_t attribute_budget = std::uint64_t{64} << 20;

/// Throws unsupported errors for files to which no iteration can be added, and sets where the next one goes.
void require_groups(SeriesPaths& paths) {
  if (!paths.is_numbered || paths.encoding != "groupBased") {
    throw Error(ErrorKind::unsupported, "the file holds one iteration only (" + paths.encoding + ")")
        .advise("convert it to a new file, which has a group for each iteration, and append to that");
  }
  if (!paths.meshes) paths.meshes = SeriesPaths().meshes;
  if (!paths.particles) paths.particles = SeriesPaths().particles;
  if (!paths.meshes->empty() && !paths.particles->empty() && *paths.meshes != *paths.particles) return;
  throw Error(ErrorKind::unsupported, "the iterations of the file have no groups of their own for species and meshes");
}

/// The iterations after `after`. Throws conflict errors if there is no such one, or if later ones may not be dropped.
std::vector<IterationEntry> iterations_to_drop(const std::vector<IterationEntry>& all,
                                               std::optional<std::int64_t> after, bool drop) {
  if (!after) return {};
  if (std::ranges::find(all, *after, &IterationEntry::number) == all.end()) {
    throw no_step_to_append_after(*after, all.empty() ? std::nullopt : std::optional(all.back().number));
  }
  std::vector<IterationEntry> leaving;
  std::ranges::copy_if(all, std::back_inserter(leaving), [&](const auto& entry) { return entry.number > *after; });
  if (!leaving.empty() && !drop) {
    throw Error(ErrorKind::conflict, "the file holds steps after step " + std::to_string(*after))
        .on(leaving.front().name)
        .advise("append after the last one, or request to drop the later steps");
  }
  return leaving;
}

}  // namespace

std::string OpenpmdLayout::species_of(const CheckedOptions& options) {
  const std::string species = options.text("species");
  const std::string defect = defect_of_name(species);
  if (!defect.empty()) throw Error(ErrorKind::usage, "a species " + defect).on("species");
  return species;
}

OpenpmdLayout::OpenpmdLayout(const CheckedOptions& options)
    : species_(species_of(options)), records_patches_(options.truth("patches")) {
  const std::string pattern = options.text("iteration_format");
  if (pattern.empty()) return;
  if (!NamePattern::of(pattern)) {
    throw Error(ErrorKind::usage, "the names of a series contain %T, or %06T, in place of the iteration")
        .on("iteration_format");
  }
  is_of_series_ = true;
  paths_.encoding = "fileBased";
  paths_.format = pattern;
}

void OpenpmdLayout::check_new(std::int64_t number, bool is_first) const {
  if (is_of_series_ && !is_first) {
    throw Error(ErrorKind::conflict, "a file of a series holds one step")
        .on(std::to_string(number))
        .advise("create a file for each step, or leave out the option iteration_format");
  }
  if (!numbers_.contains(number)) return;
  throw Error(ErrorKind::conflict, "step " + std::to_string(number) + " is already in the file")
      .on(std::to_string(number))
      .advise("give it another number");
}

Resumed OpenpmdLayout::resume(FileWriter& writer, const OpenExisting& open, std::optional<std::int64_t> after,
                              bool drop) {
  Resumed resumed;
  std::vector<std::string> leaving;
  resumed.acts = open([&](hid_t file) {
    Image& image = writer.image();
    std::vector<std::string> warnings;
    std::vector<Attribute> attributes = read_attributes(image, file, attribute_budget, warnings);
    std::vector<Fact> facts;
    paths_ = SeriesPaths::take(attributes, facts);
    require_groups(paths_);
    const std::vector<IterationEntry> all = list_iterations(file, image, paths_, attribute_budget, warnings);
    for (const IterationEntry& entry : all) numbers_.insert(entry.number);
    for (const IterationEntry& entry : iterations_to_drop(all, after, drop)) {
      leaving.push_back(paths_.iteration(entry.name));
      numbers_.erase(entry.number);
    }
  });
  if (leaving.empty()) return resumed;
  std::ranges::move(drop_links(writer, leaving), std::back_inserter(resumed.acts));
  writer.commit();
  return resumed;
}

void OpenpmdLayout::write_file(hid_t file, const std::vector<Attribute>& attributes,
                               const StepDescription& step) const {
  std::vector<Attribute> own = paths_.attributes();
  // Extensions are a number in version 1 of the standard, and names from version 2 on.
  if (!text_of(attributes, "openPMDextension").empty()) own.front().value = Value("2.0.0");
  if (!step.fields.empty()) own.push_back(attribute_of(std::string(meshes_path), *paths_.meshes + "/"));
  if (!step.tables.empty()) own.push_back(attribute_of(std::string(particles_path), *paths_.particles + "/"));
  for (const Attribute& attribute : own) {
    if (require(H5Aexists(file, attribute.name.c_str()), "look for an attribute", attribute.name) > 0) continue;
    write_attributes(file, {attribute});
  }
  static_cast<void>(require_group(file, paths_.base));
  write_attributes(file, attributes);
}

std::vector<std::string> OpenpmdLayout::create(const NewStep& step) {
  write_iteration(step, paths_);
  return {};
}

}  // namespace quire::hdf5
