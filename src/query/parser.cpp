#include <algorithm>
#include <array>
#include <utility>

#include "model/letter_case.hpp"
#include "query/lexer.hpp"
#include "query/syntax.hpp"

namespace quire::query {
namespace {

constexpr std::uint32_t deepest = 200;    // of parentheses and signs inside each other
constexpr std::uint32_t highest = 1000;   // of the tree
constexpr std::size_t longest = 1 << 20;  // of the text, in bytes

struct Operator {
  std::string_view symbol;
  Operation operation;
};
constexpr std::array<Operator, 6> comparisons{{{"<", Operation::less},
                                               {"<=", Operation::less_equal},
                                               {">", Operation::greater},
                                               {">=", Operation::greater_equal},
                                               {"==", Operation::equal},
                                               {"!=", Operation::not_equal}}};
constexpr std::array<Operator, 2> sums{{{"+", Operation::add}, {"-", Operation::subtract}}};
constexpr std::array<Operator, 3> products{
    {{"*", Operation::multiply}, {"/", Operation::divide}, {"%", Operation::remainder}}};
constexpr std::array<Operator, 2> powers{{{"**", Operation::power}, {"^", Operation::power}}};
/// Recursive descent, one function for each level of precedence, the lowest first.
class Parser {
 public:
  explicit Parser(std::string_view text) : lexer_(text) {
    syntax_.text = text;
    advance();
  }

  Syntax run() {
    syntax_.root = disjunction();
    if (ahead_.kind != Token::end) fail_at_rest();
    return std::move(syntax_);
  }

 private:
  std::uint32_t disjunction() {
    std::uint32_t left = conjunction();
    while (is_symbol("||") || is_word("or")) left = join(Kind::either, left, &Parser::conjunction);
    return left;
  }

  std::uint32_t conjunction() {
    std::uint32_t left = inversion();
    while (is_symbol("&&") || is_word("and")) left = join(Kind::both, left, &Parser::inversion);
    return left;
  }

  std::uint32_t inversion() {
    if (!is_symbol("!") && !is_word("not")) return comparison();
    const Lexeme sign = advance();
    const Descent descent(*this);
    return add(node(Kind::invert, sign), {inversion()});
  }

  std::uint32_t comparison() {
    const std::uint32_t left = sum();
    const auto found = std::ranges::find_if(comparisons, [&](const Operator& sign) { return is_symbol(sign.symbol); });
    const bool is_plain = found != comparisons.end();
    const std::uint32_t result = is_plain ? compared(left, found->operation) : relation(left);
    if (result != left && starts_comparison()) {
      fail("comparisons are not chained: write a < b and b < c, or b between a and c");
    }
    return result;
  }

  std::uint32_t compared(std::uint32_t left, Operation operation) {
    Node made = node(Kind::comparison, advance());
    made.operation = operation;
    return add(std::move(made), {left, sum()});
  }

  /// `in`, `like` and `between`, also after `not`; returns the left side if none follows.
  std::uint32_t relation(std::uint32_t left) {
    const Lexeme before = ahead_;
    const bool is_inverted = is_word("not");
    if (is_inverted) advance();
    const Lexeme word = ahead_;
    std::uint32_t result = left;
    if (is_word("in")) {
      result = membership(left);
    } else if (is_word("like")) {
      advance();
      result = add(node(Kind::like, word), {left, sum()});
    } else if (is_word("between")) {
      advance();
      const std::uint32_t low = sum();
      if (!is_word("and") && !is_symbol("&&")) fail("the second limit is missing: write x between a and b");
      advance();
      result = add(node(Kind::between, word), {left, low, sum()});
    } else if (is_inverted) {
      fail("after not comes in, like or between here");
    }
    return is_inverted ? add(node(Kind::invert, before), {result}) : result;
  }

  std::uint32_t membership(std::uint32_t left) {
    Node made = node(Kind::member, advance());
    const bool is_bracketed = accept("[");
    if (!is_bracketed) expect("(", "after in comes a list: (1, 2, 3)");
    std::vector<std::uint32_t> operands{left};
    do {
      operands.push_back(sum());
    } while (accept(","));
    expect(is_bracketed ? "]" : ")", is_bracketed ? "the list is not closed by ]" : "the list is not closed by )");
    return add(std::move(made), std::move(operands));
  }

  std::uint32_t sum() { return chain(sums, &Parser::product); }
  std::uint32_t product() { return chain(products, &Parser::sign); }

  std::uint32_t sign() {
    if (accept("+")) {
      const Descent descent(*this);
      return sign();
    }
    if (!is_symbol("-")) return power();
    const Lexeme minus = advance();
    const Descent descent(*this);
    return add(node(Kind::negate, minus), {sign()});
  }

  /// Binds tighter than a sign on its left, looser than one on its right; right-associative.
  std::uint32_t power() {
    const std::uint32_t base = primary();
    if (!is_symbol("**") && !is_symbol("^")) return base;
    Node made = node(Kind::arithmetic, advance());
    made.operation = Operation::power;
    const Descent descent(*this);
    return add(std::move(made), {base, sign()});
  }

  std::uint32_t primary() {
    Lexeme found = ahead_;
    switch (found.kind) {
      case Token::number:
        advance();
        return leaf(Kind::number, found);
      case Token::text:
        advance();
        return leaf(Kind::text, found);
      case Token::quoted_name:
        advance();
        return leaf(Kind::name, found);
      case Token::attribute:
        advance();
        return leaf(Kind::attribute, found);
      case Token::name:
        return word();
      case Token::symbol:
        if (accept("(")) {
          const Descent descent(*this);
          const std::uint32_t inner = disjunction();
          expect(")", "the parenthesis is not closed");
          return inner;
        }
        break;
      case Token::end:
        break;
    }
    if (found.kind == Token::end) fail("the expression ends where a value is expected");
    fail("a value is expected at character " + std::to_string(character(found.position)) + ", not \"" + found.value +
         "\"");
  }

  /// A name, a truth value or a function call.
  std::uint32_t word() {
    if (is_word("true") || is_word("false")) {
      Lexeme found = advance();
      found.number = std::int64_t{found.value == "true"};
      return leaf(Kind::truth, found);
    }
    if (std::ranges::find(reserved, ahead_.value) != reserved.end()) {
      fail("a value is expected here; if \"" + ahead_.value + "\" is meant as a name, put it in backticks");
    }
    const Lexeme found = advance();
    if (!accept("(")) return leaf(Kind::name, found);
    const Descent descent(*this);
    Node made = node(Kind::call, found);
    made.text = found.value;
    std::vector<std::uint32_t> operands;
    if (!is_symbol(")")) {
      do {
        operands.push_back(disjunction());
      } while (accept(","));
    }
    expect(")", "the arguments are not closed by )");
    return add(std::move(made), std::move(operands));
  }

  using Level = std::uint32_t (Parser::*)();

  template <std::size_t count>
  std::uint32_t chain(const std::array<Operator, count>& signs, Level next) {
    std::uint32_t left = (this->*next)();
    while (true) {
      const auto found = std::ranges::find_if(signs, [&](const Operator& one) { return is_symbol(one.symbol); });
      if (found == signs.end()) return left;
      Node made = node(Kind::arithmetic, advance());
      made.operation = found->operation;
      left = add(std::move(made), {left, (this->*next)()});
    }
  }

  std::uint32_t join(Kind kind, std::uint32_t left, Level next) {
    Node made = node(kind, advance());
    return add(std::move(made), {left, (this->*next)()});
  }

  static Node node(Kind kind, const Lexeme& at) {
    Node made;
    made.kind = kind;
    made.position = at.position;
    made.length = at.length;
    return made;
  }

  std::uint32_t leaf(Kind kind, Lexeme found) {
    Node made = node(kind, found);
    made.text = std::move(found.value);
    made.number = found.number;
    return add(std::move(made), {});
  }

  std::uint32_t add(Node made, std::vector<std::uint32_t> operands) {
    for (const std::uint32_t operand : operands) {
      made.height = std::max(made.height, syntax_.nodes[operand].height + 1);
    }
    if (made.height > highest) {
      throw error_at(ErrorKind::usage, syntax_.text, made.position, made.length,
                     "the expression is too long; for many values write x in (a, b, ...)");
    }
    made.operands = std::move(operands);
    syntax_.nodes.push_back(std::move(made));
    return static_cast<std::uint32_t>(syntax_.nodes.size() - 1);
  }

  [[nodiscard]] bool is_symbol(std::string_view symbol) const {
    return ahead_.kind == Token::symbol && ahead_.value == symbol;
  }
  [[nodiscard]] bool is_word(std::string_view word) const { return ahead_.kind == Token::name && ahead_.value == word; }
  [[nodiscard]] bool starts_comparison() const {
    return std::ranges::any_of(comparisons, [&](const Operator& sign) { return is_symbol(sign.symbol); }) ||
           is_word("in") || is_word("like") || is_word("between") || is_word("not");
  }
  bool accept(std::string_view symbol) {
    if (!is_symbol(symbol)) return false;
    advance();
    return true;
  }
  void expect(std::string_view symbol, const char* message) {
    if (!accept(symbol)) fail(message);
  }
  Lexeme advance() { return std::exchange(ahead_, lexer_.next()); }

  /// Reports what follows a whole expression: most often an operator in other letters, or none.
  [[noreturn]] void fail_at_rest() const {
    const std::string found = "\"" + syntax_.text.substr(ahead_.position, std::min<std::size_t>(ahead_.length, 30)) +
                              "\" at character " + std::to_string(character(ahead_.position));
    if (const std::string word = reserved_like(ahead_.value); ahead_.kind == Token::name && !word.empty()) {
      fail(found + " is no operator: write " + word);
    }
    if (is_symbol(")")) fail(found + " closes nothing: a parenthesis is missing before it, or it is one too many");
    if (is_symbol(",")) fail(found + " is not expected: commas separate arguments; write and between conditions");
    fail(found + " is not expected: an operator is missing before it");
  }

  /// The number of a character, from 1.
  [[nodiscard]] std::size_t character(std::size_t position) const {
    const auto begins = [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; };
    const std::string_view before = std::string_view(syntax_.text).substr(0, position);
    return 1 + static_cast<std::size_t>(std::ranges::count_if(before, begins));
  }

  [[noreturn]] void fail(const std::string& message) const {
    throw error_at(ErrorKind::usage, syntax_.text, ahead_.position, ahead_.length, message);
  }

  /// Counts the depth of the recursion.
  class Descent {
   public:
    explicit Descent(Parser& parser) : parser_(parser) {
      if (++parser_.depth_ > deepest) parser_.fail("the expression is nested too deeply");
    }
    Descent(const Descent&) = delete;
    Descent& operator=(const Descent&) = delete;
    ~Descent() { --parser_.depth_; }

   private:
    Parser& parser_;
  };

  Lexer lexer_;
  Lexeme ahead_;
  Syntax syntax_;
  std::uint32_t depth_ = 0;
};

}  // namespace

std::string reserved_like(std::string_view name) {
  std::string lower = in_lower_case(name);
  const bool is_other = lower != name && std::ranges::find(reserved, lower) != reserved.end();
  return is_other ? lower : std::string();
}

Syntax parse(std::string_view text) {
  if (text.size() > longest) throw Error(ErrorKind::usage, "an expression of more than 1 MiB is not accepted");
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos)
    throw Error(ErrorKind::usage, "the expression is empty");
  return Parser(text).run();
}

}  // namespace quire::query
