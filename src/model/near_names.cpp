#include "model/near_names.hpp"

#include <algorithm>
#include <functional>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "model/letter_case.hpp"
#include "quire/model/description.hpp"

namespace quire {
namespace {

constexpr std::size_t longest_name = 200;  ///< Of longer names none is near: a comparison would take long.
constexpr double least_likeness = 0.6;
constexpr std::size_t most_listed = 12;

/// The letters of the longest common part of two texts, and of the common parts before and after it: Ratcliff and
/// Metzener, Dr. Dobb's Journal 13 (1988) 46.
std::size_t common_letters(std::string_view left, std::string_view right) {
  std::size_t length = 0;
  std::size_t left_end = 0;
  std::size_t right_end = 0;
  std::vector<std::size_t> row(right.size() + 1);  // of the parts that end here
  for (std::size_t i = 0; i < left.size(); ++i) {
    std::size_t diagonal = 0;
    for (std::size_t j = 0; j < right.size(); ++j) {
      const std::size_t ending = left[i] == right[j] ? diagonal + 1 : 0;
      diagonal = std::exchange(row[j + 1], ending);
      if (ending > length) std::tie(length, left_end, right_end) = std::tuple(ending, i + 1, j + 1);
    }
  }
  if (length == 0) return 0;
  return length + common_letters(left.substr(0, left_end - length), right.substr(0, right_end - length)) +
         common_letters(left.substr(left_end), right.substr(right_end));
}

/// Twice the common letters over all letters: 1 for equal texts, 0 if it is below the least that counts.
double likeness(std::string_view left, std::string_view right) {
  const auto all = static_cast<double>(left.size() + right.size());
  const auto part = [&](std::size_t letters) { return 2.0 * static_cast<double>(letters) / all; };
  if (left.empty() || part(std::min(left.size(), right.size())) < least_likeness) return 0;
  const double found = part(common_letters(left, right));
  return found < least_likeness ? 0 : found;
}

std::string joined(const std::vector<std::string>& names, std::size_t most) {
  std::string list;
  for (std::size_t i = 0; i < std::min(most, names.size()); ++i) list += (i == 0 ? "" : ", ") + names[i];
  return list;
}

/// The names, each once, in their order.
std::vector<std::string> distinct(const std::vector<std::string>& names) {
  std::set<std::string_view> seen;
  std::vector<std::string> found;
  for (const std::string& name : names) {
    if (seen.insert(name).second) found.push_back(name);
  }
  return found;
}

}  // namespace

std::vector<std::string> near_names(const std::string& wrong, const std::vector<std::string>& names, std::size_t most) {
  if (wrong.size() > longest_name) return {};
  const std::string lower = in_lower_case(wrong);
  std::vector<std::pair<double, std::string>> ranked;
  for (std::string& name : distinct(names)) {
    const double like = likeness(in_lower_case(name), lower);
    if (like > 0) ranked.emplace_back(like, std::move(name));
  }
  std::ranges::stable_sort(ranked, std::greater{}, &std::pair<double, std::string>::first);
  std::vector<std::string> found;
  for (std::size_t i = 0; i < std::min(most, ranked.size()); ++i) found.push_back(std::move(ranked[i].second));
  return found;
}

std::string nearest_names(const std::string& wrong, const std::vector<std::string>& names) {
  const std::vector<std::string> near = near_names(wrong, names);
  return near.empty() ? listed_names(names) : " (nearest: " + joined(near, near.size()) + ")";
}

std::string listed_names(const std::vector<std::string>& names) {
  const std::vector<std::string> all = distinct(names);
  if (all.empty()) return "";
  const std::string more = all.size() > most_listed ? " and " + std::to_string(all.size() - most_listed) + " more" : "";
  return "; there are: " + joined(all, most_listed) + more;
}

}  // namespace quire
