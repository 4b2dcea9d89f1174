#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "quire/model/selection.hpp"

namespace quire::nektar {

/// The datasets that blocks have parts of, in the order of the columns of a decomposition.
enum class Part : std::uint8_t { ids, data, orders, y_ids, z_ids, strip_ids };
inline constexpr std::size_t parts = 6;

/// The names of these datasets, in the format or in the rework that was never merged.
[[nodiscard]] std::vector<std::string_view> names_of(Part part, bool is_reworked);

/// One block: the group of its type, and its part of each dataset.
struct DecompositionRow {
  std::uint64_t hash = 0;  ///< 0: no block
  std::array<Slice, parts> where;

  [[nodiscard]] const Slice& operator[](Part part) const { return where[static_cast<std::size_t>(part)]; }
};

/// The rows of a DECOMPOSITION, whose parts are consecutive (specs/nektar-fld.md section 5.2). Throws bad_file errors.
[[nodiscard]] std::vector<DecompositionRow> rows_of(std::span<const std::uint64_t> numbers);
/// The rows of a DATA_DECOMPOSITION, which contain the offsets of their parts (section 6). Throws bad_file errors.
[[nodiscard]] std::vector<DecompositionRow> reworked_rows_of(std::span<const std::uint64_t> numbers);

}  // namespace quire::nektar
