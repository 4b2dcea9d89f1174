#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace quire::bench {

/// A JSON value that is already text. The lines of the driver are flat: numbers, texts, lists and objects of those.
struct Json {
  std::string text;

  Json(double number);            // NOLINT(google-explicit-constructor): so that records read as written
  Json(std::uint64_t number);     // NOLINT(google-explicit-constructor)
  Json(const std::string& word);  // NOLINT(google-explicit-constructor)
  Json(const char* word) : Json(std::string(word)) {}  // NOLINT(google-explicit-constructor)
  template <class Element>
  Json(const std::vector<Element>& elements) {  // NOLINT(google-explicit-constructor)
    for (const Element& element : elements) text += (text.empty() ? "" : ",") + Json(element).text;
    text = "[" + text + "]";
  }

  using Members = std::vector<std::pair<std::string, Json>>;
  [[nodiscard]] static Json object(const Members& members);

 private:
  Json() = default;
};

/// Writes an object as one line on standard output.
void print_line(const Json::Members& members);

}  // namespace quire::bench
