#include "format/sion/planner.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "format/sion/describer.hpp"
#include "format/sion/distribution.hpp"
#include "format/sion/notes.hpp"
#include "quire/base/error.hpp"
#include "quire/spi/base/checked.hpp"
#include "quire/spi/plan/member.hpp"

namespace quire::sion {
namespace {

constexpr std::size_t longest_name = 1016;

Error one_step_only() {
  return Error(ErrorKind::unsupported, "a multifile is one step").advise("write each step to a file of its own");
}

/// The chunk map of a new file. Throws usage errors: the sizes are from the caller, not from a damaged file.
ChunkMap map_of(const Header& header) {
  try {
    return chunk_map(header);
  } catch (const Error& error) {
    throw Error(ErrorKind::usage, error.message()).on(error.object()).advise("ask for smaller chunks");
  }
}

}  // namespace

SionPlanner::SionPlanner(const CheckedOptions& options) : rules_(rules_of(options)) {}

Publication SionPlanner::resume(std::shared_ptr<ByteSource> /*existing*/, std::optional<std::int64_t> /*after*/,
                                bool /*drop*/) {
  throw one_step_only();
}

void SionPlanner::set_file(const FileDescription& file) {
  if (file.attributes.empty() && file.title.empty() && file.contents.empty()) return;
  throw Error(ErrorKind::unsupported, "a multifile has no title, no contents and no attributes");
}

StepDescription SionPlanner::accept(const StepDescription& step, bool /*lossy*/) const {
  if (is_written_) throw one_step_only();
  if (!step.tables.empty() || !step.fields.empty() || !step.attributes.empty()) {
    const std::string& name = !step.tables.empty()   ? step.tables.front().name
                              : !step.fields.empty() ? step.fields.front().name
                                                     : step.attributes.front().name;
    throw Error(ErrorKind::unsupported, "a multifile has streams, and no tables, fields and attributes")
        .on(name)
        .advise("write the bytes to streams, or choose another format");
  }
  return step;
}

void SionPlanner::advance(const StepPart& /*mine*/, const Measure& /*total*/, bool published) {
  files_.clear();
  uses_.clear();
  if (!published) return;
  is_written_ = true;
  published_size_ = pending_size_;
}

std::string SionPlanner::member_name(const std::string& first, std::uint64_t member) const {
  if (rules_.copies == 0 || member < most_files_with_copies || member == notes_member) {
    return sion::member_name(first, member);
  }
  const std::vector<std::string> sets = sets_of(first);
  return sion::member_name(sets[static_cast<std::size_t>(member / most_files_with_copies)],
                           member % most_files_with_copies);
}

std::optional<std::uint64_t> SionPlanner::notes() const {
  return is_noted_ ? std::optional(notes_member) : std::nullopt;
}

bool SionPlanner::is_member(const std::string& first, std::string_view name) const {
  if (!name.starts_with(first)) return false;
  name.remove_prefix(first.size());
  if (name == notes_suffix) return true;
  const auto take_digits = [&](std::string_view mark, std::size_t least) {
    if (!name.starts_with(mark)) return false;
    const auto end = std::min(name.find_first_not_of("0123456789", mark.size()), name.size());
    if (end < mark.size() + least) return false;
    name.remove_prefix(end);
    return true;
  };
  const bool is_copy = take_digits("_BUDDY_", 2);
  const bool is_numbered = take_digits(".", 6);
  return name.empty() && (is_copy || is_numbered);
}

// ---- Places

void SionPlanner::measure_out(const std::vector<StreamRequest>& requests, const std::string& path) {
  const std::string name = rules_.stored_name.empty() ? path : rules_.stored_name;
  if (name.size() > longest_name) {
    throw Error(ErrorKind::unsupported, "a multifile stores names of up to 1016 bytes").on("stored_name");
  }
  const Distribution distribution = distribute(requests, rules_, files_for(requests));
  files_.clear();
  for (const auto& tasks : distribution) {
    PlannedFile& file = files_.emplace_back();
    file.number = files_.size() - 1;
    file.order = tasks;
    std::vector<const StreamRequest*> mine;
    for (const std::uint64_t order : file.order) mine.push_back(&requests[static_cast<std::size_t>(order)]);
    const ChunkSizes sizes = chunk_sizes(mine, rules_.sizes);
    file.collectors = sizes.collectors;
    Header& header = file.header;
    header.order = rules_.order;
    header.data_order = rules_.data_order;
    header.block_size = static_cast<std::int32_t>(rules_.sizes.block_size);
    header.tasks = static_cast<std::int32_t>(mine.size());
    header.files = static_cast<std::int32_t>(distribution.size());
    header.file_number = rules_.interface == Interface::serial ? 1 : static_cast<std::int32_t>(file.number);
    header.keys = rules_.keyed ? KeyMode::inside : KeyMode::none;
    header.name = name;
    if (rules_.keeps_origins) header.writer_patch = remembering_patch;
    for (std::size_t i = 0; i < mine.size(); ++i) {
      header.ranks.push_back(mine[i]->rank);
      header.chunk_sizes.push_back(static_cast<std::int64_t>(sizes.bytes[i]));
    }
    file.map = map_of(header);
    file.filling = filling_of(file, requests);
  }
}

std::optional<SionPlanner::Filling> SionPlanner::filling_of(const PlannedFile& file,
                                                            const std::vector<StreamRequest>& requests) const {
  std::vector<std::uint64_t> loads(file.order.size(), 0);
  for (std::size_t task = 0; task < loads.size(); ++task) {
    const StreamRequest& request = requests[static_cast<std::size_t>(file.order[task])];
    if (!request.bytes) return std::nullopt;
    auto& target = loads[merges() ? static_cast<std::size_t>(file.collectors[task]) : task];
    loads[task] = checked_add(loads[task], *request.bytes);
    target = checked_add(target, request.together);
  }
  Filling filling;
  for (std::size_t task = 0; task < loads.size(); ++task) {
    filling.bytes = checked_add(filling.bytes, loads[task]);
    const std::uint64_t room = file.map.spaces[task];
    if (room > 0) filling.blocks = std::max(filling.blocks, loads[task] / room + (loads[task] % room == 0 ? 0 : 1));
  }
  return filling;
}

std::vector<Extent> SionPlanner::reservations() const {
  constexpr std::uint64_t filled = 10;
  std::vector<Extent> extents;
  for (const PlannedFile& file : files_) {
    if (!file.filling) continue;
    const std::uint64_t space = checked_multiply(file.filling->blocks, file.map.skip);
    // Space that no task fills remains a hole.
    if (file.filling->bytes < space - space / filled) continue;
    extents.push_back({address_in(file.member(), 0), checked_add(file.map.data, space)});
  }
  return extents;
}

/// Adds files in which tasks of one group store copies of the bytes of another group: specs/sion.md section 7.
void SionPlanner::add_copies() {
  const std::uint64_t count = files_.size();
  if (rules_.copies == 0) return;
  if (rules_.copies >= count || count > most_files_with_copies) {
    throw Error(ErrorKind::usage, "of " + std::to_string(count) + " files " + std::to_string(rules_.copies) +
                                      " copies cannot be kept with other groups of tasks")
        .on("copies")
        .advise("make more files than copies, and at most " + std::to_string(most_files_with_copies));
  }
  for (std::uint64_t set = 1; set <= rules_.copies; ++set) {
    for (std::uint64_t number = 0; number < count; ++number) {
      const PlannedFile& keeper = files_[static_cast<std::size_t>((number + count - set) % count)];
      PlannedFile copy = files_[static_cast<std::size_t>(number)];
      copy.set = set;
      copy.keepers = keeper.order.size();
      Header& header = copy.header;
      header.tasks = static_cast<std::int32_t>(copy.tasks());
      header.chunk_sizes.insert(header.chunk_sizes.begin(), static_cast<std::size_t>(copy.keepers), 0);
      const std::vector<std::int64_t>& ranks = keeper.header.ranks;
      header.ranks.insert(header.ranks.begin(), ranks.begin(), ranks.end());
      for (std::size_t i = 0; i < ranks.size(); ++i) header.ranks[i] = -(ranks[i] + 1);
      copy.map = map_of(header);
      files_.push_back(std::move(copy));
    }
  }
}

std::uint64_t SionPlanner::files_for(const std::vector<StreamRequest>& requests) const {
  if (rules_.files) return *rules_.files;
  // A set has tasks 0, 1, 2 and so on.
  const bool has_gaps = std::ranges::any_of(
      requests, [&](const auto& request) { return static_cast<std::uint64_t>(request.rank) >= requests.size(); });
  if (rules_.interface == Interface::serial || has_gaps) return 1;
  // Writes to the same file wait for each other. More files than writers or processors have no advantage.
  constexpr std::uint64_t most_of_a_node = 4;
  const std::uint64_t ranks = (machine_.ranks + machine_.nodes - 1) / machine_.nodes;
  const std::uint64_t each = std::min({ranks, machine_.processors, most_of_a_node});
  const std::uint64_t group = rules_.modular ? static_cast<std::uint64_t>(rules_.sizes.group_tasks) : 1;
  return std::max<std::uint64_t>(1, std::min(each * machine_.nodes, requests.size() / group));
}

std::vector<StreamPlace> SionPlanner::place(const std::vector<StreamRequest>& requests, const std::string& path,
                                            bool is_open) {
  measure_out(requests, path);
  add_copies();
  is_noted_ = is_open && rules_.notes;
  std::vector<StreamPlace> places(requests.size());
  std::uint64_t task = 0;
  for (const PlannedFile& file : files_) {
    for (std::size_t i = 0; i < file.order.size(); ++i) {
      StreamPlace& place = places[static_cast<std::size_t>(file.order[i])];
      const std::uint64_t first = address_in(file.member(), file.map.starts[i + file.keepers]);
      if (file.set > 0) {
        place.copies.push_back(first);
        continue;
      }
      place.first = first;
      place.chunk_bytes = file.map.spaces[i];
      place.skip = file.map.skip;
      place.collector = file.order[static_cast<std::size_t>(file.collectors[i])];
      place.portion = rules_.sizes.compact ? std::numeric_limits<std::uint64_t>::max() : rules_.sizes.block_size;
      if (rules_.keyed) place.records = rules_.order;
      if (is_noted_) {
        place.notes = address_in(notes_member, note_at(task++, requests.size(), 0));
        place.notes_skip = notes_page * requests.size();
      }
    }
  }
  return places;
}

WritePlan SionPlanner::title() {
  WritePlan plan;
  std::uint64_t tasks = 0;
  for (const PlannedFile& file : files_) {
    plan.add(address_in(file.member(), 0), print_header(file.header));
    if (file.set == 0) tasks += file.order.size();
  }
  if (is_noted_) plan.add(address_in(notes_member, 0), print_notes_title(print_header(files_[0].header), tasks));
  return plan;
}

// ---- Publication

std::vector<std::byte> SionPlanner::second(const PlannedFile& file, std::uint64_t blocks) const {
  const std::uint64_t tasks = file.tasks();
  std::vector<std::int64_t> numbers(static_cast<std::size_t>(tasks * (blocks + 1)),
                                    rules_.interface == Interface::mapped ? -1 : 0);
  // Tasks that write a copy have one empty chunk in it.
  std::fill_n(numbers.begin(), file.keepers, 1);
  for (std::uint64_t task = file.keepers; task < tasks; ++task) {
    const auto& chunks =
        uses_[static_cast<std::size_t>(file.order[static_cast<std::size_t>(task - file.keepers)])].chunks;
    numbers[static_cast<std::size_t>(task)] = static_cast<std::int64_t>(chunks.size());
    for (std::uint64_t block = 0; block < chunks.size(); ++block) {
      numbers[static_cast<std::size_t>(tasks * (block + 1) + task)] =
          static_cast<std::int64_t>(chunks[static_cast<std::size_t>(block)]);
    }
  }
  return print_numbers(std::span<const std::int64_t>(numbers), rules_.order);
}

std::vector<std::byte> SionPlanner::table(const PlannedFile& first) const {
  std::vector<std::int32_t> numbers;
  const bool is_set = first.header.files > 1;
  if (first.number == 0 && (is_set || rules_.interface == Interface::mapped)) {
    std::map<std::int64_t, std::pair<std::int32_t, std::int32_t>> places;
    for (const PlannedFile& file : files_) {
      if (file.set != first.set) continue;
      for (std::size_t i = static_cast<std::size_t>(file.keepers); i < file.header.ranks.size(); ++i) {
        places[file.header.ranks[i]] = {static_cast<std::int32_t>(file.number), static_cast<std::int32_t>(i)};
      }
    }
    numbers.push_back(static_cast<std::int32_t>(places.size()));
    for (const auto& [rank, place] : places) {
      numbers.push_back(place.first);
      numbers.push_back(place.second);
    }
  } else if (rules_.interface == Interface::serial) {
    numbers.push_back(0);
  }
  return print_numbers(std::span<const std::int32_t>(numbers), rules_.order);
}

std::vector<std::byte> SionPlanner::origins(const PlannedFile& file) const {
  if (!rules_.keeps_origins) return {};
  Origins origins;
  for (std::size_t i = 0; i < file.order.size(); ++i) {
    const auto& runs = uses_[static_cast<std::size_t>(file.order[i])].origins;
    if (!runs.empty()) origins.collectors.push_back({i, runs});
  }
  return print_origins(origins);
}

Publication SionPlanner::publish(const StepPart& /*mine*/, const Measure& /*total*/) {
  Publication ends;
  Publication acts;
  // The first file, which readers open, is last, after the copies.
  for (std::size_t number = files_.size(); number-- > 0;) {
    PlannedFile& file = files_[number];
    std::uint64_t blocks = 1;
    for (const std::uint64_t order : file.order) {
      blocks = std::max<std::uint64_t>(blocks, uses_[static_cast<std::size_t>(order)].chunks.size());
    }
    if (blocks > static_cast<std::uint64_t>(std::numeric_limits<std::int32_t>::max())) {
      throw Error(ErrorKind::unsupported, "a multifile has fewer than 2^31 blocks");
    }
    const std::uint64_t begin = checked_add(file.map.data, checked_multiply(blocks, file.map.skip));
    std::vector<std::byte> bytes = second(file, blocks);
    for (const auto& more : {table(file), origins(file)}) bytes.insert(bytes.end(), more.begin(), more.end());
    const std::uint64_t end = checked_add(begin, bytes.size());
    acts.emplace_back(PublishWrite{address_in(file.member(), begin), std::move(bytes)});
    if (number == 0) pending_size_ = end;
    const std::uint64_t at = blocks_at(newest_version, file.tasks());
    const std::int32_t count = static_cast<std::int32_t>(blocks);
    const std::int64_t place = static_cast<std::int64_t>(begin);
    acts.emplace_back(PublishWrite{address_in(file.member(), at), print_numbers(std::span(&count, 1), rules_.order)});
    ends.emplace_back(
        PublishWrite{address_in(file.member(), at + 4), print_numbers(std::span(&place, 1), rules_.order)});
  }
  acts.emplace_back(PublishSync{});
  acts.insert(acts.end(), ends.begin(), ends.end());
  return acts;
}

}  // namespace quire::sion
