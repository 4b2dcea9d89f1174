#include "quire/query/expression.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <string_view>

#include "query/compile.hpp"
#include "query/limits.hpp"
#include "query/normal_form.hpp"
#include "query/row_calls.hpp"
#include "query/run.hpp"
#include "query/selector.hpp"
#include "query/syntax.hpp"

namespace quire {
namespace {

using query::Execution;
using query::Lane;
using query::Program;

void require_condition(const Program& program) {
  if (program.is_condition) return;
  throw query::error_at(ErrorKind::usage, program.text, 0, program.text.size(),
                        "the expression is no condition: compare something, for example x > 0");
}

/// Writes first + i for every i whose truth is set, and returns their number. Skips groups of eight that are all false;
/// the others are processed without branches, which would be unpredictable.
std::size_t write_rows(const std::uint8_t* truths, std::size_t count, std::uint64_t first, std::uint64_t* out) {
  std::size_t found = 0;
  std::size_t i = 0;
  for (; i + 8 <= count; i += 8) {
    std::uint64_t eight = 0;
    std::memcpy(&eight, truths + i, sizeof eight);
    if (eight == 0) continue;
    for (std::size_t j = i; j < i + 8; ++j) {
      out[found] = first + j;
      found += truths[j];
    }
  }
  for (; i < count; ++i) {
    out[found] = first + i;
    found += truths[i];
  }
  return found;
}

/// Appends numbers of a block; if memory must grow, reserves as much as all rows will need at the present rate.
void append(std::span<const std::uint64_t> numbers, std::uint64_t rows_done, std::uint64_t rows,
            std::vector<std::uint64_t>& out) {
  const std::size_t needed = out.size() + numbers.size();
  if (needed > out.capacity()) {
    const double rate = static_cast<double>(needed) / static_cast<double>(rows_done);
    const auto expected = static_cast<std::size_t>(rate * 1.05 * static_cast<double>(rows));
    out.reserve(std::max(std::min<std::size_t>(expected, needed + rows - rows_done), 2 * out.capacity()));
  }
  out.insert(out.end(), numbers.begin(), numbers.end());
}

}  // namespace

Scope scope_of(const FileDescription& file, const StepDescription& step, const std::string& table) {
  Scope scope;
  scope.step = step.number;
  scope.attributes = step.attributes;
  scope.attributes.insert(scope.attributes.end(), file.attributes.begin(), file.attributes.end());
  if (table.empty() && step.tables.empty()) return scope;
  const Table& found = step.tables[step.find_table(table)];
  scope.columns.assign(found.columns.begin(), found.columns.end());
  scope.rows = static_cast<std::int64_t>(found.rows);
  return scope;
}

Expression::Expression(std::string_view text) : syntax_(std::make_shared<query::Syntax>(query::parse(text))) {}

const std::string& Expression::text() const noexcept { return syntax_->text; }

std::vector<std::string> Expression::names() const {
  std::vector<bool> is_used(syntax_->nodes.size());
  is_used[syntax_->root] = true;
  for (std::size_t i = syntax_->root + 1; i-- > 0;) {
    if (!is_used[i]) continue;
    for (const std::uint32_t operand : syntax_->nodes[i].operands) is_used[operand] = true;
  }
  std::vector<std::string> names;
  for (std::size_t i = 0; i <= syntax_->root; ++i) {
    if (!is_used[i]) continue;
    const query::Node& node = syntax_->nodes[i];
    const bool is_name = node.kind == query::Kind::name || node.kind == query::Kind::attribute;
    if (is_name && std::ranges::find(names, node.text) == names.end()) names.push_back(node.text);
  }
  return names;
}

std::string Expression::normal_form() const { return query::normal_form(*syntax_, syntax_->root); }

std::vector<RowCall> Expression::row_calls() const {
  std::vector<RowCall> calls;
  for (const std::uint32_t index : query::row_calls(*syntax_)) {
    const query::Node& node = syntax_->nodes[index];
    RowCall& call = calls.emplace_back(RowCall{node.text, query::normal_form(*syntax_, index), {}});
    for (const std::uint32_t operand : node.operands) {
      auto argument = std::make_shared<query::Syntax>(*syntax_);
      argument->root = operand;
      call.arguments.push_back(Expression(std::shared_ptr<const query::Syntax>(std::move(argument))));
    }
  }
  return calls;
}

CompiledExpression Expression::compile(const Scope& scope) const {
  return CompiledExpression(query::compile(*syntax_, syntax_->root, scope));
}

bool Expression::may_hold(const Scope& scope, std::span<const ColumnLimits> limits) const {
  return query::may_hold(*syntax_, scope, limits);
}

bool Expression::must_hold(const Scope& scope, std::span<const ColumnLimits> limits) const {
  return query::must_hold(*syntax_, scope, limits);
}

bool Expression::may_fail(const Scope& scope, std::span<const ColumnLimits> limits) const {
  return query::may_fail(*syntax_, scope, limits);
}

Selector Expression::selector(const Scope& scope) const { return query::selector_of(*syntax_, scope); }

const std::vector<std::string>& CompiledExpression::columns() const noexcept { return program_->columns; }
Type CompiledExpression::type() const noexcept { return program_->type; }
bool CompiledExpression::is_condition() const noexcept { return program_->is_condition; }
bool CompiledExpression::is_constant() const noexcept { return program_->is_constant; }
const std::string& CompiledExpression::unit() const noexcept { return program_->unit; }
bool CompiledExpression::is_pure() const noexcept { return program_->is_pure; }
bool CompiledExpression::uses_row() const noexcept { return program_->row_slot.has_value(); }
bool CompiledExpression::may_fail() const noexcept {
  return std::ranges::any_of(program_->instructions, [this](const auto& one) { return program_->may_fail(one); });
}
const std::vector<std::string>& CompiledExpression::warnings() const noexcept { return program_->warnings; }

Value CompiledExpression::value() const {
  if (!program_->is_constant)
    throw Error(ErrorKind::usage, "the expression has a value for each row, not a single one");
  const query::Slot& slot = program_->slots[program_->result];
  const std::byte* const bytes = program_->constants[slot.index].bytes.data();
  if (slot.lane == Lane::text) {
    std::string_view text;
    std::memcpy(&text, bytes, sizeof(std::string_view));
    return Value(std::string(text));
  }
  if (slot.lane == Lane::truth) return Value(std::to_integer<std::int32_t>(bytes[0]));
  return Value::numbers(program_->type, {}, {bytes, size_of(program_->type)});
}

void CompiledExpression::evaluate(std::span<const ConstView> columns, std::uint64_t first_row, const View& out) const {
  Execution execution(*program_, columns, first_row, out.count);
  const Lane lane = program_->slots[program_->result].lane;
  while (execution.next(Execution::Goal::value)) {
    query::deliver(lane, execution.data(program_->result), execution.is_single(program_->result), execution.first(),
                   execution.count(), out, first_row);
  }
}

void CompiledExpression::select(std::span<const ConstView> columns, std::uint64_t first_row, std::uint64_t rows,
                                std::vector<std::uint64_t>& out) const {
  require_condition(*program_);
  Execution execution(*program_, columns, first_row, rows);
  std::vector<std::uint64_t> numbers(query::block_rows);
  while (execution.next(Execution::Goal::condition)) {
    const auto* const truths = reinterpret_cast<const std::uint8_t*>(execution.data(program_->condition));
    const std::uint64_t first = first_row + execution.first();
    std::size_t found = 0;
    if (!execution.is_single(program_->condition)) {
      found = write_rows(truths, execution.count(), first, numbers.data());
    } else if (truths[0] != 0) {
      found = execution.count();
      std::iota(numbers.begin(), numbers.begin() + static_cast<std::ptrdiff_t>(found), first);
    }
    append(std::span(numbers).first(found), execution.first() + execution.count(), rows, out);
  }
}

std::uint64_t CompiledExpression::count(std::span<const ConstView> columns, std::uint64_t first_row,
                                        std::uint64_t rows) const {
  require_condition(*program_);
  Execution execution(*program_, columns, first_row, rows);
  std::uint64_t found = 0;
  while (execution.next(Execution::Goal::condition)) {
    const auto* const truths = reinterpret_cast<const std::uint8_t*>(execution.data(program_->condition));
    if (execution.is_single(program_->condition)) {
      found += truths[0] != 0 ? execution.count() : 0;
    } else {
      for (std::size_t i = 0; i < execution.count(); ++i) found += truths[i];
    }
  }
  return found;
}

}  // namespace quire
