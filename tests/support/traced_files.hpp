#pragma once

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "quire/quire.hpp"
#include "quire/spi/api/simulation.hpp"
#include "quire/spi/plan/member.hpp"
#include "transport/trace.hpp"

namespace quire::test {

/// The write requests of one rank to all files of a set, to be compared with a simulation.
class TracedFiles {
 public:
  /// Records files that are opened with these options from now on.
  void wrap(WriteOptions& options) {
    options.wrapper = [this](std::unique_ptr<Transport> inner, const std::string& file, int) {
      auto& trace = traces_[std::filesystem::path(file).filename().string()];
      if (!trace) trace = std::make_shared<Trace>();
      return traced(std::move(inner), trace);
    };
  }

  /// Ignores the events up to now.
  void forget() {
    for (auto& [file, trace] : traces_) trace->events.clear();
  }

  /// The requests by address; a resize has length 0, as in a simulation. `first` is the name of the first file,
  /// `planned` the plan of a simulation: files that are not in it are last.
  [[nodiscard]] std::vector<Extent> written(const WriteSimulation& simulation, const std::string& first,
                                            const std::vector<Extent>& planned) const {
    std::map<std::string, std::uint64_t> members;
    for (const Extent& extent : planned) {
      members[simulation.member_name(first, member_of(extent.offset))] = member_of(extent.offset);
    }
    members[first] = 0;
    std::vector<Extent> extents;
    for (const auto& [file, trace] : traces_) {
      const auto member = members.try_emplace(file, most_members - 1).first->second;
      const std::uint64_t base = address_in(member, 0);
      for (const TraceEvent& event : trace->events) {
        if (event.what == TraceEvent::What::write) extents.push_back({base + event.offset, event.length});
        if (event.what == TraceEvent::What::resize) extents.push_back({base + event.offset, 0});
      }
    }
    return sorted(std::move(extents));
  }

  [[nodiscard]] static std::vector<Extent> sorted(std::vector<Extent> extents) {
    std::ranges::sort(extents, [](const Extent& a, const Extent& b) {
      return std::pair(a.offset, a.length) < std::pair(b.offset, b.length);
    });
    return extents;
  }

  /// The plan of a simulation for one rank.
  [[nodiscard]] static std::vector<Extent> planned(const StepFrame& frame, std::vector<Extent> own, bool is_root) {
    if (is_root) {
      own.insert(own.end(), frame.guard.begin(), frame.guard.end());
      own.insert(own.end(), frame.publication.begin(), frame.publication.end());
    }
    return sorted(std::move(own));
  }

 private:
  std::map<std::string, std::shared_ptr<Trace>> traces_;
};

/// For messages.
[[nodiscard]] inline std::string text(const std::vector<Extent>& extents) {
  std::string result;
  for (const Extent& extent : extents) {
    result += "[" + std::to_string(extent.offset) + "+" + std::to_string(extent.length) + "] ";
  }
  return result;
}

}  // namespace quire::test
