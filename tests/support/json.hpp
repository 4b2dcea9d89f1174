#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace quire::test {

/// A JSON text as values, to compare with reference files. Numbers keep their text.
class Json {
 public:
  /// Throws std::runtime_error with the position of the error.
  [[nodiscard]] static Json parse(std::string_view text);
  /// Parses a file. Throws std::runtime_error.
  [[nodiscard]] static Json load(const std::string& path);

  [[nodiscard]] bool is_null() const noexcept { return std::holds_alternative<std::monostate>(value_); }
  [[nodiscard]] bool is_string() const noexcept { return std::holds_alternative<Text>(value_) && !is_number_; }
  [[nodiscard]] bool is_object() const noexcept { return std::holds_alternative<Object>(value_); }
  [[nodiscard]] bool truth() const { return std::get<bool>(value_); }
  /// The text of a string, or of a number as it is written.
  [[nodiscard]] const std::string& text() const { return std::get<Text>(value_); }
  [[nodiscard]] long long integer() const { return std::stoll(text()); }
  [[nodiscard]] const std::vector<Json>& items() const { return std::get<Array>(value_); }
  [[nodiscard]] const std::map<std::string, Json>& members() const { return std::get<Object>(value_); }
  [[nodiscard]] bool has(const std::string& member) const { return members().contains(member); }
  [[nodiscard]] const Json& operator[](const std::string& member) const { return members().at(member); }

 private:
  using Text = std::string;
  using Array = std::vector<Json>;
  using Object = std::map<std::string, Json>;
  friend class JsonParser;

  std::variant<std::monostate, bool, Text, Array, Object> value_;
  bool is_number_ = false;
};

/// A text as a JSON string.
[[nodiscard]] std::string quoted(std::string_view text);

/// A JSON array; `print` makes the JSON of an item.
template <class Item, class Print>
[[nodiscard]] std::string array_of(const std::vector<Item>& items, Print&& print) {
  std::string text;
  for (const Item& item : items) text += (text.empty() ? "" : ",") + print(item);
  return "[" + text + "]";
}

}  // namespace quire::test
