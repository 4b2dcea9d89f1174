#include "format/sdds/generated_file.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <string_view>

#include "quire/spi/base/endian.hpp"

namespace quire::test {
namespace {

struct Item {
  std::string name;
  std::size_t type = 0;  ///< into type_names
  bool is_fixed = false;
  std::uint64_t dimensions = 1;
};

constexpr std::array<std::string_view, 11> type_names{"short", "ushort", "long",       "ulong",  "long64",   "ulong64",
                                                      "float", "double", "longdouble", "string", "character"};
constexpr std::array<std::size_t, 11> type_bytes{2, 2, 4, 4, 8, 8, 4, 8, 16, 0, 1};
constexpr std::size_t string_type = 9;
constexpr std::size_t character_type = 10;
constexpr std::size_t most_rows = 7;
constexpr std::size_t most_pages = 4;

/// Choices, one byte after another; zeros when there are no more.
class Choices {
 public:
  explicit Choices(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}
  std::uint8_t byte() {
    if (next_ == bytes_.size()) return 0;
    return bytes_[next_++];
  }
  std::size_t below(std::size_t count) { return byte() % count; }
  /// Seldom true: one in thirty.
  bool seldom() { return byte() % 30 == 29; }
  bool often() { return byte() % 2 == 1; }
  [[nodiscard]] bool is_empty() const noexcept { return next_ == bytes_.size(); }
  std::string text(std::size_t most) {
    std::string text;
    for (std::size_t left = below(most + 1); left > 0; --left) text += static_cast<char>(byte());
    return text;
  }

 private:
  std::span<const std::uint8_t> bytes_;
  std::size_t next_ = 0;
};

class Maker {
 public:
  explicit Maker(std::span<const std::uint8_t> choices) : choose_(choices) {}

  GeneratedFile run() {
    choose_layout();
    make_header();
    const std::size_t pages = choose_.below(most_pages);
    for (std::size_t page = 0; page < pages; ++page) {
      text_ ? make_text_page(page) : make_binary_page();
    }
    // The first page exists even if it is empty, where it may be.
    if (pages == 0 && uncounted_ && arrays_.empty() && !has_parameter_lines()) file_.rows.push_back(0);
    file_.bytes = out_;
    file_.is_text = text_;
    damage();
    return std::move(file_);
  }

 private:
  void choose_layout() {
    text_ = choose_.often();
    const std::uint8_t flags = choose_.byte();
    big_ = (flags & 1) != 0;
    by_columns_ = !text_ && (flags & 2) != 0;
    uncounted_ = text_ && (flags & 4) != 0;
    carriage_ = text_ && (flags & 8) != 0;
    fixed_count_ = (flags & 16) != 0;
    for (std::size_t i = choose_.below(4); i > 0; --i) parameters_.push_back(item("p", i));
    for (std::size_t i = choose_.below(3); i > 0; --i) arrays_.push_back(item("a", i));
    for (std::size_t i = choose_.below(5); i > 0; --i) columns_.push_back(item("c", i));
    for (Item& parameter : parameters_) parameter.is_fixed = choose_.seldom();
    for (Item& array : arrays_) array.dimensions = 1 + choose_.below(3);
    // Without rows, only a title shows that there is a page.
    if (columns_.empty() && arrays_.empty() && !has_parameter_lines()) columns_.push_back(item("c", 1));
    lines_ = text_ ? choose_.below(std::min<std::size_t>(columns_.size(), 3) + 1) : 1;
    if (columns_.empty()) uncounted_ = false;
    if (uncounted_ && fixed_count_) fixed_count_ = false;
    skipped_ = text_ ? choose_.below(3) : 0;
  }

  [[nodiscard]] bool has_parameter_lines() const {
    return std::any_of(parameters_.begin(), parameters_.end(), [](const Item& item) { return !item.is_fixed; });
  }

  Item item(const std::string& prefix, std::size_t number) {
    return {prefix + std::to_string(number), choose_.below(type_names.size()), false, 1};
  }

  // The header, in one of the many ways to write it.

  void make_header() {
    const std::size_t version = choose_.seldom() ? 1 + choose_.below(5) : 5;
    if (version != 5) file_.is_valid = false;  // it may lack the types
    out_ = "SDDS" + std::to_string(version);
    end_line();
    if (!text_ && choose_.often()) {
      out_ += big_ ? "!# big-endian" : "!# little-endian";
      end_line();
    }
    if (choose_.seldom()) command("description", {{"text", header_text()}, {"contents", header_text()}});
    for (const Item& parameter : parameters_) define("parameter", parameter);
    for (const Item& array : arrays_) define("array", array);
    for (const Item& column : columns_) define("column", column);
    std::vector<Field> fields{{"mode", text_ ? "ascii" : "binary"}};
    if (!text_) fields.push_back({"endian", big_ ? "big" : "little"});
    if (by_columns_) fields.push_back({"column_major_order", "1"});
    if (text_ && lines_ != 1) fields.push_back({"lines_per_row", std::to_string(lines_)});
    if (uncounted_) fields.push_back({"no_row_counts", "1"});
    if (fixed_count_) fields.push_back({"fixed_row_count", "1"});
    if (skipped_ != 0) fields.push_back({"additional_header_lines", std::to_string(skipped_)});
    command("data", fields);
    for (std::size_t line = 0; line < skipped_; ++line) {
      out_ += line == 0 ? "" : "no value";
      end_line();
    }
  }

  struct Field {
    std::string name;
    std::string value;
  };

  void define(const std::string& kind, const Item& item) {
    std::vector<Field> fields{{"name", item.name}, {"type", std::string(type_names.at(item.type))}};
    if (choose_.seldom()) fields.push_back({"units", header_text()});
    if (choose_.seldom()) fields.push_back({"description", header_text()});
    if (item.is_fixed) fields.push_back({"fixed_value", item.type == string_type ? header_text() : "7"});
    if (item.dimensions != 1) fields.push_back({"dimensions", std::to_string(item.dimensions)});
    if (choose_.seldom()) {
      file_.is_valid = false;
      fields.push_back({choose_.often() ? "field_length" : "unknown", std::to_string(choose_.byte())});
    }
    if (choose_.often()) std::reverse(fields.begin(), fields.end());
    command(kind, fields);
  }

  void command(const std::string& kind, const std::vector<Field>& fields) {
    if (choose_.seldom()) {
      out_ += "! a comment with \"one quote";
      end_line();
    }
    out_ += '&' + kind + ' ';
    for (const Field& field : fields) {
      const bool is_bare = !field.value.empty() && field.value.find_first_of(" \t,!&\"") == std::string::npos;
      const bool quotes = !is_bare || choose_.often();
      out_ += field.name + (choose_.seldom() ? " = " : "=") + (quotes ? '"' + field.value + '"' : field.value);
      out_ += std::array<std::string_view, 4>{", ", " ", ",,\t", ","}.at(choose_.below(4));
      if (choose_.seldom()) end_line();
    }
    out_ += "&end";
    end_line();
  }

  /// The text of a quoted value.
  std::string header_text() {
    std::string text = choose_.text(12);
    for (char& c : text) {
      if (c == '"' || c == '\n' || c == '\r' || c == '\0' || c == '\\' || c == '!') c = '_';
    }
    // Writers omit texts of white space alone, as the reference does.
    if (text.find_first_not_of(" \t\v\f") == std::string::npos) text.clear();
    return text;
  }

  void end_line() { out_ += carriage_ ? "\r\n" : "\n"; }

  /// A count that is mostly right.
  std::uint64_t count(std::uint64_t right) {
    if (!choose_.seldom()) return right;
    file_.is_valid = false;
    constexpr std::array<std::uint64_t, 6> wrong{0, 1, 1000, 0x7fffffff, 0x80000000, 0xffffffff};
    const std::size_t choice = choose_.below(wrong.size() + 2);
    return choice < wrong.size() ? wrong.at(choice) : right + choice - wrong.size();
  }

  // Binary pages.

  template <class Number>
  void put(Number number) {
    std::array<std::byte, sizeof(Number)> bytes;
    store(bytes.data(), number, big_ ? ByteOrder::big : ByteOrder::little);
    out_.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }

  void put_value(std::size_t type) {
    if (type == string_type) {
      const std::string text = choose_.text(9);
      put(static_cast<std::uint32_t>(count(text.size())));
      out_ += text;
      return;
    }
    std::string bytes(type_bytes.at(type), '\0');
    for (char& c : bytes) c = static_cast<char>(choose_.byte());
    // Padding, and numbers of 80 bits that processors never produce, need not be kept.
    if (type_names.at(type) == "longdouble") bytes.assign(16, '\0');
    out_ += bytes;
  }

  void make_binary_page() {
    const std::uint64_t rows = columns_.empty() ? 0 : choose_.below(most_rows);
    if (choose_.seldom()) {
      put(static_cast<std::uint32_t>(0x80000000));
      put(count(rows));
    } else {
      put(static_cast<std::uint32_t>(count(rows)));
    }
    for (const Item& parameter : parameters_) {
      if (!parameter.is_fixed) put_value(parameter.type);
    }
    for (const Item& array : arrays_) {
      std::uint64_t elements = 1;
      for (std::uint64_t i = 0; i < array.dimensions; ++i) {
        const std::uint64_t extent = choose_.below(4);
        elements *= extent;
        put(static_cast<std::uint32_t>(count(extent)));
      }
      for (std::uint64_t i = 0; i < elements; ++i) put_value(array.type);
    }
    const std::size_t lines = by_columns_ ? columns_.size() : rows;
    const std::size_t each = by_columns_ ? rows : columns_.size();
    for (std::size_t line = 0; line < lines; ++line) {
      for (std::size_t i = 0; i < each; ++i) put_value(columns_[by_columns_ ? line : i].type);
    }
    file_.rows.push_back(rows);
  }

  // Pages of text.

  std::string number(std::size_t type) {
    const bool is_real = type >= 6;
    const bool is_signed = is_real || type % 2 == 0;
    std::string text = std::to_string(choose_.byte() % 100);
    if (is_signed && choose_.often()) text.insert(0, 1, "-+"[choose_.below(2)]);
    constexpr std::array<std::string_view, 6> tails{"", ".5", "e3", ".25E-7", ".", "e+2"};
    if (is_real) text += tails.at(choose_.below(tails.size()));
    if (choose_.seldom()) {
      file_.is_valid = false;
      constexpr std::array<std::string_view, 6> odd{"nan", "abc", "0x", "99999999999999999999", "3.5x", "infinit"};
      text = odd.at(choose_.below(odd.size()));
    }
    return choose_.seldom() ? '"' + text + '"' : text;
  }

  /// A string with escapes that every reader supports.
  std::string quoted(const std::string& text) {
    std::string token = "\"";
    for (const char c : text) {
      const auto byte = static_cast<unsigned char>(c);
      if (byte == 0) continue;
      if (byte < 0x20 || c == '!' || c == '\\' || c == '"' || byte == 0x7f) {
        token += {'\\', static_cast<char>('0' + byte / 64), static_cast<char>('0' + byte / 8 % 8),
                  static_cast<char>('0' + byte % 8)};
      } else {
        token += c;
      }
    }
    return token + '"';
  }

  std::string token(std::size_t type) {
    if (type == string_type) return quoted(choose_.text(9));
    if (type != character_type) return number(type);
    const std::string text = quoted(std::string(1, static_cast<char>(choose_.byte())));
    return text == "\"\"" ? "\\000" : text;
  }

  void make_text_page(std::size_t page) {
    if (uncounted_ && page != 0) end_line();
    if (choose_.often()) {
      out_ += "! page \" ";
      end_line();
    }
    for (const Item& parameter : parameters_) {
      if (parameter.is_fixed) continue;
      out_ += token(parameter.type);
      end_line();
    }
    for (const Item& array : arrays_) make_text_array(array);
    if (!columns_.empty()) make_text_rows();
    if (columns_.empty()) file_.rows.push_back(0);
  }

  void make_text_array(const Item& array) {
    std::uint64_t elements = 1;
    for (std::uint64_t i = 0; i < array.dimensions; ++i) {
      const std::uint64_t extent = choose_.below(4);
      elements *= extent;
      out_ += std::to_string(count(extent)) + ' ';
    }
    end_line();
    for (std::uint64_t i = 0; i < elements; ++i) {
      out_ += token(array.type) + ' ';
      if (i + 1 == elements || choose_.below(5) == 4) end_line();
    }
  }

  void make_text_rows() {
    // Without counts an empty page is only a blank line; the next page begins with one, too.
    const std::uint64_t rows = uncounted_ ? 1 + choose_.below(most_rows) : choose_.below(most_rows);
    if (!uncounted_) {
      out_ += std::string(choose_.below(20), ' ') + std::to_string(count(rows));
      end_line();
    }
    for (std::uint64_t row = 0; row < rows; ++row) {
      if (choose_.seldom()) {
        out_ += "! between rows";
        end_line();
      }
      for (std::size_t i = 0; i < columns_.size(); ++i) {
        out_ += token(columns_[i].type);
        // The first lines have one value each, the last one has the rest.
        const bool ends = lines_ == 0 ? choose_.below(4) == 3 : i + 1 < lines_;
        if (i + 1 == columns_.size() && (lines_ != 0 || row + 1 == rows)) break;
        out_ += ' ';
        if (ends) end_line();
      }
      if (lines_ != 0 || row + 1 == rows) end_line();
    }
    file_.rows.push_back(rows);
  }

  void damage() {
    std::string bytes = file_.bytes;
    for (std::size_t changes = 1 + choose_.below(4); changes > 0 && !bytes.empty(); --changes) {
      const std::size_t place = (choose_.byte() * 256U + choose_.byte()) % bytes.size();
      const std::uint8_t kind = choose_.byte();
      if (kind % 8 == 0) {
        bytes.resize(place);
      } else if (kind % 8 == 1) {
        bytes.insert(place, bytes.substr(place / 2, 1 + kind));
      } else {
        bytes[place] = static_cast<char>(choose_.byte());
      }
    }
    file_.damaged = std::move(bytes);
  }

  Choices choose_;
  GeneratedFile file_;
  std::string out_;
  std::vector<Item> parameters_;
  std::vector<Item> arrays_;
  std::vector<Item> columns_;
  std::size_t lines_ = 1;
  std::size_t skipped_ = 0;
  bool text_ = false;
  bool big_ = false;
  bool by_columns_ = false;
  bool uncounted_ = false;
  bool carriage_ = false;
  bool fixed_count_ = false;
};

}  // namespace

GeneratedFile generate_file(std::span<const std::uint8_t> choices) { return Maker(choices).run(); }

}  // namespace quire::test
