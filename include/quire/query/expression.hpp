#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "quire/model/description.hpp"
#include "quire/model/value.hpp"
#include "quire/model/view.hpp"

namespace quire {

namespace query {
struct Syntax;
struct Program;
}  // namespace query

/// What the names of an expression may stand for.
///
/// A bare name is looked for among the columns, then the attributes, then `row` and `step`, then the constants; so
/// data are never hidden by words of the language. `@name` is an attribute even where a column has the same name.
struct Scope {
  std::vector<Quantity> columns;
  std::vector<Attribute> attributes;  ///< the first of a name counts: those of the step before those of the file
  std::optional<std::int64_t> step;   ///< what `step` stands for
};

/// Independent. What names mean at a step: the columns of its table of this name (the first one without a name), its
/// attributes, those of the file, and its number. Missing errors name the nearest table.
[[nodiscard]] Scope scope_of(const FileDescription& file, const StepDescription& step, const std::string& table = "");

/// An expression whose names and types are known: a program over blocks of rows. Copies share it; it may be used by
/// several threads at once. The language and its rules are in docs/expressions.md.
class CompiledExpression {
 public:
  explicit CompiledExpression(std::shared_ptr<const query::Program> program) : program_(std::move(program)) {}

  /// Independent. The columns that must be read, in the order in which evaluate() and select() take them.
  [[nodiscard]] const std::vector<std::string>& columns() const noexcept;
  /// Independent. The type of the result: that of the column for a bare column, else int64, float64, float80 or
  /// string; int32 (0 or 1) for conditions. A constant keeps its type, so that uint64 may appear, too.
  [[nodiscard]] Type type() const noexcept;
  /// Independent. Whether the result is true or false, so that select() takes it. Integers count as conditions.
  [[nodiscard]] bool is_condition() const noexcept;
  /// Independent. Whether the result is the same for all rows: neither a column nor `row` occurs.
  [[nodiscard]] bool is_constant() const noexcept;
  /// Independent. The unit of the result; empty where it is not known or a pure number.
  [[nodiscard]] const std::string& unit() const noexcept;

  /// Independent. The result of a constant expression; usage errors for others.
  [[nodiscard]] Value value() const;

  /// Independent. The result for `out.count` rows, of which the first is row number `first_row` of the table.
  ///
  /// `columns` has as many values of each of columns(), in the types that were announced; strings are appended to
  /// `out`. Works in blocks of a few thousand rows. `out` may have another type than type(): values convert without
  /// loss, or with a type error that names the row. Integer overflow and remainders of 0 are type errors, too.
  void evaluate(std::span<const ConstView> columns, std::uint64_t first_row, const View& out) const;

  /// Independent. Appends the numbers of those of `rows` rows, counted from `first_row`, for which the condition
  /// holds, ascending. Usage errors for expressions that are no condition; else as evaluate().
  void select(std::span<const ConstView> columns, std::uint64_t first_row, std::uint64_t rows,
              std::vector<std::uint64_t>& out) const;

  /// Independent. How many rows select() would append.
  [[nodiscard]] std::uint64_t count(std::span<const ConstView> columns, std::uint64_t first_row,
                                    std::uint64_t rows) const;

 private:
  std::shared_ptr<const query::Program> program_;
};

/// An expression as written: parsed, but its names not yet looked up.
class Expression {
 public:
  /// Independent. Parses. Usage errors show the place by a caret.
  explicit Expression(std::string_view text);

  [[nodiscard]] const std::string& text() const noexcept;
  /// Independent. The names of columns and attributes that occur, in order and each once. Some may be constants.
  [[nodiscard]] std::vector<std::string> names() const;
  /// Independent. Looks up names, settles types and units. Missing errors name the nearest; types and units that do not
  /// go together are usage errors; all show the place by a caret.
  [[nodiscard]] CompiledExpression compile(const Scope& scope) const;

 private:
  std::shared_ptr<const query::Syntax> syntax_;
};

}  // namespace quire
