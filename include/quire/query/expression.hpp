#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "quire/model/description.hpp"
#include "quire/model/value.hpp"

namespace quire {

namespace query {
struct Syntax;
struct Program;
}  // namespace query

/// The names that an expression may use.
///
/// A bare name is searched among the columns, then the attributes, then `row`, `step`, `page` and `rows`, then the
/// constants; so words of the language never hide data. `@name` is an attribute even if a column has the same name.
struct Scope {
  std::vector<Quantity> columns;
  std::vector<Attribute> attributes;  ///< the first of a name is used: those of the step, then those of the file
  std::optional<std::int64_t> step;   ///< the value of `step`
  std::optional<std::int64_t> page;   ///< the value of `page`, the position of the step in its file, from 1
  std::optional<std::int64_t> rows;   ///< the value of `rows`, the number of rows of the table
};

/// Independent. The scope of a step: the columns of its table of this name (the first table if empty), its attributes,
/// those of the file, and its number. Missing errors name the nearest table.
[[nodiscard]] Scope scope_of(const FileDescription& file, const StepDescription& step, const std::string& table = "");

/// An expression with resolved names and types: a program over blocks of rows. Copies share it; several threads may use
/// it at once. docs/expressions.md describes the language.
class CompiledExpression {
 public:
  explicit CompiledExpression(std::shared_ptr<const query::Program> program) : program_(std::move(program)) {}

  /// Independent. The columns that must be read, in the order in which evaluate() and select() expect them.
  [[nodiscard]] const std::vector<std::string>& columns() const noexcept;
  /// Independent. The type of the result: that of the column for a bare column, else int64, float64, float80 or
  /// string; int32 (0 or 1) for conditions. A constant keeps its type, so uint64 is also possible.
  [[nodiscard]] Type type() const noexcept;
  /// Independent. Whether the result is a condition, as select() requires. Integers count as conditions.
  [[nodiscard]] bool is_condition() const noexcept;
  /// Independent. Whether the result is the same for all rows: it uses no column and not `row`.
  [[nodiscard]] bool is_constant() const noexcept;
  /// Independent. The unit of the result; empty if it is unknown or the result is a pure number.
  [[nodiscard]] const std::string& unit() const noexcept;
  /// Independent. Whether the result is a pure number, as a count or a quotient of equal units.
  [[nodiscard]] bool is_pure() const noexcept;
  /// Independent. Whether the result depends on the number of the row.
  [[nodiscard]] bool uses_row() const noexcept;
  /// Independent. Whether the evaluation of a row can raise an error, such as that of integers beyond int64.
  [[nodiscard]] bool may_fail() const noexcept;
  /// Independent. Sentences about sums of numbers and quantities with units, whose results have no unit.
  [[nodiscard]] const std::vector<std::string>& warnings() const noexcept;

  /// Independent. The result of a constant expression. Throws usage errors for others.
  [[nodiscard]] Value value() const;

  /// Independent. Evaluates `out.count` rows, the first of which is row number `first_row` of the table.
  ///
  /// `columns` has as many values of each of columns(), in the types of the scope; strings are appended to `out`.
  /// Works in blocks of a few thousand rows. `out` may have another type than type(): values are converted without
  /// loss, or a type error names the row. Integer overflow and remainders of division by 0 are type errors, too.
  void evaluate(std::span<const ConstView> columns, std::uint64_t first_row, const View& out) const;

  /// Independent. Appends the numbers of the rows, of `rows` rows counted from `first_row`, that satisfy the condition,
  /// ascending. Throws usage errors if the expression is not a condition, and the errors of evaluate().
  void select(std::span<const ConstView> columns, std::uint64_t first_row, std::uint64_t rows,
              std::vector<std::uint64_t>& out) const;

  /// Independent. The number of rows that select() would append.
  [[nodiscard]] std::uint64_t count(std::span<const ConstView> columns, std::uint64_t first_row,
                                    std::uint64_t rows) const;

 private:
  std::shared_ptr<const query::Program> program_;
};

/// Limits that enclose the values of a column, apart from NaN, in some rows.
struct ColumnLimits {
  std::string column;
  double lower = 0;
  double upper = 0;
  bool may_be_nan = true;  ///< whether there can be NaN among them, if it is a column of floating-point numbers
};

/// What a condition asks of single columns, each of which may have an index: a tree of conditions.
///
/// Values are compared as keys: natural numbers in the order of the values, whatever their type. Those of unsigned
/// integers are the integers, those of signed ones are greater by 2^63. Other numbers are those of float64: the bits of
/// a positive one with the first bit set, and the complement of those of a negative one; -0 has the key of 0, and NaN
/// has 2^64 - 1.
struct Selector {
  enum class Kind : std::uint8_t {
    unknown,  ///< any row may satisfy it
    column,   ///< exactly the rows whose key of `column` is in one of `keys`
    both,     ///< the rows that all of `parts` have; all rows if there is none
    either,   ///< the rows that one of `parts` has; no row if there is none
  };
  /// Both ends included; ascending, with gaps between them.
  using Keys = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

  Kind kind = Kind::unknown;
  std::string column;
  Keys keys;
  std::vector<Selector> parts;
};

struct RowCall;

/// A parsed expression whose names are not yet resolved.
class Expression {
 public:
  /// Independent. Parses the text. Usage errors show the position by a caret.
  explicit Expression(std::string_view text);

  [[nodiscard]] const std::string& text() const noexcept;
  /// Independent. The names of columns and attributes in the text, in order, each once. Some may be constants.
  [[nodiscard]] std::vector<std::string> names() const;
  /// Independent. The text without needless parentheses and with one spelling of each operator.
  [[nodiscard]] std::string normal_form() const;
  /// Independent. The outermost calls whose values depend on several rows, such as max(x), each once. Usage errors show
  /// wrong numbers of arguments.
  [[nodiscard]] std::vector<RowCall> row_calls() const;
  /// Independent. Resolves names, types and units. The values of row_calls() are those of columns named by their text,
  /// without which they are usage errors. Missing errors name the nearest name; incompatible types and units
  /// are usage errors; all show the position by a caret.
  [[nodiscard]] CompiledExpression compile(const Scope& scope) const;
  /// Independent. Whether rows with these limits can satisfy the condition, or raise an error: false only if none does.
  /// Follows sums, differences, products, quotients, squares, abs and sqrt of numbers, by interval arithmetic with
  /// rounding outwards (R. E. Moore, Interval Analysis, 1966); anything else can have any value. `scope` is that of
  /// compile().
  [[nodiscard]] bool may_hold(const Scope& scope, std::span<const ColumnLimits> limits) const;
  /// Independent. Whether all rows with these limits satisfy the condition: true only if each does, without an error.
  [[nodiscard]] bool must_hold(const Scope& scope, std::span<const ColumnLimits> limits) const;
  /// Independent. Whether the evaluation of rows with these limits can raise an error, such as that of integers beyond
  /// int64: false only if that of no row does. Other columns have all values of their types.
  [[nodiscard]] bool may_fail(const Scope& scope, std::span<const ColumnLimits> limits) const;
  /// Independent. What the condition asks of single columns: comparisons with constants, their combinations, lists of
  /// constants and isnan. Columns of long double are unknown. `scope` is that of compile().
  [[nodiscard]] Selector selector(const Scope& scope) const;

 private:
  explicit Expression(std::shared_ptr<const query::Syntax> syntax) : syntax_(std::move(syntax)) {}

  std::shared_ptr<const query::Syntax> syntax_;
};

/// A call whose value depends on several rows of a table: an aggregate such as max(x), or a window such as lag(x).
struct RowCall {
  std::string function;
  std::string text;  ///< in normal form: the name of the column of its values
  std::vector<Expression> arguments;
};

}  // namespace quire
