#include "format/sion/chunk_sizes.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "quire/base/error.hpp"
#include "quire/spi/base/checked.hpp"

namespace quire::sion {
namespace {

/// The maximum number of collectors from a number of tasks on, if they are chosen here.
struct Limit {
  std::uint64_t tasks;
  std::uint64_t collectors;
};
constexpr std::array limits{Limit{512, 32}, Limit{256, 16}, Limit{128, 8}, Limit{64, 8}, Limit{32, 8}, Limit{16, 4}};

std::uint64_t collector_count(std::uint64_t tasks, std::uint64_t most, std::int64_t group_tasks) {
  if (group_tasks > 0) {
    const auto group = static_cast<std::uint64_t>(group_tasks);
    return std::min((tasks + group - 1) / group, most);
  }
  const std::uint64_t count = std::min(most, tasks);
  const auto found = std::ranges::find_if(
      limits, [&](const Limit& limit) { return tasks >= limit.tasks && count > limit.collectors; });
  return found == limits.end() ? count : found->collectors;
}

std::uint64_t sum_of(const std::vector<std::uint64_t>& sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), std::uint64_t{0}, checked_add);
}

/// The bytes that a task requests: for itself, and for its collective writes.
std::uint64_t wanted_bytes(const StreamRequest& request) {
  if (request.chunk_bytes) return *request.chunk_bytes;
  if (request.bytes) return checked_add(*request.bytes, request.together);
  throw Error(ErrorKind::usage, "a stream that is written piece by piece needs a chunk size")
      .on("task " + std::to_string(request.rank));
}

/// The exact number of tasks of a group; 0: groups as in the reference.
std::uint64_t exact_group(std::uint64_t tasks, const SizeRules& rules) {
  if (rules.exact_groups) return static_cast<std::uint64_t>(rules.group_tasks);
  if (!rules.compact || rules.mode != Mode::merge) return 0;
  if (rules.group_tasks > 0) return static_cast<std::uint64_t>(rules.group_tasks);
  // The reference groups tasks by blocks of the file system. If a block is one byte, its rule makes a group of every
  // task. Instead, groups have the reference's maximum of tasks per collector, up to its maximum of collectors.
  constexpr Limit largest = limits.front();
  constexpr std::uint64_t usual = largest.tasks / largest.collectors;
  return std::max(usual, (tasks + largest.collectors - 1) / largest.collectors);
}

/// The first task of each task's group. Empty without groups, and if no task requests any bytes.
std::vector<std::uint64_t> groups_of(const std::vector<std::uint64_t>& wanted, const SizeRules& rules) {
  if (rules.mode == Mode::plain) return {};
  const std::uint64_t size = exact_group(wanted.size(), rules);
  if (size == 0) return group_tasks(wanted, rules.block_size, rules.group_tasks);
  if (!rules.exact_groups && sum_of(wanted) == 0) return {};
  std::vector<std::uint64_t> groups(wanted.size());
  for (std::uint64_t task = 0; task < wanted.size(); ++task)
    groups[static_cast<std::size_t>(task)] = task / size * size;
  return groups;
}

/// Chunks of exactly the requested size.
ChunkSizes compact_sizes(const std::vector<const StreamRequest*>& requests, const SizeRules& rules,
                         const std::vector<std::uint64_t>& wanted) {
  ChunkSizes sizes{std::vector<std::uint64_t>(requests.size()), std::vector<std::uint64_t>(requests.size())};
  const auto groups = groups_of(wanted, rules);
  for (std::uint64_t task = 0; task < requests.size(); ++task) {
    const StreamRequest& request = *requests[static_cast<std::size_t>(task)];
    const auto at = static_cast<std::size_t>(task);
    sizes.collectors[at] = groups.empty() ? task : groups[at];
    const bool is_merged = rules.mode == Mode::merge && !groups.empty();
    if (!request.bytes) {
      sizes.bytes[at] = wanted[at];
    } else {
      sizes.bytes[at] = checked_add(sizes.bytes[at], *request.bytes);
      auto& target = sizes.bytes[is_merged ? static_cast<std::size_t>(groups[at]) : at];
      target = checked_add(target, request.together);
    }
  }
  return sizes;
}

}  // namespace

std::vector<std::uint64_t> group_tasks(const std::vector<std::uint64_t>& wanted, std::uint64_t block_size,
                                       std::int64_t group_tasks) {
  const std::uint64_t total = sum_of(wanted);
  if (total == 0) return {};
  const std::uint64_t most = total / block_size + (total % block_size == 0 ? 0 : 1);
  const std::uint64_t collectors = collector_count(wanted.size(), most, group_tasks);
  const std::uint64_t capacity = round_up(total / collectors, block_size);
  std::vector<std::uint64_t> groups{0};
  std::uint64_t sum = wanted.front();
  for (std::size_t task = 1; task < wanted.size(); ++task) {
    const bool joins = checked_add(sum, wanted[task]) <= capacity;
    groups.push_back(joins ? groups.back() : task);
    sum = joins ? sum + wanted[task] : wanted[task];
  }
  return groups;
}

ChunkSizes chunk_sizes(const std::vector<const StreamRequest*>& requests, const SizeRules& rules) {
  std::vector<std::uint64_t> wanted;
  for (const StreamRequest* request : requests) wanted.push_back(wanted_bytes(*request));
  if (rules.compact) return compact_sizes(requests, rules, wanted);
  ChunkSizes sizes;
  for (std::uint64_t task = 0; task < wanted.size(); ++task) sizes.collectors.push_back(task);
  const auto groups = groups_of(wanted, rules);
  for (const std::uint64_t bytes : wanted) {
    const bool is_packed = rules.mode == Mode::collective && !groups.empty();
    sizes.bytes.push_back(is_packed ? bytes : round_up(bytes, rules.block_size));
  }
  if (groups.empty()) return sizes;
  sizes.collectors = groups;
  for (std::size_t first = 0, end = 0; first < wanted.size(); first = end) {
    std::uint64_t sum = 0;
    for (end = first; end < wanted.size() && groups[end] == first; ++end) sum = checked_add(sum, wanted[end]);
    const std::uint64_t padded = round_up(sum, rules.block_size);
    if (rules.mode == Mode::merge) {
      sizes.bytes[first] = padded;
    } else {
      sizes.bytes[end - 1] += padded - sum;
    }
  }
  return sizes;
}

}  // namespace quire::sion
