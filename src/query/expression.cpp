#include "quire/query/expression.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string_view>

#include "query/compile.hpp"
#include "query/run.hpp"
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

/// Appends first + i for every i whose truth is set; takes eight at a time, most of which are often empty.
void append_rows(const std::uint8_t* truths, std::size_t count, std::uint64_t first, std::vector<std::uint64_t>& out) {
  std::size_t i = 0;
  for (; i + 8 <= count; i += 8) {
    std::uint64_t eight = 0;
    std::memcpy(&eight, truths + i, sizeof eight);
    while (eight != 0) {
      const auto place = static_cast<unsigned>(std::countr_zero(eight)) / 8;
      out.push_back(first + i + (std::endian::native == std::endian::little ? place : 7 - place));
      eight &= eight - 1;
    }
  }
  for (; i < count; ++i) {
    if (truths[i] != 0) out.push_back(first + i);
  }
}

}  // namespace

Expression::Expression(std::string_view text) : syntax_(std::make_shared<query::Syntax>(query::parse(text))) {}

const std::string& Expression::text() const noexcept { return syntax_->text; }

std::vector<std::string> Expression::names() const {
  std::vector<std::string> names;
  for (const query::Node& node : syntax_->nodes) {
    const bool is_name = node.kind == query::Kind::name || node.kind == query::Kind::attribute;
    if (is_name && std::ranges::find(names, node.text) == names.end()) names.push_back(node.text);
  }
  return names;
}

CompiledExpression Expression::compile(const Scope& scope) const {
  return CompiledExpression(query::compile(*syntax_, scope));
}

const std::vector<std::string>& CompiledExpression::columns() const noexcept { return program_->columns; }
Type CompiledExpression::type() const noexcept { return program_->type; }
bool CompiledExpression::is_condition() const noexcept { return program_->is_condition; }
bool CompiledExpression::is_constant() const noexcept { return program_->is_constant; }
const std::string& CompiledExpression::unit() const noexcept { return program_->unit; }

Value CompiledExpression::value() const {
  if (!program_->is_constant)
    throw Error(ErrorKind::usage, "the expression has a value for each row, not a single one");
  const query::Slot& slot = program_->slots[program_->result];
  const std::byte* const bytes = program_->constants[slot.index].bytes.data();
  if (slot.lane == Lane::text) {
    std::string_view text;
    std::memcpy(&text, bytes, sizeof text);
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
  while (execution.next(Execution::Goal::condition)) {
    const auto* const truths = reinterpret_cast<const std::uint8_t*>(execution.data(program_->condition));
    const std::uint64_t first = first_row + execution.first();
    if (!execution.is_single(program_->condition)) {
      append_rows(truths, execution.count(), first, out);
    } else if (truths[0] != 0) {
      for (std::size_t i = 0; i < execution.count(); ++i) out.push_back(first + i);
    }
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
