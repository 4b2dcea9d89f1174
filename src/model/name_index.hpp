#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace quire {

/// Finds items of a list by name, or names in a list of names. Short lists are searched, long ones indexed, so that
/// finding all items takes linear time. The caller passes the same list each time. The list may grow at its end between
/// two calls; after any other change call clear().
class NameIndex {
 public:
  /// The position of the first item with this name, or no value.
  template <class Items>
  [[nodiscard]] std::optional<std::size_t> find(const Items& items, std::string_view name) {
    if (items.size() <= short_list) {
      const auto item = std::ranges::find_if(items, [&](const auto& one) { return name_of(one) == name; });
      return item == items.end() ? std::nullopt : std::optional(static_cast<std::size_t>(item - items.begin()));
    }
    for (; indexed_ < items.size(); ++indexed_) positions_.try_emplace(std::string(name_of(items[indexed_])), indexed_);
    const auto found = positions_.find(name);
    return found == positions_.end() ? std::nullopt : std::optional(found->second);
  }
  template <class Items>
  [[nodiscard]] bool contains(const Items& items, std::string_view name) {
    return find(items, name).has_value();
  }
  void clear() {
    positions_.clear();
    indexed_ = 0;
  }

 private:
  static constexpr std::size_t short_list = 16;

  static std::string_view name_of(std::string_view name) noexcept { return name; }
  template <class Item>
  static std::string_view name_of(const Item& item) noexcept requires requires {
    item.name;
  }
  { return item.name; }

  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view name) const noexcept { return std::hash<std::string_view>{}(name); }
  };

  std::unordered_map<std::string, std::size_t, Hash, std::equal_to<>> positions_;
  std::size_t indexed_ = 0;  ///< number of items of the list in `positions_`
};

}  // namespace quire
