#include "format/sion/physical_file.hpp"

#include <xxhash.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <span>

#include "quire/base/error.hpp"
#include "quire/spi/base/checked.hpp"

namespace quire::sion {
namespace {

constexpr std::uint64_t entry_bytes = 8;
/// Memory for each task: its two numbers as stored and decoded, its start and its space.
constexpr std::uint64_t task_bytes = 6 * entry_bytes;
/// The last bytes of a file with origins: their length, a hash of them, and this mark.
constexpr std::array<char, 8> origins_mark{'Q', 'U', 'I', 'R', 'E', 'o', 'r', 'g'};
constexpr std::uint64_t footer_bytes = 24;

std::string about_task(std::uint64_t task) { return "task at place " + std::to_string(task); }

std::uint64_t blocks_of(std::uint64_t size, const ChunkMap& map) {
  if (map.skip == 0 || size <= map.data) return 1;
  return (size - map.data + map.skip - 1) / map.skip;
}

}  // namespace

void require_memory(std::uint64_t count, std::uint64_t bytes, std::uint64_t budget, const std::string& what) {
  if (count <= budget / bytes) return;
  throw Error(ErrorKind::memory,
              "the file has " + std::to_string(count) + " " + what + ", for which the memory budget is too small")
      .advise("raise the memory budget: quire.open(..., memory_budget=)");
}

ChunkMap chunk_map(const Header& header) {
  const auto unit = static_cast<std::uint64_t>(header.block_size);
  const std::uint64_t tasks = header.chunk_sizes.size();
  ChunkMap map;
  map.data = round_up(header_bytes(tasks), unit);
  std::uint64_t next = map.data;
  for (std::uint64_t task = 0; task < tasks; ++task) {
    const std::int64_t size = header.chunk_sizes[static_cast<std::size_t>(task)];
    const std::uint64_t at = arrays_at(header.version) + (tasks + task) * entry_bytes;
    if (size < 0) throw damaged("the chunk size " + std::to_string(size) + " is negative", at).on(about_task(task));
    const auto space = static_cast<std::uint64_t>(size);
    map.starts.push_back(next);
    map.spaces.push_back(header.version <= 3 ? round_up(space, unit) : space);
    next = checked_add(next, map.spaces.back());
    if (next > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
      throw damaged("the chunks end beyond what a file can have", at).on(about_task(task));
    }
  }
  map.skip = next - map.data;
  return map;
}

std::vector<std::byte> print_origins(const Origins& origins) {
  std::vector<std::uint64_t> words{origins.collectors.size()};
  for (const Origins::Collector& collector : origins.collectors) {
    words.push_back(collector.task);
    words.push_back(collector.runs.size());
    for (const StreamOrigin& run : collector.runs) {
      words.push_back(static_cast<std::uint64_t>(run.rank));
      words.push_back(run.bytes);
    }
  }
  std::vector<std::byte> bytes = print_numbers(std::span<const std::uint64_t>(words), ByteOrder::little);
  const std::array footer{static_cast<std::uint64_t>(bytes.size()),
                          static_cast<std::uint64_t>(XXH3_64bits(bytes.data(), bytes.size()))};
  const auto printed = print_numbers(std::span<const std::uint64_t>(footer), ByteOrder::little);
  bytes.insert(bytes.end(), printed.begin(), printed.end());
  const auto mark = std::as_bytes(std::span(origins_mark));
  bytes.insert(bytes.end(), mark.begin(), mark.end());
  return bytes;
}

PhysicalFile::PhysicalFile(std::shared_ptr<ByteSource> bytes, const Options& options)
    : bytes_(std::move(bytes)), options_(options), size_(bytes_->size()) {
  if (size_ < fixed_bytes) {
    throw damaged("the file is cut: it has " + std::to_string(size_) + " bytes, fewer than its header", size_);
  }
  header_ = parse_fixed(read(0, fixed_bytes), options_.lenient);
  read_arrays();
  map_ = chunk_map(header_);
  read_end();
}

std::vector<std::byte> PhysicalFile::read(std::uint64_t offset, std::uint64_t length) const {
  if (offset > size_ || length > size_ - offset) throw damaged("the file ends too early", size_);
  std::vector<std::byte> out(static_cast<std::size_t>(length));
  if (bytes_->read(offset, out) != out.size()) throw damaged("the file ends too early", size_);
  return out;
}

void PhysicalFile::read_arrays() {
  const auto tasks = static_cast<std::uint64_t>(header_.tasks);
  if (blocks_at(header_.version, tasks) > size_) {
    throw damaged("the header states " + std::to_string(tasks) + " tasks, for which the file is too short", size_);
  }
  require_memory(tasks, task_bytes, options_.memory_budget, "tasks");
  const auto bytes = read(arrays_at(header_.version), tasks * 2 * entry_bytes);
  for (std::uint64_t i = 0; i < 2 * tasks; ++i) {
    const auto value = load<std::int64_t>(bytes.data() + i * entry_bytes, header_.order);
    (i < tasks ? header_.ranks : header_.chunk_sizes).push_back(value);
  }
}

void PhysicalFile::read_end() {
  // These fields are written last: the file of a writer that died may end before them.
  if (size_ < blocks_at(header_.version, tasks()) + 12) return;
  const auto bytes = read(blocks_at(header_.version, tasks()), 12);
  header_.blocks = load<std::int32_t>(bytes.data(), header_.order);
  header_.second = load<std::int64_t>(bytes.data() + 4, header_.order);
}

void PhysicalFile::require_closed() const {
  if (is_closed()) return;
  throw damaged("the file was not closed: its writer ended before it wrote the sizes of the chunks",
                blocks_at(header_.version, tasks()))
      .advise("run quire recover");
}

std::uint64_t PhysicalFile::second_bytes() const {
  const auto blocks = static_cast<std::uint64_t>(header_.blocks);
  return checked_multiply(checked_multiply(tasks(), entry_bytes), checked_add(blocks, 1));
}

void PhysicalFile::check_second() const {
  require_closed();
  const std::uint64_t at = blocks_at(header_.version, tasks());
  if (header_.blocks < 1) throw damaged("the number of blocks is " + std::to_string(header_.blocks), at);
  const auto blocks = static_cast<std::uint64_t>(header_.blocks);
  const std::uint64_t expected = checked_add(map_.data, checked_multiply(blocks, map_.skip));
  if (header_.second < 0 || static_cast<std::uint64_t>(header_.second) > size_ ||
      second_bytes() > size_ - static_cast<std::uint64_t>(header_.second)) {
    throw damaged("the sizes of the chunks would be beyond the end of the file", at + 4);
  }
  if (static_cast<std::uint64_t>(header_.second) != expected) {
    throw damaged("the sizes of the chunks are at byte " + std::to_string(header_.second) +
                      ", but the blocks end at byte " + std::to_string(expected),
                  at + 4);
  }
}

void PhysicalFile::read_second() {
  if (second_read_ || damage_) return;
  if (!options_.cut) return read_second_strictly();
  try {
    read_second_strictly();
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::bad_file) throw;
    damage_ = error;
  }
}

void PhysicalFile::read_second_strictly() {
  check_second();
  const auto second = static_cast<std::uint64_t>(header_.second);
  const auto blocks = static_cast<std::uint64_t>(header_.blocks);
  const auto counts = read(second, tasks() * entry_bytes);
  std::uint64_t most = 0;
  counts_.clear();
  for (std::uint64_t task = 0; task < tasks(); ++task) {
    const auto count = load<std::int64_t>(counts.data() + task * entry_bytes, header_.order);
    if (count < 1 || static_cast<std::uint64_t>(count) > blocks) {
      throw damaged("the task has " + std::to_string(count) + " chunks, the file " + std::to_string(blocks) + " blocks",
                    second + task * entry_bytes)
          .on(about_task(task));
    }
    counts_.push_back(static_cast<std::uint64_t>(count));
    most = std::max(most, counts_.back());
  }
  if (most != blocks) {
    throw damaged("the file has " + std::to_string(blocks) + " blocks, but no task has more than " +
                      std::to_string(most) + " chunks",
                  second);
  }
  sums_.assign(static_cast<std::size_t>(tasks()), 0);
  const std::uint64_t line = tasks() * entry_bytes;
  if (line * blocks <= options_.memory_budget) entries_ = read(second + line, line * blocks);
  for (std::uint64_t block = 0; block < blocks; ++block) {
    const auto at = static_cast<std::size_t>(block * line);
    if (!entries_.empty()) {
      check_block(block, std::span(entries_).subspan(at, static_cast<std::size_t>(line)));
    } else {
      check_block(block, read(second + line * (block + 1), line));
    }
  }
  second_read_ = true;
  read_origins(second + second_bytes());
}

bool PhysicalFile::find_second(std::uint64_t all_tasks) {
  if (is_closed() || second_read_ || map_.skip == 0) return second_read_;
  const Header original = header_;
  const std::uint64_t line = tasks() * entry_bytes;
  for (const std::uint64_t following : {std::uint64_t{0}, std::uint64_t{4}, 4 + all_tasks * entry_bytes}) {
    const std::uint64_t fixed = map_.data + line + following;
    if (size_ <= fixed || (size_ - fixed) % (map_.skip + line) != 0) continue;
    const std::uint64_t blocks = (size_ - fixed) / (map_.skip + line);
    if (blocks > static_cast<std::uint64_t>(std::numeric_limits<std::int32_t>::max())) continue;
    header_.blocks = static_cast<std::int32_t>(blocks);
    header_.second = static_cast<std::int64_t>(map_.data + blocks * map_.skip);
    try {
      read_second_strictly();
      is_found_ = true;
      return true;
    } catch (const Error& error) {
      header_ = original;
      second_read_ = false;
      if (error.kind() != ErrorKind::bad_file) throw;
    }
  }
  return false;
}

void PhysicalFile::check_block(std::uint64_t block, std::span<const std::byte> entries) {
  for (std::uint64_t task = 0; task < tasks(); ++task) {
    if (block >= count(task)) continue;
    const auto used = load<std::int64_t>(entries.data() + task * entry_bytes, header_.order);
    const std::uint64_t at = static_cast<std::uint64_t>(header_.second) + (tasks() * (block + 1) + task) * entry_bytes;
    const std::uint64_t room = map_.spaces[static_cast<std::size_t>(task)];
    if (used < 0) {
      throw damaged("chunk " + std::to_string(block) + " has " + std::to_string(used) + " bytes", at)
          .on(about_task(task));
    }
    if (static_cast<std::uint64_t>(used) > room) {
      if (!options_.lenient) {
        throw damaged("chunk " + std::to_string(block) + " has " + std::to_string(used) + " bytes, but room for " +
                          std::to_string(room),
                      at)
            .on(about_task(task))
            .advise("merged files of SIONlib may have such chunks: lenient=true reads up to the next chunk in use");
      }
      check_overrun(block, task, static_cast<std::uint64_t>(used));
    }
    auto& sum = sums_[static_cast<std::size_t>(task)];
    sum = checked_add(sum, static_cast<std::uint64_t>(used));
  }
}

void PhysicalFile::check_overrun(std::uint64_t block, std::uint64_t task, std::uint64_t used) const {
  const auto blocks = static_cast<std::uint64_t>(header_.blocks);
  const std::uint64_t begin = map_.starts[static_cast<std::size_t>(task)] + block * map_.skip;
  std::uint64_t limit = static_cast<std::uint64_t>(header_.second);
  std::uint64_t next = task + 1;
  for (std::uint64_t b = block; b < blocks && limit == static_cast<std::uint64_t>(header_.second); ++b, next = 0) {
    for (std::uint64_t t = next; t < tasks(); ++t) {
      if (b >= count(t) || entry(b, t) <= 0) continue;
      limit = map_.starts[static_cast<std::size_t>(t)] + b * map_.skip;
      break;
    }
  }
  if (used <= limit - begin) return;
  throw damaged("chunk " + std::to_string(block) + " runs into the next one that is in use", begin)
      .on(about_task(task));
}

std::int64_t PhysicalFile::entry(std::uint64_t block, std::uint64_t task) const {
  const std::uint64_t at = (block * tasks() + task) * entry_bytes;
  if (!entries_.empty()) return load<std::int64_t>(entries_.data() + at, header_.order);
  const std::uint64_t line = tasks() * entry_bytes;
  const auto bytes = read(static_cast<std::uint64_t>(header_.second) + line + at, entry_bytes);
  return load<std::int64_t>(bytes.data(), header_.order);
}

std::vector<Extent> PhysicalFile::chunks(std::uint64_t task) const {
  std::vector<Extent> chunks;
  for (std::uint64_t block = 0; block < count(task); ++block) {
    const auto used = static_cast<std::uint64_t>(entry(block, task));
    if (used > 0) chunks.push_back({map_.starts[static_cast<std::size_t>(task)] + block * map_.skip, used});
  }
  return chunks;
}

std::vector<Extent> PhysicalFile::possible_chunks(std::uint64_t task) const {
  std::vector<Extent> chunks;
  const std::uint64_t room = map_.spaces[static_cast<std::size_t>(task)];
  const std::uint64_t blocks = blocks_of(size_, map_);
  if (room > 0) require_memory(blocks, sizeof(Extent), options_.memory_budget, "possible chunks of each task");
  for (std::uint64_t block = 0; block < blocks && room > 0; ++block) {
    const std::uint64_t begin = map_.starts[static_cast<std::size_t>(task)] + block * map_.skip;
    if (begin >= size_) break;
    chunks.push_back({begin, std::min(room, size_ - begin)});
  }
  return chunks;
}

std::optional<std::uint64_t> PhysicalFile::number_left(std::uint64_t at, std::uint64_t least,
                                                       std::uint64_t most) const {
  if (at > size_ || size_ - at < entry_bytes) return std::nullopt;
  const auto number = load<std::int64_t>(read(at, entry_bytes).data(), header_.order);
  if (number < 0 || static_cast<std::uint64_t>(number) < least || static_cast<std::uint64_t>(number) > most) {
    return std::nullopt;
  }
  return static_cast<std::uint64_t>(number);
}

std::uint64_t PhysicalFile::blocks_left() const {
  const auto stated = static_cast<std::uint64_t>(std::max(header_.blocks, 0));
  constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (map_.skip == 0) return stated;
  const auto second = static_cast<std::uint64_t>(std::max<std::int64_t>(header_.second, 0));
  const bool may_be = second > map_.data && (second - map_.data) % map_.skip == 0;
  const bool fits = stated > 0 && stated <= (most - map_.data) / map_.skip;
  // Each of the two fields determines the other. The one whose tables would be inside the file is right.
  if (may_be && (!fits || map_.data + stated * map_.skip >= size_)) return (second - map_.data) / map_.skip;
  return fits ? stated : 0;
}

PhysicalFile::Left PhysicalFile::left(std::uint64_t task) const {
  Left left;
  const std::uint64_t blocks = blocks_left();
  if (blocks == 0) return {.chunks = possible_chunks(task), .lost = 0, .is_known = false};
  const std::uint64_t second = map_.data + blocks * map_.skip;
  const std::uint64_t end = std::min(size_, second);
  const std::uint64_t room = map_.spaces[static_cast<std::size_t>(task)];
  const auto count = number_left(checked_add(second, task * entry_bytes), 1, blocks);
  // Chunks beyond the end are only counted: a damaged number of blocks may be large.
  const std::uint64_t there = room == 0 ? 0 : std::min(count.value_or(blocks), blocks_of(end, map_));
  require_memory(there, sizeof(Extent), options_.memory_budget, "chunks of each task");
  left.is_known = count.has_value() || room == 0;
  for (std::uint64_t block = 0; block < there; ++block) {
    const std::uint64_t at = checked_add(second, checked_multiply(tasks() * (block + 1) + task, entry_bytes));
    const auto used = number_left(at, 0, room);
    left.is_known = left.is_known && used.has_value();
    const std::uint64_t begin = map_.starts[static_cast<std::size_t>(task)] + block * map_.skip;
    const std::uint64_t kept = begin < end ? std::min(used.value_or(room), end - begin) : 0;
    left.lost = checked_add(left.lost, used.value_or(room) - kept);
    if (kept > 0) left.chunks.push_back({begin, kept});
  }
  if (count.value_or(blocks) > there && room > 0) {
    left.lost = checked_add(left.lost, checked_multiply(count.value_or(blocks) - there, room));
    left.is_known = false;
  }
  return left;
}

std::vector<PhysicalFile::Place> PhysicalFile::mapping() const {
  const std::uint64_t at = static_cast<std::uint64_t>(header_.second) + second_bytes();
  const auto entries = load<std::int32_t>(read(at, 4).data(), header_.order);
  if (entries < 1 || static_cast<std::uint64_t>(entries) > (size_ - at - 4) / entry_bytes) {
    throw damaged("the table of all tasks has " + std::to_string(entries) + " entries, which the file does not contain",
                  at);
  }
  require_memory(static_cast<std::uint64_t>(entries), entry_bytes + sizeof(Place), options_.memory_budget,
                 "entries in the table of all tasks");
  const auto bytes = read(at + 4, static_cast<std::uint64_t>(entries) * entry_bytes);
  std::vector<Place> places;
  for (std::uint64_t i = 0; i < static_cast<std::uint64_t>(entries); ++i) {
    const auto file = load<std::int32_t>(bytes.data() + i * entry_bytes, header_.order);
    const auto task = load<std::int32_t>(bytes.data() + i * entry_bytes + 4, header_.order);
    if (file < 0 || file >= header_.files || task < 0) {
      throw damaged("the table of all tasks leads to file " + std::to_string(file) + " of " +
                        std::to_string(header_.files) + ", place " + std::to_string(task),
                    at + 4 + i * entry_bytes)
          .on("task " + std::to_string(i));
    }
    places.push_back({static_cast<std::uint64_t>(file), static_cast<std::uint64_t>(task)});
  }
  return places;
}

/// Whether the file ends at `end`, after the second metadata block and an optional table of all tasks. The reference
/// may overwrite an older and longer file without truncating it: the bytes after that belong to the older file.
bool PhysicalFile::ends_at(std::uint64_t second_end, std::uint64_t end) const {
  if (end == second_end) return true;
  if (end - second_end < 4) return false;
  const auto entries = load<std::int32_t>(read(second_end, 4).data(), header_.order);
  return entries >= 0 && end - second_end - 4 == static_cast<std::uint64_t>(entries) * entry_bytes;
}

void PhysicalFile::read_origins(std::uint64_t end) {
  try {
    origins_ = find_origins(end);
    if (!has_lost_origins()) return;
    throw damaged("the origins of merged streams are missing at the end of the file", size_);
  } catch (Error& error) {
    if (error.kind() != ErrorKind::bad_file) throw;
    if (!options_.merged) throw error.advise("merged=true shows merged streams as stored");
  }
}

std::optional<Origins> PhysicalFile::find_origins(std::uint64_t end) const {
  if (size_ - end < footer_bytes) return std::nullopt;
  const auto footer = read(size_ - footer_bytes, footer_bytes);
  if (std::memcmp(footer.data() + 16, origins_mark.data(), origins_mark.size()) != 0) return std::nullopt;
  const auto length = load<std::uint64_t>(footer.data(), ByteOrder::little);
  if (length > size_ - footer_bytes - end || length % entry_bytes != 0) return std::nullopt;
  const std::uint64_t begin = size_ - footer_bytes - length;
  if (!ends_at(end, begin)) return std::nullopt;
  require_memory(length / entry_bytes, 2 * entry_bytes, options_.memory_budget, "words of origins of merged streams");
  const auto bytes = read(begin, length);
  const auto wrong = [&] { return damaged("the origins of merged streams are damaged", begin); };
  if (XXH3_64bits(bytes.data(), bytes.size()) != load<std::uint64_t>(footer.data() + 8, ByteOrder::little)) {
    throw wrong();
  }
  std::uint64_t at = 0;
  const auto next = [&] {
    if (at == length) throw wrong();
    const auto word = load<std::uint64_t>(bytes.data() + at, ByteOrder::little);
    at += entry_bytes;
    return word;
  };
  Origins origins;
  std::vector<bool> collects(static_cast<std::size_t>(tasks()), false);
  for (std::uint64_t left = next(); left > 0; --left) {
    Origins::Collector& collector = origins.collectors.emplace_back();
    collector.task = next();
    std::uint64_t sum = 0;
    for (std::uint64_t runs = next(); runs > 0; --runs) {
      const auto rank = static_cast<std::int64_t>(next());
      collector.runs.push_back({rank, next()});
      sum = checked_add(sum, collector.runs.back().bytes);
    }
    if (collector.task >= tasks() || sum != this->bytes(collector.task)) throw wrong();
    // With the same bytes twice, a file would seem larger than it is.
    if (collects[static_cast<std::size_t>(collector.task)]) throw wrong();
    collects[static_cast<std::size_t>(collector.task)] = true;
  }
  if (at != length) throw wrong();
  return origins;
}

}  // namespace quire::sion
