#include "format/nektar/hdf5/rows.hpp"

#include "quire/base/error.hpp"
#include "quire/spi/base/checked.hpp"

namespace quire::nektar {
namespace {

/// The number of rows. Throws bad_file errors if the last row is incomplete.
std::size_t row_count(std::span<const std::uint64_t> numbers, std::size_t columns) {
  if (numbers.size() % columns == 0) return numbers.size() / columns;
  throw Error(ErrorKind::bad_file, std::to_string(numbers.size()) + " numbers are not a multiple of the " +
                                       std::to_string(columns) + " columns")
      .on("DECOMPOSITION");
}

}  // namespace

std::vector<std::string_view> names_of(Part part, bool is_reworked) {
  switch (part) {
    case Part::ids:
      return {is_reworked ? "ELEM_IDS" : "ELEMENTIDS"};
    case Part::data:
      return {is_reworked ? "ELEM_DATA" : "DATA"};
    case Part::orders:
      return {"POLYORDERS"};
    case Part::y_ids:
      return {"HOMOGENEOUSYIDS", "HOMOGENEOUSY_IDS"};
    case Part::z_ids:
      return {"HOMOGENEOUSZIDS", "HOMOGENEOUSZ_IDS"};
    case Part::strip_ids:
      return {"HOMOGENEOUSSIDS", "HOMOGENEOUSS_IDS"};
  }
  return {};
}

std::vector<DecompositionRow> rows_of(std::span<const std::uint64_t> numbers) {
  constexpr std::size_t columns = parts + 1;
  std::vector<DecompositionRow> rows(row_count(numbers, columns));
  std::array<std::uint64_t, parts> ends{};
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (std::size_t p = 0; p < parts; ++p) {
      const std::uint64_t count = numbers[r * columns + p];
      rows[r].where[p] = {ends[p], count};
      ends[p] = checked_add(ends[p], count);
    }
    rows[r].hash = numbers[r * columns + parts];
  }
  return rows;
}

std::vector<DecompositionRow> reworked_rows_of(std::span<const std::uint64_t> numbers) {
  constexpr std::size_t columns = 2 * parts + 1;
  // The orders are stored after the planes here.
  constexpr std::array<Part, parts> order{Part::ids,   Part::data,      Part::y_ids,
                                          Part::z_ids, Part::strip_ids, Part::orders};
  std::vector<DecompositionRow> rows(row_count(numbers, columns));
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const auto row = numbers.subspan(r * columns, columns);
    rows[r].hash = row[0];
    for (std::size_t p = 0; p < parts; ++p) {
      rows[r].where[static_cast<std::size_t>(order[p])] = {row[1 + 2 * p], row[2 + 2 * p]};
    }
  }
  return rows;
}

}  // namespace quire::nektar
