#include "format/sion/distribution.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <utility>

#include "quire/base/error.hpp"
#include "quire/spi/plan/member.hpp"

namespace quire::sion {
namespace {

constexpr std::uint64_t most_tasks = std::numeric_limits<std::int32_t>::max();

std::string about(const StreamRequest& request) { return "task " + std::to_string(request.rank); }

/// Whether the requests have this member: all or none. Throws a usage error if only some have it.
template <class Member>
bool all_have(const std::vector<StreamRequest>& requests, Member member, const char* what) {
  const auto given =
      std::ranges::count_if(requests, [&](const auto& request) { return (request.*member).has_value(); });
  if (given == 0) return false;
  if (static_cast<std::size_t>(given) == requests.size()) return true;
  throw Error(ErrorKind::usage, std::string("only some of the streams state ") + what)
      .advise("state it for all streams, or for none");
}

void check(const std::vector<StreamRequest>& requests, const WriteRules& rules) {
  if (requests.empty()) throw Error(ErrorKind::usage, "a multifile has at least one stream");
  if (requests.size() > most_tasks) throw Error(ErrorKind::unsupported, "a multifile has fewer than 2^31 streams");
  std::set<std::int64_t> ranks;
  for (const StreamRequest& request : requests) {
    if (request.rank < 0) throw Error(ErrorKind::usage, "the number of a task is not negative").on(about(request));
    if (!ranks.insert(request.rank).second && rules.interface != Interface::serial) {
      throw Error(ErrorKind::usage, "two streams are of the same task").on(about(request));
    }
  }
}

/// All requests, sorted by task unless the interface keeps the order of the requests.
std::vector<std::uint64_t> in_order(const std::vector<StreamRequest>& requests, const WriteRules& rules) {
  std::vector<std::uint64_t> all(requests.size());
  std::iota(all.begin(), all.end(), std::uint64_t{0});
  if (rules.interface != Interface::serial) {
    std::ranges::sort(all, {}, [&](std::uint64_t order) { return requests[static_cast<std::size_t>(order)].rank; });
  }
  return all;
}

Distribution as_requested(const std::vector<StreamRequest>& requests, const WriteRules& rules) {
  std::map<std::uint64_t, std::vector<std::uint64_t>> by_file;
  for (std::uint64_t order = 0; order < requests.size(); ++order) {
    by_file[*requests[static_cast<std::size_t>(order)].file].push_back(order);
  }
  if (by_file.size() > most_members) throw Error(ErrorKind::unsupported, "these are too many files for one set");
  if (rules.interface == Interface::serial && by_file.size() > 1) {
    throw Error(ErrorKind::usage, "the serial interface writes a single file");
  }
  if (rules.interface == Interface::mapped && by_file.rbegin()->first + 1 != by_file.size()) {
    throw Error(ErrorKind::usage, "the files are numbered from 0 on, and each has a stream");
  }
  std::vector<std::pair<std::int64_t, std::vector<std::uint64_t>>> groups;
  for (auto& [number, file] : by_file) {
    std::int64_t lowest = std::numeric_limits<std::int64_t>::max();
    for (const std::uint64_t order : file) {
      lowest = std::min(lowest, requests[static_cast<std::size_t>(order)].rank);
    }
    groups.emplace_back(lowest, std::move(file));
  }
  // The parallel interface numbers groups of tasks by the first task of each.
  if (rules.interface == Interface::parallel) {
    std::ranges::sort(groups, {}, [](const auto& group) { return group.first; });
  }
  Distribution files;
  for (auto& group : groups) files.push_back(std::move(group.second));
  return files;
}

Distribution evenly(const std::vector<StreamRequest>& requests, const WriteRules& rules, std::uint64_t count) {
  const std::vector<std::uint64_t> all = in_order(requests, rules);
  if (count > all.size()) {
    throw Error(ErrorKind::usage,
                "there are " + std::to_string(count) + " files for " + std::to_string(all.size()) + " streams");
  }
  const std::uint64_t each = all.size() / count;
  Distribution files(static_cast<std::size_t>(count));
  for (std::uint64_t i = 0; i < all.size(); ++i) {
    files[static_cast<std::size_t>(std::min(i / each, count - 1))].push_back(all[static_cast<std::size_t>(i)]);
  }
  return files;
}

/// Groups of exactly `size` tasks; the first tasks of the groups are the first tasks of all: specs/sion.md section 3.4.
Distribution modular(const std::vector<StreamRequest>& requests, const WriteRules& rules, std::uint64_t count) {
  const std::vector<std::uint64_t> all = in_order(requests, rules);
  const auto size = static_cast<std::uint64_t>(rules.sizes.group_tasks);
  if (all.size() % size != 0) {
    throw Error(ErrorKind::usage, "groups of " + std::to_string(size) + " tasks cannot be made of " +
                                      std::to_string(all.size()) + " streams")
        .on("collsize");
  }
  const std::uint64_t groups = all.size() / size;
  if (count > groups) {
    throw Error(ErrorKind::usage,
                "there are " + std::to_string(count) + " files for " + std::to_string(groups) + " groups of tasks");
  }
  Distribution files(static_cast<std::size_t>(count));
  for (std::uint64_t group = 0; group < groups; ++group) {
    auto& file = files[static_cast<std::size_t>(group % count)];
    file.push_back(all[static_cast<std::size_t>(group)]);
    for (std::uint64_t sender = 0; sender < size - 1; ++sender) {
      file.push_back(all[static_cast<std::size_t>(groups + group * (size - 1) + sender)]);
    }
  }
  return files;
}

/// Sorts the tasks of a file by their requested places, or without those by their numbers.
void sort_tasks(std::vector<std::uint64_t>& file, const std::vector<StreamRequest>& requests, bool has_index) {
  std::ranges::sort(file, {}, [&](std::uint64_t order) {
    const StreamRequest& request = requests[static_cast<std::size_t>(order)];
    return has_index ? static_cast<std::int64_t>(*request.index) : request.rank;
  });
}

}  // namespace

Distribution distribute(const std::vector<StreamRequest>& requests, const WriteRules& rules, std::uint64_t count) {
  check(requests, rules);
  const bool has_index = all_have(requests, &StreamRequest::index, "which place they have");
  const bool has_file = all_have(requests, &StreamRequest::file, "which file they belong to");
  if (rules.modular && (has_file || has_index)) {
    throw Error(ErrorKind::usage, "in this mode the number of a task decides its file and place").on("collmsa");
  }
  Distribution files = has_file        ? as_requested(requests, rules)
                       : rules.modular ? modular(requests, rules, count)
                                       : evenly(requests, rules, count);
  if (files.size() > 1) {
    for (const StreamRequest& request : requests) {
      if (static_cast<std::uint64_t>(request.rank) < requests.size()) continue;
      throw Error(ErrorKind::usage, "the tasks of a set of files are numbered from 0 on, without gaps")
          .on(about(request));
    }
  }
  for (auto& file : files) {
    if (rules.interface != Interface::serial && !rules.modular) sort_tasks(file, requests, has_index);
    for (std::size_t i = 0; has_index && i < file.size(); ++i) {
      const StreamRequest& request = requests[static_cast<std::size_t>(file[i])];
      if (*request.index == i) continue;
      throw Error(ErrorKind::usage, "the places in a file are numbered from 0 on, without gaps").on(about(request));
    }
  }
  return files;
}

}  // namespace quire::sion
