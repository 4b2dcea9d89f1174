// Calls that fill a step before its collectives: all of them are independent.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/write/step_state.hpp"
#include "quire/api/writer.hpp"

namespace quire {

WriteStep& WriteStep::set(std::string name, Value value, std::string unit) {
  return set(attribute_of(std::move(name), std::move(value), std::move(unit)));
}

WriteStep& WriteStep::set(Attribute attribute) {
  state_->require_unweighed("set");
  state_->builder.set(std::move(attribute));
  return *this;
}

WriteStep& WriteStep::table(std::string name) {
  state_->require_unweighed("table");
  state_->builder.table(std::move(name));
  return *this;
}

WriteStep& WriteStep::expansion(Expansion expansion) {
  state_->require_unweighed("expansion");
  state_->builder.expansion(std::move(expansion));
  return *this;
}

WriteStep& WriteStep::rows(std::uint64_t count) {
  state_->require_unweighed("rows");
  state_->builder.rows(count);
  return *this;
}

WriteStep& WriteStep::rows_at(RowSelection rows, std::optional<std::uint64_t> total) {
  state_->require_unweighed("rows_at");
  state_->builder.rows_at(rows, total);
  return *this;
}

WriteStep& WriteStep::put(std::string name, ConstView values, std::string unit) {
  state_->require_unweighed("put");
  state_->builder.put(std::move(name), std::move(unit), values);
  return *this;
}

WriteStep& WriteStep::put(Column column, ConstView values) {
  state_->require_unweighed("put");
  state_->builder.put(std::move(column), values);
  return *this;
}

WriteStep& WriteStep::put_constant(std::string name, Value value, std::string unit) {
  return put_constant(attribute_of(std::move(name), std::move(value), std::move(unit)));
}

WriteStep& WriteStep::put_constant(Attribute constant) {
  state_->require_unweighed("put_constant");
  state_->builder.put_constant(std::move(constant));
  return *this;
}

WriteStep& WriteStep::put_field(Field field, Selection selection, std::vector<ConstView> components,
                                MemorySelection memory) {
  state_->require_unweighed("put_field");
  state_->builder.put_field(std::move(field), std::move(selection), std::move(components), std::move(memory));
  return *this;
}

WriteStep& WriteStep::declare(Column column, std::uint64_t string_bytes) {
  state_->require_unweighed("declare");
  state_->builder.declare(std::move(column), string_bytes);
  return *this;
}

WriteStep& WriteStep::declare_field(Field field, Box mine) {
  state_->require_unweighed("declare_field");
  state_->builder.declare_field(std::move(field), std::move(mine));
  return *this;
}

}  // namespace quire
