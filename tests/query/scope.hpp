#pragma once

#include <utility>

#include "quire/query/expression.hpp"

namespace quire::test {

/// Columns of several types, and an attribute of the value 2.5.
inline Scope scope() {
  Scope names;
  for (const auto& [name, type] : {std::pair("x", Type::float64),
                                   {"y", Type::float32},
                                   {"i", Type::int64},
                                   {"u", Type::uint64},
                                   {"g", Type::float80},
                                   {"t", Type::string}}) {
    Column column;
    column.name = name;
    column.type = type;
    names.columns.push_back(column);
  }
  Attribute attribute;
  attribute.name = "limit";
  attribute.value = Value(2.5);
  attribute.type = attribute.value.type();
  names.attributes.push_back(attribute);
  return names;
}

}  // namespace quire::test
