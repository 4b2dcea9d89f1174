#include "format/h5part/describer.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "format/chunk_cache_option.hpp"
#include "format/h5part/attachments.hpp"
#include "format/h5part/fields.hpp"
#include "format/hdf5/image/read_ahead.hpp"
#include "format/hdf5/library/attributes.hpp"
#include "format/hdf5/library/column_order.hpp"
#include "format/hdf5/library/datasets.hpp"
#include "format/hdf5/library/dropping.hpp"
#include "format/hdf5/library/layout_marks.hpp"
#include "format/hdf5/library/left_out.hpp"

namespace quire::hdf5 {
namespace {

constexpr const char* block_group = block_name;

/// Removes a text from the attributes of a file and returns it.
std::string take_text(std::vector<Attribute>& attributes, std::string_view name) {
  const auto found = std::ranges::find_if(attributes, [&](const Attribute& attribute) {
    return attribute.name == name && attribute.value.type() == Type::string && attribute.value.is_scalar();
  });
  if (found == attributes.end() || found->value.strings().front().empty()) return {};
  std::string text = found->value.strings().front();
  attributes.erase(found);
  return text;
}

/// The offset after the last byte of a run in the file.
std::uint64_t end_of(const Run& run) {
  if (!run.chunks) return run.offset + run.bytes;
  std::uint64_t end = 0;
  for (const Chunk& chunk : run.chunks->chunks) end = std::max(end, chunk.offset + chunk.bytes);
  return end;
}

std::string joined(const std::vector<std::string>& names) {
  constexpr std::size_t shown = 8;
  std::string text;
  for (std::size_t i = 0; i < std::min(shown, names.size()); ++i) text += (i == 0 ? "" : ", ") + names[i];
  return names.size() > shown ? text + ", ..." : text;
}

/// The path of a component of a field within the step's group.
std::string field_path(const Field& field, std::uint64_t component) {
  if (field.group == loose_columns) return field.name;
  const std::string prefix = std::string(block_group) + "/";
  // A field that has the same name as a column already has this prefix.
  return (field.name.starts_with(prefix) ? field.name : prefix + field.name) + "/" + std::to_string(component);
}

/// Adds the paths of the datasets of a step for other programs; `group` ends in a slash.
void add_paths(StepLayout& layout, const std::string& group) {
  for (std::size_t t = 0; t < layout.tables.size(); ++t) {
    const Table& table = layout.description.tables[t];
    for (Run& run : layout.tables[t].runs) run.path = group + table.columns[run.cells.front().column].name;
  }
  for (std::size_t f = 0; f < layout.fields.size(); ++f) {
    const Field& field = layout.description.fields[f];
    for (Run& run : layout.fields[f].runs) run.path = group + field_path(field, run.cells.front().column);
  }
}

}  // namespace

struct H5partDescriber::Member {
  std::string name;
  DatasetDescription data;
};

template <class Work>
auto H5partDescriber::guarded(Image& image, Work&& work) {
  try {
    return with_hdf5(image, std::forward<Work>(work));
  } catch (Error& error) {
    if (error.file().empty() && !context_.path.empty()) error.in_file(context_.path);
    throw;
  }
}

H5partDescriber::H5partDescriber(std::shared_ptr<ByteSource> bytes, DescribeContext context,
                                 const CheckedOptions& options)
    : bytes_(bytes),
      context_(std::move(context)),
      strict_(options.truth("strict")),
      may_be_cut_(options.truth("cut")),
      unwritten_(unwritten_of(options)),
      kept_(chunk_cache_of_format(options)) {
  try {
    main_ = std::make_shared<OpenFile>(std::move(bytes), context_, may_be_cut_ ? CutFiles::read : CutFiles::offered);
    may_be_cut_ = main_->cut().has_value();
  } catch (Error& error) {
    throw context_.path.empty() ? error : error.in_file(context_.path);
  }
  guarded(main_->image(), [&] { describe_file(options); });
}

void H5partDescriber::describe_file(const CheckedOptions& options) {
  description_.format = "h5part";
  std::vector<std::string>& warnings = description_.warnings;
  std::vector<std::string> names;
  for (Link& link : list_links(main_->id(), "/")) names.push_back(std::move(link.name));
  const std::string asked = options.text("step_name");
  const auto is_group = [&](const std::string& name) { return may_be_group(main_->image(), main_->id(), name); };
  naming_ = asked.empty() ? guess_naming(names, is_group) : guess_width(names, asked);
  entries_ = step_entries(names, naming_.prefix, warnings);
  if (!may_be_cut_) choose_meshes(options.truth("meshes"));

  describe_around("the attributes of the file", [&] {
    description_.attributes =
        read_attributes(main_->image(), main_->id(), context_.memory_budget, warnings, OldTexts::any);
  });
  units_ = Units(description_.attributes);
  description_.title = take_text(description_.attributes, "title");
  description_.contents = take_text(description_.attributes, "contents");
  fold_units();
  std::vector<std::string> left_out;
  description_.attachments = list_attachments(main_->id(), main_->image(), warnings, &left_out);
  report_left_out_attributes("attachments", left_out, warnings);
  std::vector<std::string> others;
  for (std::string& name : names) {
    const auto step = parse_step_name(name);
    if (shows_meshes_ && name == marks::meshes) continue;
    if (name == marks::attachments || (step && step->prefix == naming_.prefix)) continue;
    others.push_back(std::move(name));
  }
  add_layout_facts(others);
  if (may_be_cut_) keep_whole_steps();
}

void H5partDescriber::fold_units() {
  constexpr std::size_t most_steps = 16;  // bounds the search for quantities that no step has
  std::vector<std::string> names;
  for (std::size_t i = 0; units_.fold(description_.attributes, names) && i < entries_.size();) {
    try {
      names = names_in(entries_[i]);
    } catch (const Error&) {
      names.clear();  // the error is reported when the step is read
    }
    const std::size_t next = i + 1;
    i = next < most_steps ? next : std::max(next, entries_.size() - 1);
  }
}

void H5partDescriber::choose_meshes(bool asked) {
  const bool has_meshes = holds_meshes(*main_);
  if (asked && !has_meshes) throw Error(ErrorKind::missing, "the file has no meshes").in_file(context_.path);
  shows_meshes_ = has_meshes && (asked || entries_.empty());
  if (has_meshes && !shows_meshes_) {
    description_.warnings.emplace_back("the file also has meshes: they are read with the option meshes");
  }
  if (shows_meshes_) entries_.clear();
}

void H5partDescriber::describe_around(const std::string& what, const std::function<void()>& read) {
  if (!may_be_cut_) return read();
  try {
    with_hdf5(main_->image(), read);
  } catch (const Error& error) {
    description_.warnings.push_back(what + " are lost: " + error.message());
  }
}

void H5partDescriber::keep_whole_steps() {
  cut_ = main_->cut();
  if (!context_.path.empty()) cut_->in_file(context_.path);
  std::vector<StepEntry> whole;
  std::vector<std::string> lost;
  for (StepEntry& entry : entries_) {
    try {
      static_cast<void>(with_hdf5(main_->image(), [&] { return describe_step(entry); }));
      whole.push_back(std::move(entry));
    } catch (const Error&) {
      lost.push_back(entry.name);
    }
  }
  if (!lost.empty()) cut_->on(joined(lost));
  entries_ = std::move(whole);
  description_.warnings.push_back(cut_->message());
}

void H5partDescriber::add_layout_facts(const std::vector<std::string>& others) {
  auto& layout = description_.layout;
  auto& warnings = description_.warnings;
  layout = main_->facts();
  layout.push_back({"step name", naming_.prefix});
  layout.push_back({"step width", std::to_string(naming_.width)});
  if (!others.empty()) {
    layout.push_back({"not described", joined(others)});
    warnings.push_back("not described, because they are no steps called " + naming_.prefix +
                       "#<number>: " + joined(others));
  }
  main_->describe_leftovers(description_);
}

std::vector<std::string> H5partDescriber::names_in(const StepEntry& entry) {
  const StepGroup step = open_step(entry);
  return with_hdf5(step.file->image(), [&] {
    std::vector<std::string> names = attribute_names(step.file->image(), step.group.id());
    for (Link& link : list_links(step.group.id(), entry.name)) names.push_back(std::move(link.name));
    const Handle block = open_block(step);
    if (!block) return names;
    for (Link& link : list_links(block.id(), block_group)) names.push_back(std::move(link.name));
    return names;
  });
}

std::int64_t H5partDescriber::step_number(std::uint64_t index) {
  if (shows_meshes_ && index == 0) return 0;
  if (index >= entries_.size())
    throw Error(ErrorKind::missing, "there is no step at this index").in_file(context_.path);
  return entries_[static_cast<std::size_t>(index)].number;
}

std::optional<StepLayout> H5partDescriber::step(std::uint64_t index) {
  if (index == entries_.size() && cut_) throw *cut_;
  if (index >= steps()) return std::nullopt;
  if (shows_meshes_) {
    if (!meshes_) guarded(main_->image(), [&] { meshes_.emplace(*main_, context_.memory_budget, unwritten_); });
    return meshes_->layout();
  }
  if (!described_ || described_index_ != index) {
    described_ = guarded(main_->image(), [&] { return describe_step(entries_[static_cast<std::size_t>(index)]); });
    described_index_ = index;
  }
  return described_;
}

std::shared_ptr<OpenFile> H5partDescriber::neighbour(const std::string& name) {
  if (neighbour_ && neighbour_name_ == name) return neighbour_;
  auto bytes = context_.neighbour ? context_.neighbour(name) : nullptr;
  if (!bytes) {
    throw Error(ErrorKind::missing, "the file " + name + " that a step links to is missing")
        .advise("put " + name + " next to it");
  }
  try {
    const auto member = [this, name](const std::string&, const std::string& other) {
      return context_.member ? context_.member(name, other) : nullptr;
    };
    const DescribeContext of_neighbour{
        .path = name, .memory_budget = context_.memory_budget, .neighbour = {}, .member = member};
    neighbour_ = std::make_shared<OpenFile>(std::make_shared<ReadAhead>(std::move(bytes)), of_neighbour);
  } catch (Error& error) {
    throw error.in_file(name);
  }
  neighbour_name_ = name;
  return neighbour_;
}

H5partDescriber::StepGroup H5partDescriber::open_step(const StepEntry& entry) {
  H5L_info_t info{};
  require(H5Lget_info(main_->id(), entry.name.c_str(), &info, H5P_DEFAULT), "inspect the step", entry.name);
  StepGroup step{.file = main_, .group = {}, .is_external = info.type == H5L_TYPE_EXTERNAL};
  std::string object = entry.name;
  if (step.is_external) {
    const ExternalTarget target = external_target(main_->id(), entry.name);
    step.file = neighbour(target.file);
    object = target.object;
  } else {
    check_before_opening(main_->image(), main_->id(), entry.name);
  }
  const auto open = [&] {
    return own(H5Oopen(step.file->id(), object.c_str(), H5P_DEFAULT), "open the step", entry.name);
  };
  step.group = with_hdf5(step.file->image(), open);
  if (H5Iget_type(step.group.id()) != H5I_GROUP) {
    throw Error(ErrorKind::bad_file, "a step must be a group, this is another object").on(entry.name);
  }
  return step;
}

Handle H5partDescriber::open_block(const StepGroup& step) {
  const Link link = find_link(step.group.id(), block_group);
  check_before_opening(step.file->image(), link);
  Handle block(H5Gopen2(step.group.id(), block_group, H5P_DEFAULT));
  if (block || link.type != H5L_TYPE_HARD) return block;
  const Handle other = open_listed(step.group.id(), link);
  if (!other) throw hdf5_error("open the fields of the step", block_group);
  return block;
}

StepLayout H5partDescriber::describe_step(const StepEntry& entry) {
  const StepGroup step = open_step(entry);
  StepLayout layout;
  layout.description.number = entry.number;
  with_hdf5(step.file->image(), [&] {
    layout.description.attributes = read_attributes(step.file->image(), step.group.id(), context_.memory_budget,
                                                    layout.description.warnings, OldTexts::any);
    ChunkScope scope(step.file->image(), context_.memory_budget, layout.description.warnings, unwritten_);
    const std::vector<Link> links = list_links(step.group.id(), "step");
    std::vector<Member> members = members_of(step, links, scope);
    put_in_order(members, take_column_order(layout.description.attributes), &Member::name);
    add_table(layout, std::move(members));
    if (std::ranges::find(links, block_group, &Link::name) != links.end()) add_block(step, scope, layout);
  });
  units_.apply(layout.description);
  add_paths(layout, "/" + entry.name + "/");
  for (auto* places : {&layout.tables, &layout.fields}) {
    for (Place& place : *places) {
      for (Run& run : place.runs) {
        // The transport cannot access other files.
        if (step.is_external) {
          run.opaque = true;
          run.chunks.reset();
        }
        if (!run.opaque) layout.end = std::max(layout.end, end_of(run));
      }
    }
  }
  return layout;
}

std::vector<H5partDescriber::Member> H5partDescriber::members_of(const StepGroup& step, std::span<const Link> links,
                                                                 ChunkScope& scope) {
  std::vector<Member> members;
  std::vector<std::string> attributes;
  auto& warnings = scope.warnings;
  for (const Link& link : links) {
    if (link.name == block_group) continue;
    if (const std::string why = why_left_out(step.file->image(), link); !why.empty()) {
      warnings.push_back(link.name + " is left out: " + why);
      continue;
    }
    const Handle object = open_listed(step.group.id(), link);
    if (!object && link.type == H5L_TYPE_EXTERNAL) {
      warnings.push_back("the link " + link.name + " leads to another file and is left out");
      continue;
    }
    if (!object && link.type != H5L_TYPE_HARD) {
      warnings.push_back("the link " + link.name + " leads nowhere and is left out");
      continue;
    }
    if (!object) throw hdf5_error("open the column", link.name);
    auto data = H5Iget_type(object.id()) == H5I_DATASET
                    ? describe_dataset(object.id(), link.name, scope.image.ends(), &scope)
                    : std::nullopt;
    if (data) {
      name_attributes(step.file->image(), object.id(), link.name, attributes);
      members.push_back({link.name, *std::move(data)});
    } else {
      warnings.push_back(link.name + " is left out: " + why_not_described(object.id()));
    }
  }
  report_left_out_attributes("columns", attributes, warnings);
  return members;
}

std::optional<std::uint64_t> H5partDescriber::rows_of(std::span<const Member> members) {
  constexpr std::array<std::string_view, 4> names_of_particles{"x", "y", "z", "id"};
  struct Votes {
    std::size_t of_particles = 0;
    std::size_t of_all = 0;
    std::size_t columns_left = 0;  ///< from the first column of this length on
    auto operator<=>(const Votes&) const = default;
  };
  std::map<std::uint64_t, Votes> votes;
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (members[i].data.extents.size() != 1) continue;
    Votes& mine = votes[members[i].data.extents.front()];
    if (mine.of_all == 0) mine.columns_left = members.size() - i;
    ++mine.of_all;
    if (std::ranges::find(names_of_particles, members[i].name) != names_of_particles.end()) ++mine.of_particles;
  }
  const auto most = std::ranges::max_element(votes, {}, [](const auto& entry) { return entry.second; });
  return most == votes.end() ? std::nullopt : std::optional(most->first);
}

void H5partDescriber::add_table(StepLayout& layout, std::vector<Member> members) const {
  const std::optional<std::uint64_t> rows = rows_of(members);
  Table table;
  Place place;
  table.rows = rows.value_or(0);
  const std::vector<std::uint64_t> shape{table.rows};
  for (Member& member : members) {
    Quantity quantity;
    quantity.name = member.name;
    quantity.type = member.data.type;
    if (rows && member.data.extents == shape) {
      member.data.run.cells.front().column = table.columns.size();
      table.columns.push_back({quantity, member.data.run.cells.front().text_bytes});
      place.runs.push_back(std::move(member.data.run));
      continue;
    }
    const std::string defect =
        member.data.extents.size() != 1
            ? "it has " + std::to_string(member.data.extents.size()) + " dimensions"
            : "it has " + std::to_string(member.data.extents.front()) + " rows, the step " + std::to_string(table.rows);
    if (strict_) throw Error(ErrorKind::bad_file, "a column does not fit its step: " + defect).on(member.name);
    layout.description.warnings.push_back("the column " + member.name + " is given as a field: " + defect);
    Field field{quantity, member.data.extents, 1, loose_columns, {}, {}};
    layout.description.fields.push_back(std::move(field));
    layout.fields.push_back({{std::move(member.data.run)}});
  }
  if (table.columns.empty()) return;
  layout.description.tables.push_back(std::move(table));
  layout.tables.push_back(std::move(place));
}

void H5partDescriber::add_block(const StepGroup& step, ChunkScope& scope, StepLayout& layout) const {
  const Handle block = open_block(step);
  if (!block) {
    layout.description.warnings.emplace_back("Block is no group and is left out");
    return;
  }
  const std::size_t loose = layout.description.fields.size();
  describe_fields(block.id(), scope, layout);
  // Names of columns and fields share one namespace, since objects are accessed by name.
  for (std::size_t f = loose; f < layout.description.fields.size(); ++f) {
    std::string& name = layout.description.fields[f].name;
    const auto has_name = [&](const Quantity& other) { return other.name == name; };
    const auto& fields = layout.description.fields;
    const bool taken =
        (!layout.tables.empty() && std::ranges::any_of(layout.description.tables[0].columns, has_name)) ||
        std::any_of(fields.begin(), fields.begin() + static_cast<std::ptrdiff_t>(loose), has_name);
    if (taken) name = std::string(block_group) + "/" + name;
  }
}

void H5partDescriber::read_opaque(std::uint64_t index, const std::string& object, std::uint64_t component,
                                  const Slice& rows, const View& out) {
  const auto layout = step(index);
  if (!layout) throw Error(ErrorKind::missing, "there is no step at this index").in_file(context_.path);
  if (shows_meshes_) {
    return guarded(main_->image(), [&] { meshes_->read_opaque(object, rows, out); });
  }
  const StepDescription& description = layout->description;
  std::string path = object;
  std::optional<Type> type;
  for (const Table& table : description.tables) {
    for (const Column& column : table.columns) {
      if (column.name == object) type = column.type;
    }
  }
  if (!type) {
    const Field& field = description.fields[description.find_field(object)];
    type = field.type;
    path = field_path(field, component);
  }
  guarded(main_->image(), [&] {
    const StepGroup group = open_step(entries_[static_cast<std::size_t>(index)]);
    with_hdf5(group.file->image(), [&] {
      const std::string key = std::to_string(index) + "/" + path;
      kept_.read(group.file, key, group.group.id(), path, [&](hid_t dataset) {
        read_dataset(group.file->image(), dataset, object, *type, rows, out, context_.memory_budget);
      });
    });
  });
}

Publication H5partDescriber::drop(std::span<const std::int64_t> numbers) {
  std::vector<std::string> names;
  for (const std::int64_t number : numbers) {
    const auto entry = std::ranges::find(entries_, number, &StepEntry::number);
    if (entry == entries_.end()) {
      throw Error(ErrorKind::missing, "there is no step " + std::to_string(number)).in_file(context_.path);
    }
    names.push_back(entry->name);
  }
  FileWriter writer(LibraryVersion::earliest, false);
  Publication acts = writer.take_over(bytes_, context_, [](hid_t) {});
  std::ranges::move(drop_damaged(writer, names), std::back_inserter(acts));
  return acts;
}

void H5partDescriber::read_attachment(const std::string& name, std::uint64_t offset, std::span<std::byte> out) {
  guarded(main_->image(), [&] { hdf5::read_attachment(main_->id(), name, offset, out, context_.memory_budget); });
}

}  // namespace quire::hdf5
