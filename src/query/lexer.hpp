#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "query/syntax.hpp"

namespace quire::query {

enum class Token : std::uint8_t {
  end,
  number,
  text,
  name,         ///< an unquoted word: a name, a function, or a keyword
  quoted_name,  ///< in backticks: always a name
  attribute,    ///< after @
  symbol,       ///< an operator, a parenthesis or a comma
};

struct Lexeme {
  Token kind = Token::end;
  std::size_t position = 0;
  std::size_t length = 0;
  std::string value;  ///< the symbol, the name, the text without its quotes
  Number number;
};

/// Whether a name needs no backticks, apart from the words of the language.
[[nodiscard]] bool is_plain_name(std::string_view name);

/// Splits an expression into tokens.
class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  /// The next token. Throws usage errors that show the position.
  [[nodiscard]] Lexeme next();

 private:
  [[nodiscard]] Lexeme number();
  [[nodiscard]] Lexeme check_end(Lexeme found);
  [[nodiscard]] Lexeme word();
  [[nodiscard]] Lexeme symbol();
  [[nodiscard]] std::string quoted(char quote, const char* what);
  [[nodiscard]] std::string name_after_at();
  [[noreturn]] void fail(std::size_t position, std::size_t length, const std::string& message) const;

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace quire::query
