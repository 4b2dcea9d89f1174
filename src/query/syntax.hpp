#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "quire/base/error.hpp"

namespace quire::query {

enum class Kind : std::uint8_t {
  number,      ///< `number` holds it
  text,        ///< `text` holds it
  truth,       ///< `number` is 0 or 1
  name,        ///< a column, attribute or constant: `text`
  attribute,   ///< an attribute: `text`
  negate,      ///< - a
  invert,      ///< not a
  arithmetic,  ///< a `operation` b
  comparison,  ///< a `operation` b
  like,        ///< a like b
  member,      ///< a in (b, c, ...)
  between,     ///< a between b and c
  both,        ///< a and b
  either,      ///< a or b
  call,        ///< function `text`
};

enum class Operation : std::uint8_t {
  none,
  add,
  subtract,
  multiply,
  divide,
  remainder,
  power,
  less,
  less_equal,
  greater,
  greater_equal,
  equal,
  not_equal,
};

/// A number as written: exact if it is an integer; both roundings of a decimal fraction.
struct Decimal {
  double real = 0;
  long double extended = 0;
};
using Number = std::variant<std::int64_t, std::uint64_t, Decimal>;

struct Node {
  Kind kind = Kind::number;
  Operation operation = Operation::none;
  std::size_t position = 0;  ///< position in the text for errors of this node
  std::size_t length = 1;
  std::uint32_t height = 1;
  std::string text;
  Number number;
  std::vector<std::uint32_t> operands;
};

/// The tree of an expression; operands precede the nodes that use them.
struct Syntax {
  std::string text;
  std::vector<Node> nodes;
  std::uint32_t root = 0;
};

/// Parses. Throws usage errors that show the position. The depth is limited, so that no text can exhaust the stack.
[[nodiscard]] Syntax parse(std::string_view text);

/// An error that shows its position in the expression: the message, the text below it and a caret.
[[nodiscard]] Error error_at(ErrorKind kind, std::string_view expression, std::size_t position, std::size_t length,
                             const std::string& message);

/// The words of the language that are no names.
inline constexpr std::array<std::string_view, 8> reserved{"and", "or", "not", "in", "between", "like", "true", "false"};

/// The word of the language that a name is in other letters, such as AND and True; else empty.
[[nodiscard]] std::string reserved_like(std::string_view name);

}  // namespace quire::query
