#include "format/h5part/names.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "quire/base/error.hpp"

namespace quire::hdf5 {

std::string StepNaming::name(std::int64_t number) const {
  std::string digits = std::to_string(number);
  const std::size_t sign = number < 0 ? 1 : 0;
  if (digits.size() < width) digits.insert(sign, width - digits.size(), '0');
  return prefix + "#" + digits;
}

StepNaming guess_width(std::span<const std::string> names, std::string prefix) {
  StepNaming naming{.prefix = std::move(prefix), .width = 1};
  for (const std::string& name : names) {
    const auto step = parse_step_name(name);
    if (!step || step->prefix != naming.prefix) continue;
    const std::string_view digits = step->digits.substr(step->number < 0 ? 1 : 0);
    if (digits.size() > 1 && digits.front() == '0') naming.width = static_cast<unsigned>(step->digits.size());
  }
  return naming;
}

StepNaming guess_naming(std::span<const std::string> names, const std::function<bool(const std::string&)>& is_group) {
  std::map<std::string, std::size_t, std::less<>> all;
  for (const std::string& name : names) {
    if (const auto step = parse_step_name(name)) ++all[std::string(step->prefix)];
  }
  std::map<std::string, std::size_t, std::less<>> groups;
  if (all.size() > 1) {
    for (const std::string& name : names) {
      const auto step = parse_step_name(name);
      if (step && is_group(name)) ++groups[std::string(step->prefix)];
    }
  }
  const auto& counts = groups.empty() ? all : groups;
  if (counts.empty() || counts.contains("Step")) return guess_width(names, "Step");
  const auto most = std::ranges::max_element(counts, {}, [](const auto& entry) { return entry.second; });
  return guess_width(names, most->first);
}

std::vector<StepEntry> step_entries(std::span<const std::string> names, const std::string& prefix,
                                    std::vector<std::string>& warnings) {
  std::vector<StepEntry> entries;
  for (const std::string& name : names) {
    const auto step = parse_step_name(name);
    if (step && step->prefix == prefix) entries.push_back({step->number, name});
  }
  // If several groups have the same number, the plainest name comes first: Step#0 before Step#-0 and Step#00.
  std::ranges::stable_sort(entries, {},
                           [](const StepEntry& entry) { return std::pair(entry.number, entry.name.size()); });
  std::vector<StepEntry> unique;
  for (StepEntry& entry : entries) {
    if (!unique.empty() && unique.back().number == entry.number) {
      warnings.push_back("the group " + entry.name + " has the number of " + unique.back().name + " and is left out");
    } else {
      unique.push_back(std::move(entry));
    }
  }
  return unique;
}

void check_column_name(const std::string& name, const char* what) {
  constexpr std::size_t longest = 63;
  const auto refuse = [&](const std::string& why) {
    throw Error(ErrorKind::usage, std::string(what) + " " + why).on(name);
  };
  if (name.empty()) refuse("needs a name");
  if (name.size() > longest) refuse("must have a name of at most 63 bytes");
  if (name.find('/') != std::string::npos || name.find('\0') != std::string::npos)
    refuse("must not have a slash or NUL in its name");
  if (name == "." || name == "Block") refuse("cannot have this name");
}

void check_attachment_name(const std::string& name) {
  constexpr std::size_t longest = 255;
  const bool has_mark = name.find('/') != std::string::npos || name.find('\0') != std::string::npos;
  if (name.empty() || name.size() > longest || has_mark || name == ".") {
    throw Error(ErrorKind::usage, "an attachment of H5Part has a name of 1 to 255 bytes without a slash").on(name);
  }
}

}  // namespace quire::hdf5
