#include "format/openpmd/describer.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "format/chunk_cache_option.hpp"
#include "format/hdf5/library/attributes.hpp"
#include "format/hdf5/library/datasets.hpp"
#include "format/hdf5/library/dropping.hpp"
#include "format/hdf5/library/words.hpp"
#include "format/openpmd/defaults.hpp"
#include "format/openpmd/meshes.hpp"

namespace quire::hdf5 {

template <class Work>
auto OpenpmdDescriber::guarded(Work&& work) {
  try {
    return with_hdf5(file_->image(), std::forward<Work>(work));
  } catch (Error& error) {
    if (error.file().empty() && !context_.path.empty()) error.in_file(context_.path);
    throw;
  }
}

OpenpmdDescriber::OpenpmdDescriber(std::shared_ptr<ByteSource> bytes, DescribeContext context,
                                   const CheckedOptions& options)
    : bytes_(bytes),
      context_(std::move(context)),
      unwritten_(unwritten_of(options)),
      uses_patches_(options.truth("patches")),
      kept_(chunk_cache_of_format(options)) {
  try {
    file_ = std::make_shared<OpenFile>(std::move(bytes), context_);
  } catch (Error& error) {
    throw context_.path.empty() ? error : error.in_file(context_.path);
  }
  guarded([&] { describe_file(); });
}

void OpenpmdDescriber::describe_file() {
  description_.format = "openpmd";
  description_.layout = file_->facts();
  description_.attributes = read_attributes(file_->image(), file_->id(), context_.memory_budget, description_.warnings);
  paths_ = SeriesPaths::take(description_.attributes, description_.layout);
  drop_preset(description_.attributes, attribute_of("openPMDextension", Value(std::uint32_t{0})));
  description_.title = text_of(description_.attributes, words::title);
  description_.contents = text_of(description_.attributes, words::contents);
  std::erase_if(description_.attributes, [&](const Attribute& attribute) {
    return (attribute.name == words::title && !description_.title.empty()) ||
           (attribute.name == words::contents && !description_.contents.empty());
  });
  fold_units(description_.attributes);
  entries_ = list_iterations(file_->id(), file_->image(), paths_, context_.memory_budget, description_.warnings);
  file_->describe_leftovers(description_);
}

const IterationEntry& OpenpmdDescriber::entry(std::uint64_t index) const {
  if (index < entries_.size()) return entries_[static_cast<std::size_t>(index)];
  throw Error(ErrorKind::missing, "there is no step at this index").in_file(context_.path);
}

std::optional<StepLayout> OpenpmdDescriber::step(std::uint64_t index) {
  if (index >= entries_.size()) return std::nullopt;
  if (!described_ || described_index_ != index) {
    described_.reset();
    described_ = guarded([&] { return describe_step(entry(index)); });
    described_index_ = index;
  }
  return described_;
}

StepLayout OpenpmdDescriber::describe_step(const IterationEntry& iteration) {
  opaque_.clear();
  StepLayout step;
  step.description.number = iteration.number;
  const std::string path = paths_.iteration(iteration.name);
  const Handle group = group_at(file_->id(), path, file_->image());
  if (!group) throw Error(ErrorKind::bad_file, "the iteration is no group that can be read").on(path);
  std::vector<std::string>& warnings = step.description.warnings;
  std::vector<std::string> defaults;
  // The attributes of the root are those of the file.
  if (!path.empty()) {
    step.description.attributes = read_attributes(file_->image(), group.id(), context_.memory_budget, warnings);
    fold_units(step.description.attributes);
    defaults = take_defaults(step.description.attributes);
    restore_times(step.description.attributes, defaults);
  }
  ChunkScope chunks(file_->image(), context_.memory_budget, warnings, unwritten_);
  const RecordScope scope{group.id(), path, chunks};
  if (paths_.particles) add_particles(scope, defaults, step);
  for (Table& table : step.description.tables) {
    if (!uses_patches_) table.zones.reset();
  }
  if (paths_.meshes) add_meshes(scope, step);
  for (const auto* places : {&step.tables, &step.fields}) {
    for (const Place& place : *places) {
      for (const Run& run : place.runs) {
        if (!run.opaque && !run.chunks) step.end = std::max(step.end, run.offset + run.bytes);
        for (std::size_t c = 0; run.chunks && c < run.chunks->chunks.size(); ++c) {
          step.end = std::max(step.end, run.chunks->chunks[c].offset + run.chunks->chunks[c].bytes);
        }
      }
    }
  }
  return step;
}

void OpenpmdDescriber::add_particles(const RecordScope& iteration, const std::vector<std::string>& defaults,
                                     StepLayout& step) {
  const Handle group = group_at(iteration.group, *paths_.particles, file_->image());
  if (!group) return;
  const std::string path = paths_.particles->empty() ? iteration.path : iteration.path + "/" + *paths_.particles;
  const RecordScope scope{group.id(), path, iteration.chunks};
  const std::vector<Link> links = list_links(group.id(), path);
  // In files of the extension for beam physics, the group of all species may be that of the only one.
  const bool is_species =
      std::ranges::any_of(links, [](const Link& link) { return link.name == "position" || link.name == "momentum"; });
  if (is_species) return describe_species(scope, {"particles", "particles"}, step, opaque_);
  for (const Link& link : links) {
    if (paths_.meshes && paths_.particles->empty() && link.name == *paths_.meshes) continue;
    const Handle species = open_group(group.id(), link, file_->image());
    if (!species) {
      iteration.chunks.warnings.push_back(path + "/" + link.name + " is left out: it is no species");
      continue;
    }
    const bool has_name = std::ranges::find(defaults, default_of_species(link.name)) == defaults.end();
    describe_species({species.id(), path.empty() ? link.name : path + "/" + link.name, scope.chunks},
                     {link.name, has_name ? link.name : ""}, step, opaque_);
  }
}

void OpenpmdDescriber::add_meshes(const RecordScope& iteration, StepLayout& step) {
  const Handle group = group_at(iteration.group, *paths_.meshes, file_->image());
  if (!group) return;
  const bool is_inside = !paths_.meshes->empty();
  const std::string path = is_inside ? iteration.path + "/" + *paths_.meshes : iteration.path;
  if (is_inside) {
    auto attributes = read_attributes(file_->image(), group.id(), context_.memory_budget, step.description.warnings);
    for (Attribute& attribute : attributes) {
      attribute.name = "meshes/" + attribute.name;
      step.description.attributes.push_back(std::move(attribute));
    }
  }
  const RecordScope scope{group.id(), path, iteration.chunks};
  for (const Link& link : list_links(group.id(), path)) {
    if (!is_inside && paths_.particles && link.name == *paths_.particles) continue;
    auto record = read_record(scope, link);
    if (record) describe_mesh(*std::move(record), iteration.chunks, step, opaque_);
  }
}

void OpenpmdDescriber::read_opaque(std::uint64_t index, const std::string& object, std::uint64_t component,
                                   const Slice& rows, const View& out) {
  static_cast<void>(entry(index));
  static_cast<void>(step(index));
  auto found = opaque_.find(object + "/" + std::to_string(component));
  if (found == opaque_.end()) found = opaque_.find(object);
  if (found == opaque_.end()) {
    throw Error(ErrorKind::internal, "the object is not opaque").on(object).in_file(context_.path);
  }
  const OpaqueValues& values = found->second;
  guarded([&] {
    kept_.read(file_, values.path, file_->id(), "/" + values.path, [&](hid_t dataset) {
      if (values.is_joined) {
        read_component(dataset, object, values.type, component, rows, out, context_.memory_budget);
      } else {
        read_dataset(file_->image(), dataset, object, values.type, rows, out, context_.memory_budget);
      }
    });
  });
}

Publication OpenpmdDescriber::drop(std::span<const std::int64_t> numbers) {
  std::vector<std::string> names;
  for (const std::int64_t number : numbers) {
    const auto found = std::ranges::find(entries_, number, &IterationEntry::number);
    if (found == entries_.end()) {
      throw Error(ErrorKind::missing, "there is no step " + std::to_string(number)).in_file(context_.path);
    }
    if (found->name.empty()) {
      throw Error(ErrorKind::unsupported, "the only iteration of a file cannot be removed").in_file(context_.path);
    }
    names.push_back(paths_.iteration(found->name));
  }
  FileWriter writer(LibraryVersion::earliest, false);
  Publication acts = writer.take_over(bytes_, context_, [](hid_t) {});
  std::ranges::move(drop_damaged(writer, names), std::back_inserter(acts));
  return acts;
}

}  // namespace quire::hdf5
