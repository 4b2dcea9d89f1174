#include "driver/json.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdio>

namespace quire::bench {

Json::Json(double number) : text(std::isfinite(number) ? fmt::format("{:.6g}", number) : "null") {}
Json::Json(std::uint64_t number) : text(fmt::format("{}", number)) {}

Json::Json(const std::string& word) : text("\"") {
  for (const char letter : word) {
    if (letter == '"' || letter == '\\') text += '\\';
    text += static_cast<unsigned char>(letter) < ' ' ? ' ' : letter;
  }
  text += '"';
}

Json Json::object(const Members& members) {
  Json result;
  for (const auto& [name, value] : members) {
    result.text += (result.text.empty() ? "" : ",") + Json(name).text + ":" + value.text;
  }
  result.text = "{" + result.text + "}";
  return result;
}

void print_line(const Json::Members& members) {
  std::puts(Json::object(members).text.c_str());
  std::fflush(stdout);
}

}  // namespace quire::bench
