#include "format/hdf5/planning/file_planner.hpp"

#include <bit>
#include <filesystem>
#include <utility>

#include "format/hdf5/library/attributes.hpp"
#include "format/hdf5/library/open_file.hpp"

namespace quire::hdf5 {

std::vector<Option> with_split(std::vector<Option> options) {
  options.push_back({"split",
                     OptionKind::truth,
                     "false",
                     {},
                     "write the metadata of a new file to NAME-m.h5 and raw data to NAME-r.h5 (HDF5's split driver)"});
  return options;
}

std::vector<Option> with_library_version(std::vector<Option> options) {
  options.push_back({"library_version",
                     OptionKind::text,
                     "earliest",
                     {"earliest", "v18", "v110"},
                     "the HDF5 release whose structures a new file may have; older releases cannot read them"});
  return options;
}

namespace {

LibraryVersion version_of(const CheckedOptions& options) {
  const std::string version = options.text("library_version");
  if (version == "v18") return LibraryVersion::v18;
  return version == "v110" ? LibraryVersion::v110 : LibraryVersion::earliest;
}

}  // namespace

FilePlanner::FilePlanner(const CheckedOptions& options)
    : alignment_(Alignment::of(options)), writer_(version_of(options), options.truth("split")) {
  require_alignment();
}

void FilePlanner::require_alignment() const {
  if (!writer_.split() || std::has_single_bit(alignment_.multiple)) return;
  throw Error(ErrorKind::usage, "the alignment of a split file must be a power of two").on("alignment");
}

void FilePlanner::introduce(const DescribeContext& context) {
  context_ = context;
  const bool is_new = context.member == nullptr;
  if (is_new && writer_.split()) {
    writer_.split()->require_name(std::filesystem::path(context.path).filename().string());
  }
}

Publication FilePlanner::take_over(std::shared_ptr<ByteSource> existing, const std::function<void(hid_t)>& look) {
  return writer_.take_over(std::move(existing), context_, [&](hid_t file) {
    require_alignment();
    look(file);
  });
}

void FilePlanner::learn_attributes(std::int64_t file) { adopt_attributes(attribute_names(writer_.image(), file)); }

void FilePlanner::adopt_attributes(const std::vector<std::string>& names) { held_.insert(names.begin(), names.end()); }

std::vector<std::string> FilePlanner::shared_attributes(bool has_published) const {
  return has_published ? std::vector<std::string>() : std::vector<std::string>(held_.begin(), held_.end());
}

void FilePlanner::add_attributes(std::vector<Attribute>& pending, std::vector<Attribute> added,
                                 bool may_replace) const {
  for (const Attribute& attribute : added) {
    if (may_replace || !held_.contains(attribute.name)) continue;
    throw Error(ErrorKind::conflict, "the file has an attribute of this name already")
        .on(attribute.name)
        .advise("choose another name, or, in a file of steps, write with the option existing=overwrite");
  }
  for (Attribute& attribute : added) {
    std::erase_if(pending, [&](const Attribute& old) { return old.name == attribute.name; });
    pending.push_back(std::move(attribute));
  }
}

std::vector<std::byte> FilePlanner::owner_of_raw_data() {
  return writer_.split() && writer_.published_end() == 0 ? writer_.empty_file() : std::vector<std::byte>();
}

WritePlan FilePlanner::guard(const StepPart& /*mine*/) {
  WritePlan plan;
  plan.add(0, owner_of_raw_data());
  return plan;
}

std::uint64_t FilePlanner::data_begin() const {
  return writer_.split() ? writer_.first_free() : writer_.published_end();
}

std::string FilePlanner::member_name(const std::string& first, std::uint64_t member) const {
  if (!writer_.split() || member > 1) return {};
  return member == 0 ? first : writer_.split()->raw_name_beside(first).value_or("");
}

bool FilePlanner::is_member(const std::string& first, std::string_view name) const {
  return has_usual_names(first, name);
}

}  // namespace quire::hdf5
