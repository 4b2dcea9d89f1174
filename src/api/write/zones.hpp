#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "quire/api/writer.hpp"
#include "quire/spi/format/planner_capabilities.hpp"

namespace quire {

/// The rows that this rank writes to a table, as a row of the table of its zones; no row if there are no rows.
class OwnZone {
 public:
  /// The zone of `table`, to be recorded by the table `recorder`, both by their index in the step.
  OwnZone(const ZoneTable& zones, const Table& described, std::size_t table, std::size_t recorder);

  [[nodiscard]] std::size_t table() const noexcept { return table_; }
  [[nodiscard]] std::size_t recorder() const noexcept { return recorder_; }
  /// Takes further rows of the table into its limits: a view for each column. NaN are ignored.
  void add(std::span<const ConstView> columns);
  /// The zone begins after the rows of the lower ranks.
  void begin_after(std::uint64_t rows_before);
  /// Stores the limits of the rows so far.
  void complete();
  /// A view for each column of the recorder. Their memory stays in place; begin_after() and complete() fill it.
  [[nodiscard]] std::vector<ConstView> views() const;
  [[nodiscard]] std::uint64_t recorded_rows() const noexcept { return rows_ == 0 ? 0 : 1; }

 private:
  /// A column of the table with its limits so far, and those of the recorder that store them.
  struct Limits {
    std::optional<std::size_t> column{};  ///< no value: a constant
    std::size_t lower_column = 0;
    std::size_t extent_column = 0;
    bool has_value = false;
    double lower = 0;
    double upper = 0;
  };
  template <class Number>
  void store(std::size_t column, Number value);
  template <class Real>
  void store_limits(const Limits& limits);

  std::size_t table_;
  std::size_t recorder_;
  std::uint64_t rows_;
  std::size_t first_column_ = 0;
  std::size_t rows_column_ = 0;
  std::vector<Limits> limits_;
  std::vector<Type> types_;                       ///< of the columns of the recorder
  std::vector<std::array<std::byte, 8>> values_;  ///< of these
};

/// Before the step is accepted: adds the tables of zones, with a row for each table with rows on this rank. Throws
/// unsupported errors for rows that are chosen, which are no block.
void add_zones(WriteStep::State& step);
/// After the ranks have agreed on their rows: places the zones of this rank.
void begin_zones(WriteStep::State& step);
/// Takes a block of a step in parts into the zone of its table.
void add_to_zone(WriteStep::State& step, std::size_t table, std::span<const ConstView> columns);
/// After all blocks of a step in parts: passes the rows of zones to `use`, as those of their tables.
void complete_zones(WriteStep::State& step,
                    const std::function<void(std::size_t table, std::span<const ConstView> columns)>& use);

}  // namespace quire
