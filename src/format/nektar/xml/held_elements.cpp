#include "format/nektar/xml/held_elements.hpp"

#include <algorithm>
#include <iterator>
#include <vector>

#include "quire/spi/base/archive.hpp"

namespace quire::nektar {
namespace {

/// For each variable, a key that differs between blocks that may contain the same ids.
std::vector<std::string> keys_of(const XmlBlock& block) {
  const Expansion& expansion = block.expansion;
  std::vector<std::string> keys;
  for (const std::string& variable : block.variables) {
    const std::vector<std::vector<std::uint64_t>> planes{expansion.y_ids, expansion.z_ids, expansion.strip_ids};
    const auto bytes = pack(planes);
    keys.push_back(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()) + variable);
  }
  return keys;
}

}  // namespace

void HeldElements::add(const XmlBlock& block) {
  for (const std::string& key : keys_of(block)) add(held_[key], block.ids);
}

void HeldElements::add(const RangeList& ids) { add(anyhow_, ids); }

std::optional<std::uint64_t> HeldElements::repeated(const XmlBlock& block) const {
  if (const auto found = common(anyhow_, block.ids)) return found;
  for (const std::string& key : keys_of(block)) {
    const auto runs = held_.find(key);
    if (runs == held_.end()) continue;
    if (const auto found = common(runs->second, block.ids)) return found;
  }
  return std::nullopt;
}

void HeldElements::add(Runs& runs, const RangeList& ids) {
  for (const Slice& run : ids.runs()) {
    std::uint64_t first = run.first;
    std::uint64_t end = run.end();
    auto next = runs.upper_bound(end);
    while (next != runs.begin() && std::prev(next)->second >= first) {
      const auto touched = std::prev(next);
      first = std::min(first, touched->first);
      end = std::max(end, touched->second);
      next = runs.erase(touched);
    }
    runs.emplace(first, end);
  }
}

std::optional<std::uint64_t> HeldElements::common(const Runs& runs, const RangeList& ids) {
  for (const Slice& run : ids.runs()) {
    const auto next = runs.lower_bound(run.end());
    if (next == runs.begin()) continue;
    const auto& [first, end] = *std::prev(next);
    if (end > run.first) return std::max(first, run.first);
  }
  return std::nullopt;
}

}  // namespace quire::nektar
