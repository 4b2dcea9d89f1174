#include "query/normal_form.hpp"

#include <algorithm>
#include <string_view>

#include "query/lexer.hpp"

namespace quire::query {
namespace {

/// The precedence of operators, as the parser has it.
enum class Level : std::uint8_t { either, both, inversion, comparison, sum, product, sign, power, primary };

Level level_of(const Node& node) {
  switch (node.kind) {
    case Kind::either:
      return Level::either;
    case Kind::both:
      return Level::both;
    case Kind::invert:
      return Level::inversion;
    case Kind::comparison:
    case Kind::like:
    case Kind::member:
    case Kind::between:
      return Level::comparison;
    case Kind::negate:
      return Level::sign;
    case Kind::arithmetic:
      if (node.operation == Operation::power) return Level::power;
      return node.operation == Operation::add || node.operation == Operation::subtract ? Level::sum : Level::product;
    default:
      return Level::primary;
  }
}

std::string_view sign_of(Operation operation) {
  switch (operation) {
    case Operation::add:
      return "+";
    case Operation::subtract:
      return "-";
    case Operation::multiply:
      return "*";
    case Operation::divide:
      return "/";
    case Operation::remainder:
      return "%";
    case Operation::power:
      return "**";
    case Operation::less:
      return "<";
    case Operation::less_equal:
      return "<=";
    case Operation::greater:
      return ">";
    case Operation::greater_equal:
      return ">=";
    case Operation::equal:
      return "==";
    case Operation::not_equal:
      return "!=";
    case Operation::none:
      break;
  }
  return "";
}

Level next(Level level) { return static_cast<Level>(static_cast<std::uint8_t>(level) + 1); }

std::string quoted(const std::string& text, char quote) {
  std::string made(1, quote);
  for (const char c : text) made.append(c == quote ? 2 : 1, c);
  return made + quote;
}

class Printer {
 public:
  explicit Printer(const Syntax& syntax) : syntax_(syntax) {}

  [[nodiscard]] std::string text(std::uint32_t index) const {
    const Node& node = syntax_.nodes[index];
    switch (node.kind) {
      case Kind::number:
        return syntax_.text.substr(node.position, node.length);
      case Kind::text:
        return quoted(node.text, '"');
      case Kind::truth:
        return std::get<std::int64_t>(node.number) != 0 ? "true" : "false";
      case Kind::name:
        return name_text(node.text);
      case Kind::attribute:
        return "@" + name_text(node.text);
      case Kind::negate:
        return "-" + operand(node, 0, Level::sign);
      case Kind::invert:
        return "not " + operand(node, 0, Level::inversion);
      case Kind::arithmetic:
        return arithmetic(node);
      case Kind::comparison:
        return joined(node, sign_of(node.operation), Level::sum, Level::sum);
      case Kind::like:
        return joined(node, "like", Level::sum, Level::sum);
      case Kind::member:
        return operand(node, 0, Level::sum) + " in (" + list(node, 1, Level::sum) + ")";
      case Kind::between:
        return joined(node, "between", Level::sum, Level::sum) + " and " + operand(node, 2, Level::sum);
      case Kind::both:
        return joined(node, "and", Level::both, next(Level::both));
      case Kind::either:
        return joined(node, "or", Level::either, next(Level::either));
      case Kind::call:
        return node.text + "(" + list(node, 0, Level::either) + ")";
    }
    return "";
  }

 private:
  [[nodiscard]] std::string operand(const Node& node, std::size_t which, Level least) const {
    const std::uint32_t index = node.operands[which];
    const std::string inner = text(index);
    return level_of(syntax_.nodes[index]) < least ? "(" + inner + ")" : inner;
  }

  [[nodiscard]] std::string joined(const Node& node, std::string_view sign, Level left, Level right) const {
    return operand(node, 0, left) + " " + std::string(sign) + " " + operand(node, 1, right);
  }

  [[nodiscard]] std::string arithmetic(const Node& node) const {
    const Level level = level_of(node);
    const std::string_view sign = sign_of(node.operation);
    if (level == Level::power) return joined(node, sign, Level::primary, Level::sign);
    return joined(node, sign, level, next(level));
  }

  [[nodiscard]] std::string list(const Node& node, std::size_t first, Level least) const {
    std::string made;
    for (std::size_t i = first; i < node.operands.size(); ++i) {
      made += (i == first ? "" : ", ") + operand(node, i, least);
    }
    return made;
  }

  static std::string name_text(const std::string& name) {
    const bool is_word = std::ranges::find(reserved, name) != reserved.end();
    return is_plain_name(name) && !is_word ? name : quoted(name, '`');
  }

  const Syntax& syntax_;
};

}  // namespace

std::string normal_form(const Syntax& syntax, std::uint32_t index) { return Printer(syntax).text(index); }

}  // namespace quire::query
