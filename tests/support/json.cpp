#include "support/json.hpp"

#include <fstream>
#include <iterator>
#include <stdexcept>

namespace quire::test {

class JsonParser {
 public:
  explicit JsonParser(std::string_view text) : text_(text) {}

  Json document() {
    Json value = parse_value();
    skip_blanks();
    if (position_ != text_.size()) fail("text after the value");
    return value;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw std::runtime_error("JSON, byte " + std::to_string(position_) + ": " + what);
  }

  void skip_blanks() {
    while (position_ < text_.size() && std::string_view(" \t\r\n").find(text_[position_]) != std::string_view::npos) {
      ++position_;
    }
  }

  [[nodiscard]] char peek() {
    skip_blanks();
    if (position_ >= text_.size()) fail("the text ends early");
    return text_[position_];
  }

  void expect(char c) {
    if (peek() != c) fail(std::string("expected ") + c);
    ++position_;
  }

  [[nodiscard]] bool accept(std::string_view word) {
    skip_blanks();
    if (!text_.substr(position_).starts_with(word)) return false;
    position_ += word.size();
    return true;
  }

  Json parse_value() {
    Json value;
    const char c = peek();
    if (c == '{') {
      value.value_ = parse_object();
    } else if (c == '[') {
      value.value_ = parse_array();
    } else if (c == '"') {
      value.value_ = parse_string();
    } else if (accept("true")) {
      value.value_ = true;
    } else if (accept("false")) {
      value.value_ = false;
    } else if (!accept("null")) {
      value.value_ = parse_number();
      value.is_number_ = true;
    }
    return value;
  }

  Json::Object parse_object() {
    Json::Object members;
    expect('{');
    if (accept("}")) return members;
    do {
      skip_blanks();
      std::string name = parse_string();
      expect(':');
      members.emplace(std::move(name), parse_value());
    } while (accept(","));
    expect('}');
    return members;
  }

  Json::Array parse_array() {
    Json::Array items;
    expect('[');
    if (accept("]")) return items;
    do {
      items.push_back(parse_value());
    } while (accept(","));
    expect(']');
    return items;
  }

  std::string parse_number() {
    const std::size_t end = text_.find_first_not_of("+-.0123456789eE", position_);
    const std::string_view number = text_.substr(position_, end - position_);
    if (number.empty()) fail("expected a value");
    position_ += number.size();
    return std::string(number);
  }

  std::string parse_string() {
    expect('"');
    std::string result;
    while (position_ < text_.size() && text_[position_] != '"') {
      const char c = text_[position_++];
      if (c != '\\') {
        result += c;
      } else {
        append_escape(result);
      }
    }
    if (position_ >= text_.size()) fail("a string is not closed");
    ++position_;
    return result;
  }

  void append_escape(std::string& result) {
    if (position_ >= text_.size()) fail("a string is not closed");
    const char c = text_[position_++];
    constexpr std::string_view letters = "bfnrt\"\\/";
    constexpr std::string_view meanings = "\b\f\n\r\t\"\\/";
    if (c == 'u') {
      unsigned code = hexadecimal();
      if (code >= 0xd800 && code < 0xdc00 && accept("\\u"))
        code = 0x10000 + (code - 0xd800) * 0x400 + hexadecimal() - 0xdc00;
      append_utf8(result, code);
      return;
    }
    const std::size_t found = letters.find(c);
    if (found == std::string_view::npos) fail("unknown escape");
    result += meanings[found];
  }

  unsigned hexadecimal() {
    const std::string digits(text_.substr(position_, 4));
    position_ += 4;
    return static_cast<unsigned>(std::stoul(digits, nullptr, 16));
  }

  static void append_utf8(std::string& result, unsigned code) {
    const auto byte = [&result](unsigned value) { result += static_cast<char>(value); };
    if (code < 0x80) {
      byte(code);
    } else if (code < 0x800) {
      byte(0xc0 | code >> 6);
      byte(0x80 | (code & 0x3f));
    } else if (code < 0x10000) {
      byte(0xe0 | code >> 12);
      byte(0x80 | (code >> 6 & 0x3f));
      byte(0x80 | (code & 0x3f));
    } else {
      byte(0xf0 | code >> 18);
      byte(0x80 | (code >> 12 & 0x3f));
      byte(0x80 | (code >> 6 & 0x3f));
      byte(0x80 | (code & 0x3f));
    }
  }

  std::string_view text_;
  std::size_t position_ = 0;
};

Json Json::parse(std::string_view text) { return JsonParser(text).document(); }

Json Json::load(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot open " + path);
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  return parse(text);
}

std::string quoted(std::string_view text) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string result = "\"";
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (code < 0x20) {
      result += std::string("\\u00") + digits[code >> 4] + digits[code & 15];
    } else {
      if (c == '"' || c == '\\') result += '\\';
      result += c;
    }
  }
  return result + '"';
}

}  // namespace quire::test
