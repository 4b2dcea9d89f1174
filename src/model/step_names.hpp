#pragma once

#include <string>
#include <vector>

#include "model/name_index.hpp"
#include "quire/model/description.hpp"

namespace quire {

/// Finds tables, columns and fields of one step by name, with an index. The caller passes the same description each
/// time. Throws the same errors as the description.
class StepNames {
 public:
  [[nodiscard]] std::size_t find_table(const StepDescription& step, const std::string& table) {
    const auto found = table.empty() ? std::nullopt : tables_.find(step.tables, table);
    return found ? *found : step.find_table(table);
  }
  [[nodiscard]] std::size_t find_column(const StepDescription& step, std::size_t table, const std::string& column) {
    columns_.resize(step.tables.size());
    const auto found = columns_[table].find(step.tables[table].columns, column);
    return found ? *found : step.tables[table].find(column);
  }
  [[nodiscard]] std::size_t find_field(const StepDescription& step, const std::string& field) {
    const auto found = fields_.find(step.fields, field);
    return found ? *found : step.find_field(field);
  }

 private:
  NameIndex tables_;
  std::vector<NameIndex> columns_;  ///< for each table
  NameIndex fields_;
};

}  // namespace quire
