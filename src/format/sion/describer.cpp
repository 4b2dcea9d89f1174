#include "format/sion/describer.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <optional>
#include <set>
#include <string_view>
#include <unordered_map>

#include "format/sion/records.hpp"
#include "format/text/digits.hpp"
#include "kernels/convert.hpp"
#include "quire/base/error.hpp"
#include "quire/spi/base/checked.hpp"
#include "quire/spi/plan/member.hpp"

namespace quire::sion {
namespace {

constexpr std::string_view copy_mark = "_BUDDY_";
constexpr int most_copies = 100;
constexpr std::array<std::string_view, 6> column_names{"rank", "chunk_size", "chunks", "bytes", "file", "index"};
constexpr std::array<std::string_view, 6> column_texts{"number of the task",
                                                       "bytes that the file keeps free for a chunk",
                                                       "chunks that the task has used",
                                                       "bytes that the task has written",
                                                       "physical file of the set",
                                                       "place of the task in that file"};

std::string order_name(ByteOrder order) { return order == ByteOrder::little ? "little" : "big"; }

/// The name of the set that a set of copies belongs to.
std::string plain_name(const std::string& name) {
  const auto at = name.rfind(copy_mark);
  const bool is_copy = at != std::string::npos && name.size() == at + copy_mark.size() + 2;
  return is_copy ? name.substr(0, at) : name;
}

/// The number at the end of the name of a file of a set; no value if there is none.
std::optional<std::uint64_t> number_in(std::string_view name) {
  const auto dot = name.rfind('.');
  if (dot == std::string_view::npos || name.size() - dot - 1 < 6) return std::nullopt;
  std::uint64_t number = 0;
  const auto [end, code] = std::from_chars(name.data() + dot + 1, name.data() + name.size(), number);
  const bool is_one = code == std::errc{} && end == name.data() + name.size();
  return is_one ? std::optional(number) : std::nullopt;
}

/// The numbers of the files of these sets in the directory of a file; no value if it cannot be listed.
std::optional<std::set<std::uint64_t>> numbers_beside(const DescribeContext& context,
                                                      const std::vector<std::string>& sets) {
  const std::vector<std::string> names = context.beside ? context.beside() : std::vector<std::string>();
  if (names.empty()) return std::nullopt;
  const std::set<std::string_view> known(sets.begin(), sets.end());
  std::set<std::uint64_t> numbers;
  for (const std::string& name : names) {
    const auto number = number_in(name);
    if (number && known.contains(std::string_view(name).substr(0, name.rfind('.')))) numbers.insert(*number);
  }
  return numbers;
}

using TasksByRank = std::unordered_map<std::int64_t, std::uint64_t>;

TasksByRank tasks_by_rank(const std::vector<std::int64_t>& ranks) {
  TasksByRank tasks;
  for (std::uint64_t task = 0; task < ranks.size(); ++task) tasks.emplace(ranks[static_cast<std::size_t>(task)], task);
  return tasks;
}

}  // namespace

std::vector<std::string> sets_of(const std::string& name) {
  const std::string plain = plain_name(name);
  std::vector<std::string> names{plain};
  for (int copy = 0; copy < most_copies; ++copy) {
    names.push_back(plain + std::string(copy_mark) + text::zero_padded(static_cast<std::uint64_t>(copy), 2));
  }
  return names;
}

std::string member_name(const std::string& first, std::uint64_t number) {
  if (number == 0) return first;
  if (number == notes_member) return first + std::string(notes_suffix);
  return first + "." + text::zero_padded(number, 6);
}

SionDescriber::SionDescriber(std::shared_ptr<ByteSource> bytes, DescribeContext context, const ReadRules& rules)
    : bytes_(std::move(bytes)),
      context_(std::move(context)),
      rules_(rules),
      name_(std::filesystem::path(context_.path).filename().string()) {
  description_.format = "sion";
  open_first();
  if (first().is_closed()) {
    load_siblings();
    if (!damage_) list_whole_streams();
    for (Member& member : members_) unmerge(member);
  } else {
    find_open_siblings();
  }
  describe_layout();
}

void SionDescriber::open_first() {
  try {
    members_.push_back({0, std::make_unique<PhysicalFile>(bytes_, file_options()), false, {}, 0});
    if (first().is_closed()) {
      members_.front().file->read_second();
      check_set(first());
    }
    damage_ = first().damage();
  } catch (const Error& error) {
    if (!rules_.buddy || error.kind() != ErrorKind::bad_file) throw;
    take_copy_of_first(error);
  }
}

void SionDescriber::take_copy_of_first(const Error& damage) {
  for (const std::string& candidate : sets_of(name_)) {
    const auto bytes = candidate != name_ && context_.neighbour ? context_.neighbour(candidate) : nullptr;
    if (!bytes) continue;
    Member member{0, nullptr, true, {}, 0};
    try {
      member.file = std::make_unique<PhysicalFile>(bytes, file_options());
      if (member.file->header().file_number != 0) continue;
      member.file->read_second();
      check_set(*member.file);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::bad_file) throw;
      continue;  // another copy may be whole
    }
    // After those of the set: the first place belongs to the damaged file.
    member.address = static_cast<std::uint64_t>(member.file->header().files);
    members_.clear();
    members_.push_back(std::move(member));
    used_copy_ = candidate;
    description_.warnings.push_back(candidate + " is used in place of " + name_ + ", which is damaged");
    return;
  }
  throw Error(damage);
}

PhysicalFile::Options SionDescriber::file_options() const {
  return {
      .lenient = rules_.lenient, .memory_budget = context_.memory_budget, .cut = rules_.cut, .merged = rules_.merged};
}

void SionDescriber::require_whole() const {
  first().require_closed();
  if (damage_) throw Error(*damage_);
}

void SionDescriber::describe_layout() {
  const Header& header = first().header();
  const auto fact = [&](const char* name, std::string value) {
    description_.layout.push_back({name, std::move(value)});
  };
  fact("byte order", order_name(header.order));
  fact("data byte order", order_name(header.data_order));
  fact("version", std::to_string(header.version));
  fact("block size", std::to_string(header.block_size));
  fact("tasks", std::to_string(steps() == 1 ? entries_.size() : first().tasks()));
  fact("files", std::to_string(header.files));
  if (first().is_closed()) fact("blocks", std::to_string(header.blocks));
  fact("keys", header.keys == KeyMode::inside ? "true" : "false");
  fact("stored name", header.name);
  if (std::ranges::any_of(members_, [](const Member& member) { return member.file->origins().has_value(); })) {
    fact("merged", "true");
  }
  if (rules_.merged && has_lost_origins()) description_.warnings.emplace_back(origins_lost);
  if (header.version > newest_version) {
    description_.warnings.push_back("version " + std::to_string(header.version) + " is newer than this program");
  }
}

// ---- Files

std::uint64_t SionDescriber::own_number(const Header& header) const {
  if (header.version > 2) return static_cast<std::uint64_t>(header.file_number);
  // Files of the oldest version do not contain their number, but their names do.
  const auto number = number_in(name_);
  return number && *number < static_cast<std::uint64_t>(header.files) ? *number : 0;
}

/// Checks the number of files in the header of the first file before they are searched: a first file has the table of
/// all tasks.
void SionDescriber::check_set(const PhysicalFile& file) const {
  const Header& header = file.header();
  if (header.files == 1 || own_number(header) != 0) return;
  if (static_cast<std::uint64_t>(header.files) > most_members) {
    throw Error(ErrorKind::unsupported, "a set of " + std::to_string(header.files) + " files is too large");
  }
  if (!rules_.cut) static_cast<void>(file.mapping());
}

void SionDescriber::load_siblings() {
  const Header& header = first().header();
  // A file of a set that is opened alone shows its own tasks.
  if (header.files == 1) return;
  if (const std::uint64_t number = own_number(header); number != 0) {
    description_.warnings.push_back("this is file " + std::to_string(number) + " of a set of " +
                                    std::to_string(header.files) + ": it has only its own tasks");
    return;
  }
  const std::uint64_t files = rules_.cut ? files_to_look_for() : static_cast<std::uint64_t>(header.files);
  description_.members.push_back(name_);
  const auto present = rules_.cut ? numbers_beside(context_, sets()) : std::nullopt;
  for (std::uint64_t number = 1; number < files; ++number) {
    std::string name = member_name(name_, number);
    // A damaged header may state thousands of files, and a search for each takes long.
    if (present && !present->contains(number)) {
      if (!damage_) damage_ = absence_of(name);
      missing_.push_back(number);
      description_.members.push_back(name);
      continue;
    }
    try {
      members_.push_back(sibling(number, name));
      if (!damage_) damage_ = members_.back().file->damage();
    } catch (const Error& error) {
      const bool is_lost = error.kind() == ErrorKind::bad_file || error.kind() == ErrorKind::missing;
      if (!rules_.cut || !is_lost) throw;
      if (!damage_) damage_ = error;
      missing_.push_back(number);
    }
    description_.members.push_back(name);
  }
  if (!used_copy_.empty()) description_.members.push_back(used_copy_);
}

std::uint64_t SionDescriber::files_to_look_for() {
  const auto declared = static_cast<std::uint64_t>(first().header().files);
  try {
    if (!first().damage()) static_cast<void>(first().mapping());
    if (!first().damage()) return declared;
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::bad_file) throw;
    damage_ = error;
  }
  // Without a table of all tasks the number of files is not verified.
  constexpr std::uint64_t most_without_table = 4096;
  return std::min(declared, most_without_table);
}

SionDescriber::Member SionDescriber::opened_sibling(std::uint64_t number, const std::string& name,
                                                    std::shared_ptr<ByteSource> bytes) const {
  Member member{number, nullptr, false, {}, 0};
  try {
    member.file = std::make_unique<PhysicalFile>(std::move(bytes), file_options());
    check_sibling(member, name);
    member.file->read_second();
  } catch (Error& error) {
    throw error.in_file((std::filesystem::path(context_.path).parent_path() / name).string());
  }
  return member;
}

std::vector<std::string> SionDescriber::sets() const {
  std::vector<std::string> all{name_};
  if (rules_.buddy) {
    for (const std::string& set : sets_of(name_)) all.push_back(set);
  }
  return all;
}

Error SionDescriber::absence_of(const std::string& name) const {
  Error error(ErrorKind::missing,
              "the set has " + std::to_string(first().header().files) + " files, but " + name + " is missing");
  return rules_.buddy ? error : error.advise("buddy=true uses copies in its place, if the writer has made them");
}

SionDescriber::Member SionDescriber::sibling(std::uint64_t number, std::string& name) {
  std::optional<Error> damage;
  for (const std::string& set : sets()) {
    const std::string candidate = member_name(set, number);
    const auto bytes = context_.neighbour ? context_.neighbour(candidate) : nullptr;
    if (!bytes) continue;
    try {
      Member member = opened_sibling(number, candidate, bytes);
      member.is_copy = candidate != name;
      if (member.is_copy) {
        description_.warnings.push_back(candidate + " is used in place of " + name + ", which is " +
                                        (damage ? "damaged" : "missing"));
      }
      name = candidate;
      return member;
    } catch (const Error& error) {
      if (!rules_.buddy || error.kind() != ErrorKind::bad_file) throw;
      if (!damage) damage = error;
    }
  }
  if (damage) throw Error(*damage);
  throw absence_of(name);
}

void SionDescriber::check_sibling(const Member& member, const std::string& name) const {
  const Header& header = member.file->header();
  const bool has_number = header.version > 2;
  const bool is_its_own = !has_number || static_cast<std::uint64_t>(header.file_number) == member.number;
  if (header.files == first().header().files && is_its_own) return;
  throw Error(ErrorKind::bad_file, "the header of " + name + " states that it is file " +
                                       std::to_string(header.file_number) + " of " + std::to_string(header.files) +
                                       ", not " + std::to_string(member.number) + " of " +
                                       std::to_string(first().header().files));
}

// ---- Streams

void SionDescriber::list_whole_streams() {
  try {
    list_streams();
  } catch (const Error& error) {
    if (!rules_.cut || error.kind() != ErrorKind::bad_file) throw;
    damage_ = error;
  }
}

void SionDescriber::list_streams() {
  if (members_.size() > 1) {
    list_mapped_streams();
  } else {
    // Negative numbers are tasks that only keep copies of others.
    const Header& header = first().header();
    for (std::uint64_t task = 0; task < first().tasks(); ++task) {
      const std::int64_t rank = header.ranks[static_cast<std::size_t>(task)];
      if (rank >= 0) entries_.push_back({rank, 0, task});
    }
  }
  index_ranks();
}

void SionDescriber::index_ranks() {
  by_rank_.clear();
  for (std::uint64_t i = 0; i < entries_.size(); ++i)
    by_rank_.emplace_back(entries_[static_cast<std::size_t>(i)].rank, i);
  std::ranges::sort(by_rank_);
}

void SionDescriber::list_mapped_streams() {
  const auto places = first().mapping();
  const auto wrong = [&](std::size_t task, const std::string& what) {
    return Error(ErrorKind::bad_file, "the table of all tasks " + what).on("task " + std::to_string(task));
  };
  std::uint64_t own = 0;
  std::vector<std::vector<bool>> seen;
  // Copies are at other places than the table of the set states, and the table of a copy differs from that of the set.
  const bool has_copies = std::ranges::any_of(members_, &Member::is_copy);
  std::vector<TasksByRank> by_rank;
  for (const Member& member : members_) {
    by_rank.push_back(has_copies ? tasks_by_rank(member.file->header().ranks) : TasksByRank{});
    own += static_cast<std::uint64_t>(
        std::ranges::count_if(member.file->header().ranks, [](std::int64_t rank) { return rank >= 0; }));
    seen.emplace_back(static_cast<std::size_t>(member.file->tasks()), false);
  }
  if (places.size() != own) {
    throw Error(ErrorKind::bad_file, "the table of all tasks has " + std::to_string(places.size()) +
                                         " entries, the files have " + std::to_string(own) + " tasks");
  }
  for (std::size_t i = 0; i < places.size(); ++i) {
    const auto& ranks = members_[static_cast<std::size_t>(places[i].file)].file->header().ranks;
    std::uint64_t task = places[i].task;
    if (const auto& tasks = by_rank[static_cast<std::size_t>(places[i].file)]; has_copies) {
      const auto found = tasks.find(static_cast<std::int64_t>(i));
      task = found == tasks.end() ? ranks.size() : found->second;
    }
    if (task >= ranks.size()) throw wrong(i, "leads to a place that the file does not have");
    if (ranks[static_cast<std::size_t>(task)] != static_cast<std::int64_t>(i)) {
      throw wrong(i, "leads to task " + std::to_string(ranks[static_cast<std::size_t>(task)]));
    }
    if (seen[static_cast<std::size_t>(places[i].file)][static_cast<std::size_t>(task)]) {
      throw wrong(i, "leads two tasks to one place");
    }
    seen[static_cast<std::size_t>(places[i].file)][static_cast<std::size_t>(task)] = true;
    // All files exist: the place of each is its number.
    entries_.push_back({static_cast<std::int64_t>(i), places[i].file, task});
  }
}

void SionDescriber::unmerge(Member& member) {
  const PhysicalFile& file = *member.file;
  if (!file.origins() || rules_.merged) return;
  const auto& ranks = file.header().ranks;
  const TasksByRank tasks = tasks_by_rank(ranks);
  member.unmerged.resize(ranks.size());
  std::vector<bool> collects(ranks.size(), false);
  // Here the extents of all streams are in memory; otherwise those of one stream at a time.
  std::uint64_t extents = 0;
  const auto count_more = [&](std::uint64_t more) {
    extents = checked_add(extents, more);
    require_memory(extents, sizeof(Extent), context_.memory_budget, "parts of merged streams");
  };
  for (std::uint64_t task = 0; task < ranks.size(); ++task) count_more(file.count(task));
  for (const Origins::Collector& collector : file.origins()->collectors) count_more(2 * collector.runs.size());
  for (const Origins::Collector& collector : file.origins()->collectors) {
    collects[static_cast<std::size_t>(collector.task)] = true;
    const std::vector<Extent> chunks = file.chunks(collector.task);
    std::size_t chunk = 0;
    std::uint64_t used = 0;
    for (const StreamOrigin& run : collector.runs) {
      const auto owner = tasks.find(run.rank);
      if (owner == tasks.end()) {
        throw Error(ErrorKind::bad_file, "merged streams hold bytes of a task that the file does not have")
            .on("task " + std::to_string(run.rank));
      }
      for (std::uint64_t left = run.bytes; left > 0;) {
        const Extent& extent = chunks[chunk];
        const std::uint64_t now = std::min(left, extent.length - used);
        member.unmerged[static_cast<std::size_t>(owner->second)].push_back({extent.offset + used, now});
        left -= now;
        used += now;
        if (used == extent.length) {
          ++chunk;
          used = 0;
        }
      }
    }
  }
  for (std::size_t task = 0; task < ranks.size(); ++task) {
    if (collects[task]) continue;
    const std::vector<Extent> own = file.chunks(task);
    member.unmerged[task].insert(member.unmerged[task].end(), own.begin(), own.end());
  }
}

std::vector<Extent> SionDescriber::chunks_of(const Entry& entry) const {
  const Member& member = member_of(entry);
  if (must_guess(member)) {
    if (!notes_) return member.file->possible_chunks(entry.task);
    return notes_->chunks(*member.file, entry.task, member.first_task + entry.task);
  }
  if (member.file->damage()) return member.file->left(entry.task).chunks;
  if (!member.unmerged.empty()) return member.unmerged[static_cast<std::size_t>(entry.task)];
  return member.file->chunks(entry.task);
}

StreamLayout SionDescriber::layout_of(std::size_t index) {
  const Entry& entry = entries_[index];
  const Member& member = member_of(entry);
  const PhysicalFile& file = *member.file;
  StreamLayout stream;
  stream.rank = entry.rank;
  stream.index = index;
  stream.file = members_.size() == 1 ? 0 : member.number;
  stream.file_index = entry.task;
  stream.chunk_bytes = file.map().spaces[static_cast<std::size_t>(entry.task)];
  stream.chunks = chunks_of(entry);
  stream.order = file.header().data_order;
  if (file.header().keys == KeyMode::inside) stream.records = file.header().order;
  const bool is_cut = (must_guess(member) && !notes_) || file.damage();
  if (is_cut && stream.records) cut_after_records(*file.source(), stream);
  for (Extent& chunk : stream.chunks) chunk.offset = address_in(member.address.value_or(member.number), chunk.offset);
  return stream;
}

std::size_t SionDescriber::find(StreamsBy by, std::int64_t wanted) const {
  if (by == StreamsBy::index) {
    if (wanted >= 0 && static_cast<std::uint64_t>(wanted) < entries_.size()) return static_cast<std::size_t>(wanted);
    throw Error(ErrorKind::missing, "there is no stream at place " + std::to_string(wanted) + ": the file has " +
                                        std::to_string(entries_.size()));
  }
  const auto found = std::ranges::lower_bound(by_rank_, wanted, {}, &std::pair<std::int64_t, std::uint64_t>::first);
  if (found == by_rank_.end() || found->first != wanted) {
    throw Error(ErrorKind::missing, "there is no stream of task " + std::to_string(wanted))
        .advise(by_rank_.empty()
                    ? "the file has none"
                    : "the file has " + std::to_string(by_rank_.size()) + " tasks, " +
                          std::to_string(by_rank_.front().first) + " to " + std::to_string(by_rank_.back().first));
  }
  if (found + 1 != by_rank_.end() && (found + 1)->first == wanted) {
    throw Error(ErrorKind::usage, "several streams are of task " + std::to_string(wanted))
        .advise("select them by their places");
  }
  return static_cast<std::size_t>(found->second);
}

std::vector<StreamLayout> SionDescriber::streams(std::uint64_t index, StreamsBy by,
                                                 std::span<const std::int64_t> wanted) {
  if (index != 0) throw Error(ErrorKind::missing, "a multifile is one step");
  if (!salvaging_) require_whole();
  std::vector<StreamLayout> found;
  found.reserve(wanted.size());
  for (const std::int64_t one : wanted) found.push_back(layout_of(find(by, one)));
  return found;
}

// ---- The step

std::optional<StepLayout> SionDescriber::lay_out() const {
  StepLayout layout;
  StepDescription& step = layout.description;
  step.streams = entries_.size();
  Table table;
  table.name = "tasks";
  table.rows = entries_.size();
  Place place;
  for (std::size_t c = 0; c < column_names.size(); ++c) {
    Column column;
    column.name = column_names[c];
    column.type = Type::int64;
    column.description = column_texts[c];
    if (column.name == "chunk_size" || column.name == "bytes") column.unit = "B";
    table.columns.push_back(column);
    Run run;
    run.records = table.rows;
    run.record_bytes = size_of(Type::int64);
    run.bytes = run.records * run.record_bytes;
    run.cells.push_back({.column = c, .type = Type::int64});
    run.opaque = true;
    // The numbers of the tasks of a single file are stored consecutively.
    if (c == 0 && members_.size() == 1 && entries_.size() == first().tasks()) {
      run.opaque = false;
      run.offset = arrays_at(first().header().version);
      run.order = first().header().order;
    }
    place.runs.push_back(std::move(run));
  }
  step.tables.push_back(std::move(table));
  layout.tables.push_back(std::move(place));
  layout.end = first().size();
  return layout;
}

std::optional<StepLayout> SionDescriber::step(std::uint64_t index) {
  if (index != 0) return std::nullopt;
  require_whole();
  return lay_out();
}

std::optional<StepLayout> SionDescriber::verified(std::uint64_t index) {
  auto layout = step(index);
  for (std::size_t i = 0; layout && i < entries_.size(); ++i) {
    const StreamLayout stream = layout_of(i);
    if (!stream.records) break;
    // Offsets of a stream are relative to its own physical file.
    StreamLayout local = stream;
    for (Extent& chunk : local.chunks) chunk.offset = offset_in(chunk.offset);
    check_records(*member_of(entries_[i]).file->source(), local);
  }
  return layout;
}

std::int64_t SionDescriber::number_of(std::size_t stream, std::size_t column) const {
  const Entry& entry = entries_[stream];
  const Member& member = member_of(entry);
  const PhysicalFile& file = *member.file;
  switch (column) {
    case 0:
      return entry.rank;
    case 1:
      return static_cast<std::int64_t>(file.map().spaces[static_cast<std::size_t>(entry.task)]);
    case 2:
      return salvaging_ ? static_cast<std::int64_t>(chunks_of(entry).size())
                        : static_cast<std::int64_t>(file.count(entry.task));
    case 3: {
      if (!salvaging_ && member.unmerged.empty()) return static_cast<std::int64_t>(file.bytes(entry.task));
      std::uint64_t sum = 0;
      for (const Extent& chunk : chunks_of(entry)) sum += chunk.length;
      return static_cast<std::int64_t>(sum);
    }
    case 4:
      return static_cast<std::int64_t>(members_.size() == 1 ? 0 : member.number);
    default:
      return static_cast<std::int64_t>(entry.task);
  }
}

void SionDescriber::read_opaque(std::uint64_t /*index*/, const std::string& object, std::uint64_t /*component*/,
                                const Slice& rows, const View& out) {
  const std::string name = object.substr(object.rfind('/') + 1);
  const auto column = static_cast<std::size_t>(std::ranges::find(column_names, name) - column_names.begin());
  if (column == column_names.size() || rows.end() > entries_.size()) {
    throw Error(ErrorKind::internal, "the table of tasks has no such values").on(object);
  }
  for (std::uint64_t i = 0; i < rows.count; ++i) {
    const std::int64_t value = number_of(static_cast<std::size_t>(rows.first + i), column);
    std::byte* to = out.data + static_cast<std::ptrdiff_t>(i) * out.stride;
    if (kernels::convert(Type::int64, reinterpret_cast<const std::byte*>(&value), sizeof value, out.type, to,
                         out.stride, 1, kernels::Loss::refused)) {
      throw Error(ErrorKind::type, "the value " + std::to_string(value) + " does not fit into the requested type")
          .on(name);
    }
  }
}

}  // namespace quire::sion
