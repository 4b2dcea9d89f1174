#include <algorithm>

#include "format/sion/describer.hpp"
#include "quire/base/error.hpp"
#include "quire/spi/plan/member.hpp"

namespace quire::sion {
namespace {

/// Maximum number of tasks that are listed by their numbers.
constexpr std::uint64_t most_listed = 16;
constexpr const char* not_closed = "the number of used bytes in its chunks is not known";

/// The loss of a task in words; empty if it has lost nothing.
std::string loss_of(const PhysicalFile::Left& left) {
  if (left.lost > 0) return (left.is_known ? "lost " : "lost up to ") + std::to_string(left.lost) + " bytes";
  return left.is_known ? "" : not_closed;
}

}  // namespace

std::optional<StepLayout> SionDescriber::salvage(std::uint64_t index) {
  if (index != 0 || (first().is_closed() && !damage_)) return std::nullopt;
  if (!salvaging_) begin_salvage();
  auto layout = lay_out();
  std::vector<std::string>& warnings = layout->description.warnings;
  if (first().is_closed()) {
    list_lost(warnings);
  } else {
    const bool has_sizes = std::ranges::all_of(members_, [](const Member& member) { return member.file->has_sizes(); });
    warnings.push_back(
        has_sizes ? "the file was not closed, but its writer had written the sizes of all chunks"
        : notes_
            ? "the file was not closed: the sizes of its chunks are known from the notes of its writers"
            : "the file was not closed: the sizes of its chunks are not known, and each is kept with its full size");
  }
  if (has_lost_origins()) warnings.emplace_back(origins_lost);
  return layout;
}

bool SionDescriber::has_lost_origins() const {
  return std::ranges::any_of(members_, [](const Member& member) { return member.file->has_lost_origins(); });
}

void SionDescriber::list_lost(std::vector<std::string>& sentences) const {
  for (std::size_t i = 0; i < missing_.size(); ++i) {
    if (i == most_listed) {
      sentences.push_back("and those of " + std::to_string(missing_.size() - i) + " more files");
      break;
    }
    const std::string& name = description_.members[static_cast<std::size_t>(missing_[i])];
    sentences.push_back("all streams of " + name + " are lost" + tasks_in(missing_[i]));
  }
  std::uint64_t losses = 0;
  for (const Entry& entry : entries_) {
    const PhysicalFile& file = *member_of(entry).file;
    if (!file.damage()) continue;
    const std::string loss = file.is_closed() ? loss_of(file.left(entry.task)) : not_closed;
    if (!loss.empty() && ++losses <= most_listed)
      sentences.push_back("task " + std::to_string(entry.rank) + ": " + loss);
  }
  if (losses > most_listed) sentences.push_back(std::to_string(losses - most_listed) + " more tasks have losses");
}

std::string SionDescriber::tasks_in(std::uint64_t number) const {
  std::vector<PhysicalFile::Place> places;
  try {
    if (!first().damage()) places = first().mapping();
  } catch (const Error&) {
    return "";  // only the table of all tasks contains their numbers
  }
  std::string list;
  std::uint64_t found = 0;
  for (std::size_t task = 0; task < places.size(); ++task) {
    if (places[task].file != number) continue;
    if (++found <= most_listed) list += (list.empty() ? ": tasks " : ", ") + std::to_string(task);
  }
  return found > most_listed ? list + " and " + std::to_string(found - most_listed) + " more" : list;
}

void SionDescriber::find_open_siblings() {
  const Header& header = first().header();
  if (header.files == 1 || own_number(header) != 0) return;
  description_.members.push_back(name_);
  std::uint64_t before = first().tasks();
  // The table of all tasks does not exist yet: the files are searched by number until one is missing.
  for (std::uint64_t number = 1;
       number < std::min<std::uint64_t>(static_cast<std::uint64_t>(header.files), most_members); ++number) {
    const std::string name = member_name(name_, number);
    const auto bytes = context_.neighbour ? context_.neighbour(name) : nullptr;
    if (!bytes) return;
    Member member{number, nullptr, false, {}, before};
    try {
      member.file = std::make_unique<PhysicalFile>(bytes, file_options());
      check_sibling(member, name);
    } catch (const Error&) {
      return;  // a missing file cannot be recovered
    }
    read_sizes(member);
    before += member.file->tasks();
    description_.members.push_back(name);
    members_.push_back(std::move(member));
  }
}

/// The first file of a set is closed last: if the writers were killed in between, other files may have their sizes.
void SionDescriber::read_sizes(Member& member) {
  if (!member.file->is_closed()) return;
  try {
    member.file->read_second();
    if (!member.file->damage()) unmerge(member);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::bad_file) throw;
    member.unmerged.clear();
  }
}

/// Whether the used parts of the chunks of a file are known from notes at most.
bool SionDescriber::must_guess(const Member& member) const {
  return !member.file->has_sizes() && !(first().is_closed() && member.file->is_closed());
}

/// The sizes of chunks are written before their offset in the header: they do not belong to the streams.
void SionDescriber::find_sizes() {
  const std::uint64_t tasks = members_.back().first_task + members_.back().file->tasks();
  for (Member& member : members_) {
    if (!member.file->find_second(tasks)) continue;
    try {
      unmerge(member);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::bad_file) throw;
      member.unmerged.clear();
    }
  }
}

void SionDescriber::begin_salvage() {
  salvaging_ = true;
  const std::string notes = member_name(name_, notes_member);
  const bool may_be_noted = !first().is_closed() && context_.neighbour;
  notes_ = Notes::of(may_be_noted ? context_.neighbour(notes) : nullptr, first());
  if (notes_ && notes_->tasks() != members_.back().first_task + members_.back().file->tasks()) notes_.reset();
  if (!notes_ && !first().is_closed()) find_sizes();
  entries_.clear();
  for (std::uint64_t place = 0; place < members_.size(); ++place) {
    const PhysicalFile& file = *members_[static_cast<std::size_t>(place)].file;
    for (std::uint64_t task = 0; task < file.tasks(); ++task) {
      const std::int64_t rank = file.header().ranks[static_cast<std::size_t>(task)];
      if (rank >= 0) entries_.push_back({rank, place, task});
    }
  }
  index_ranks();
}

}  // namespace quire::sion
