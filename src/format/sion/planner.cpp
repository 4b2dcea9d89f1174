#include "format/sion/planner.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <set>
#include <utility>

#include "format/sion/describer.hpp"
#include "format/sion/notes.hpp"
#include "quire/base/checked.hpp"
#include "quire/base/error.hpp"
#include "quire/plan/member.hpp"

namespace quire::sion {
namespace {

constexpr std::uint64_t most_tasks = std::numeric_limits<std::int32_t>::max();
constexpr std::size_t longest_name = 1016;

Error one_step_only() {
  return Error(ErrorKind::unsupported, "a multifile is one step").advise("write each step to a file of its own");
}

ByteOrder order_option(const CheckedOptions& options, std::string_view name) {
  const std::string& order = options.text(name);
  if (order == "native") return native_order;
  return order == "big" ? ByteOrder::big : ByteOrder::little;
}

std::string about(const StreamRequest& request) { return "task " + std::to_string(request.rank); }

/// Whether all, or none, of the requests say something; a usage error for some of them.
template <class Member>
bool is_told(const std::vector<StreamRequest>& requests, Member member, const char* what) {
  const auto told = std::ranges::count_if(requests, [&](const auto& request) { return (request.*member).has_value(); });
  if (told == 0) return false;
  if (static_cast<std::size_t>(told) == requests.size()) return true;
  throw Error(ErrorKind::usage, std::string("only some of the streams say ") + what)
      .advise("say it for all streams, or for none");
}

}  // namespace

WriteRules SionPlanner::rules_of(const CheckedOptions& options) {
  WriteRules rules;
  const std::string& mode = options.text("mode");
  rules.sizes.mode = mode == "plain" ? Mode::plain : mode == "merge" ? Mode::merge : Mode::collective;
  rules.sizes.compact = options.text("style") == "compact";
  rules.sizes.group_tasks = options.integer("collsize");
  const long long unit = rules.sizes.compact && !options.given("block_size") ? 1 : options.integer("block_size");
  if (unit < 1 || unit > std::numeric_limits<std::int32_t>::max()) {
    throw Error(ErrorKind::usage, "option block_size goes from 1 to 2147483647 bytes");
  }
  rules.sizes.block_size = static_cast<std::uint64_t>(unit);
  const std::string& interface = options.text("interface");
  rules.interface = interface == "serial"   ? Interface::serial
                    : interface == "mapped" ? Interface::mapped
                                            : Interface::parallel;
  const long long files = options.integer("files");
  if (files < 1 || static_cast<std::uint64_t>(files) > most_members) {
    throw Error(ErrorKind::usage, "option files goes from 1 to " + std::to_string(most_members));
  }
  rules.files = static_cast<std::uint64_t>(files);
  if (rules.interface == Interface::serial && rules.files > 1) {
    throw Error(ErrorKind::usage, "the serial interface writes a single file").on("files");
  }
  // The reference takes no notice of the mode there.
  if (rules.interface == Interface::mapped && rules.sizes.mode != Mode::plain) {
    throw Error(ErrorKind::usage, "the mapped interface writes in plain mode").on("mode");
  }
  rules.keyed = options.truth("keys");
  const std::string& origins = options.text("origins");
  rules.keeps_origins =
      rules.sizes.mode == Mode::merge && (origins == "kept" || (origins == "auto" && rules.sizes.compact));
  rules.notes = options.truth("notes");
  rules.order = order_option(options, "byte_order");
  rules.data_order =
      options.text("data_byte_order") == "native" ? rules.order : order_option(options, "data_byte_order");
  rules.stored_name = options.text("stored_name");
  return rules;
}

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
        .advise("put bytes into streams, or choose another format");
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
  return sion::member_name(first, member);
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

// ---- Which task goes where

void SionPlanner::check(const std::vector<StreamRequest>& requests) const {
  if (requests.empty()) throw Error(ErrorKind::usage, "a multifile has at least one stream");
  if (requests.size() > most_tasks) throw Error(ErrorKind::unsupported, "a multifile has fewer than 2^31 streams");
  std::set<std::int64_t> ranks;
  for (const StreamRequest& request : requests) {
    if (request.rank < 0) throw Error(ErrorKind::usage, "the number of a task is not negative").on(about(request));
    if (!ranks.insert(request.rank).second && rules_.interface != Interface::serial) {
      throw Error(ErrorKind::usage, "two streams are of the same task").on(about(request));
    }
  }
}

void SionPlanner::distribute(const std::vector<StreamRequest>& requests) {
  files_.clear();
  const bool is_told_index = is_told(requests, &StreamRequest::index, "which place they have");
  if (is_told(requests, &StreamRequest::file, "which file they belong to")) {
    distribute_as_told(requests);
  } else {
    distribute_evenly(requests);
  }
  if (files_.size() > 1) {
    for (const StreamRequest& request : requests) {
      if (static_cast<std::uint64_t>(request.rank) < requests.size()) continue;
      throw Error(ErrorKind::usage, "the tasks of a set of files are numbered from 0 on, without gaps")
          .on(about(request));
    }
  }
  for (PlannedFile& file : files_) {
    if (rules_.interface != Interface::serial) {
      std::ranges::sort(file.order, {}, [&](std::uint64_t order) {
        const StreamRequest& request = requests[static_cast<std::size_t>(order)];
        return is_told_index ? static_cast<std::int64_t>(*request.index) : request.rank;
      });
    }
    for (std::size_t i = 0; is_told_index && i < file.order.size(); ++i) {
      const StreamRequest& request = requests[static_cast<std::size_t>(file.order[i])];
      if (*request.index == i) continue;
      throw Error(ErrorKind::usage, "the places in a file are numbered from 0 on, without gaps").on(about(request));
    }
  }
}

void SionPlanner::distribute_as_told(const std::vector<StreamRequest>& requests) {
  std::map<std::uint64_t, PlannedFile> by_file;
  for (std::uint64_t order = 0; order < requests.size(); ++order) {
    by_file[*requests[static_cast<std::size_t>(order)].file].order.push_back(order);
  }
  if (by_file.size() > most_members) throw Error(ErrorKind::unsupported, "these are too many files for one set");
  if (rules_.interface == Interface::serial && by_file.size() > 1) {
    throw Error(ErrorKind::usage, "the serial interface writes a single file");
  }
  if (rules_.interface == Interface::mapped && by_file.rbegin()->first + 1 != by_file.size()) {
    throw Error(ErrorKind::usage, "the files are numbered from 0 on, and each has a stream");
  }
  std::vector<std::pair<std::int64_t, PlannedFile>> groups;
  for (auto& [number, file] : by_file) {
    std::int64_t lowest = std::numeric_limits<std::int64_t>::max();
    for (const std::uint64_t order : file.order)
      lowest = std::min(lowest, requests[static_cast<std::size_t>(order)].rank);
    groups.emplace_back(lowest, std::move(file));
  }
  // The parallel interface numbers groups of tasks by the first task of each.
  if (rules_.interface == Interface::parallel) {
    std::ranges::sort(groups, {}, &std::pair<std::int64_t, PlannedFile>::first);
  }
  for (auto& group : groups) files_.push_back(std::move(group.second));
}

void SionPlanner::distribute_evenly(const std::vector<StreamRequest>& requests) {
  std::vector<std::uint64_t> all(requests.size());
  std::iota(all.begin(), all.end(), std::uint64_t{0});
  if (rules_.interface != Interface::serial) {
    std::ranges::sort(all, {}, [&](std::uint64_t order) { return requests[static_cast<std::size_t>(order)].rank; });
  }
  if (rules_.files > all.size()) {
    throw Error(ErrorKind::usage,
                "there are " + std::to_string(rules_.files) + " files for " + std::to_string(all.size()) + " streams");
  }
  const std::uint64_t each = all.size() / rules_.files;
  files_.resize(static_cast<std::size_t>(rules_.files));
  for (std::uint64_t i = 0; i < all.size(); ++i) {
    files_[static_cast<std::size_t>(std::min(i / each, rules_.files - 1))].order.push_back(
        all[static_cast<std::size_t>(i)]);
  }
}

// ---- Places

void SionPlanner::measure_out(const std::vector<StreamRequest>& requests, const std::string& path) {
  const std::string name = rules_.stored_name.empty() ? path : rules_.stored_name;
  if (name.size() > longest_name) {
    throw Error(ErrorKind::unsupported, "a multifile stores names of up to 1016 bytes").on("stored_name");
  }
  for (std::size_t number = 0; number < files_.size(); ++number) {
    PlannedFile& file = files_[number];
    std::vector<const StreamRequest*> mine;
    for (const std::uint64_t order : file.order) mine.push_back(&requests[static_cast<std::size_t>(order)]);
    const ChunkSizes sizes = chunk_sizes(mine, rules_.sizes);
    file.collectors = sizes.collectors;
    Header& header = file.header;
    header.order = rules_.order;
    header.data_order = rules_.data_order;
    header.block_size = static_cast<std::int32_t>(rules_.sizes.block_size);
    header.tasks = static_cast<std::int32_t>(mine.size());
    header.files = static_cast<std::int32_t>(files_.size());
    header.file_number = rules_.interface == Interface::serial ? 1 : static_cast<std::int32_t>(number);
    header.keys = rules_.keyed ? KeyMode::inside : KeyMode::none;
    header.name = name;
    for (std::size_t i = 0; i < mine.size(); ++i) {
      header.ranks.push_back(mine[i]->rank);
      header.chunk_sizes.push_back(static_cast<std::int64_t>(sizes.bytes[i]));
    }
    file.map = chunk_map(header);
  }
}

std::vector<StreamPlace> SionPlanner::place(const std::vector<StreamRequest>& requests, const std::string& path,
                                            bool is_open) {
  check(requests);
  distribute(requests);
  measure_out(requests, path);
  is_noted_ = is_open && rules_.notes;
  std::vector<StreamPlace> places(requests.size());
  std::uint64_t task = 0;
  for (std::size_t number = 0; number < files_.size(); ++number) {
    const PlannedFile& file = files_[number];
    for (std::size_t i = 0; i < file.order.size(); ++i) {
      StreamPlace& place = places[static_cast<std::size_t>(file.order[i])];
      place.first = address_in(number, file.map.starts[i]);
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
  for (std::size_t number = 0; number < files_.size(); ++number) {
    plan.add(address_in(number, 0), print_header(files_[number].header));
    tasks += files_[number].order.size();
  }
  if (is_noted_) plan.add(address_in(notes_member, 0), print_notes_title(print_header(files_[0].header), tasks));
  return plan;
}

// ---- Publication

std::vector<std::byte> SionPlanner::second(const PlannedFile& file, std::uint64_t blocks) const {
  const std::uint64_t tasks = file.order.size();
  std::vector<std::int64_t> numbers(static_cast<std::size_t>(tasks * (blocks + 1)),
                                    rules_.interface == Interface::mapped ? -1 : 0);
  for (std::uint64_t task = 0; task < tasks; ++task) {
    const auto& chunks = uses_[static_cast<std::size_t>(file.order[static_cast<std::size_t>(task)])].chunks;
    numbers[static_cast<std::size_t>(task)] = static_cast<std::int64_t>(chunks.size());
    for (std::uint64_t block = 0; block < chunks.size(); ++block) {
      numbers[static_cast<std::size_t>(tasks * (block + 1) + task)] =
          static_cast<std::int64_t>(chunks[static_cast<std::size_t>(block)]);
    }
  }
  return print_numbers(std::span<const std::int64_t>(numbers), rules_.order);
}

std::vector<std::byte> SionPlanner::table(std::uint64_t number) const {
  std::vector<std::int32_t> numbers;
  const bool is_whole = number == 0 && (files_.size() > 1 || rules_.interface == Interface::mapped);
  if (is_whole) {
    std::map<std::int64_t, std::pair<std::int32_t, std::int32_t>> places;
    for (std::size_t file = 0; file < files_.size(); ++file) {
      const auto& ranks = files_[file].header.ranks;
      for (std::size_t i = 0; i < ranks.size(); ++i) {
        places[ranks[i]] = {static_cast<std::int32_t>(file), static_cast<std::int32_t>(i)};
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
  // The first file last: it is the one that readers open.
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
    for (const auto& more : {table(number), origins(file)}) bytes.insert(bytes.end(), more.begin(), more.end());
    const std::uint64_t end = checked_add(begin, bytes.size());
    acts.emplace_back(PublishWrite{address_in(number, begin), std::move(bytes)});
    if (number == 0) pending_size_ = end;
    const std::uint64_t at = blocks_at(newest_version, file.order.size());
    const std::int32_t count = static_cast<std::int32_t>(blocks);
    const std::int64_t place = static_cast<std::int64_t>(begin);
    acts.emplace_back(PublishWrite{address_in(number, at), print_numbers(std::span(&count, 1), rules_.order)});
    ends.emplace_back(PublishWrite{address_in(number, at + 4), print_numbers(std::span(&place, 1), rules_.order)});
  }
  acts.emplace_back(PublishSync{});
  acts.insert(acts.end(), ends.begin(), ends.end());
  return acts;
}

}  // namespace quire::sion
