#pragma once

// The ways in which the ranks of a program share one array: those of the tutorial of Parallel HDF5. Each is a
// selection, and nothing else changes.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "quire/quire.hpp"

namespace patterns {

/// Rows and columns of the array; any number of ranks shares it.
inline const std::vector<std::uint64_t> extents{12, 16};

/// Rows and columns of the chunks by which by_chunks() shares it.
inline const std::vector<std::uint64_t> chunk{3, 4};

/// A way to share the array.
struct Pattern {
  const char* name;
  const char* title;
  quire::Selection (*mine)(int rank, int ranks);
  quire::Options options = {};  ///< what the format is asked for, if it knows them
};

/// Neighbouring rows for each rank: one contiguous piece of the file.
[[nodiscard]] quire::Selection by_rows(int rank, int ranks);
/// Every so many-th column for each rank: single elements at equal distances.
[[nodiscard]] quire::Selection by_columns(int rank, int ranks);
/// Every so many-th element of every so many-th row: the ranks stand in a grid, and so do their elements.
[[nodiscard]] quire::Selection by_pattern(int rank, int ranks);
/// A block of neighbouring chunks for each rank: no chunk belongs to two ranks.
[[nodiscard]] quire::Selection by_chunks(int rank, int ranks);

/// All of them.
[[nodiscard]] const std::vector<Pattern>& all();

/// Rows and columns of a grid of this many ranks, as square as it gets.
[[nodiscard]] std::pair<std::uint64_t, std::uint64_t> grid_of(int ranks);

/// The value at a position of the array, which does not depend on the writer.
[[nodiscard]] double value_at(std::uint64_t element);

/// The values of a selection in its order, the order of the file.
[[nodiscard]] std::vector<double> values_of(const quire::Selection& selection);

/// How an example was started.
struct Start {
  std::string output;
  quire::WriteOptions options;
};

/// The options of an example with those of its pattern: where the format has them, the user has not set them, and the
/// bytes are moved by us.
[[nodiscard]] quire::WriteOptions options_of(const Pattern& pattern, const Start& start);

/// Options for reading by the same transport, or through the same library.
[[nodiscard]] quire::ReadOptions reading(const Start& start);

/// Collective. Writes the array by a pattern and reads it back by the same; true if everything is where it belongs.
[[nodiscard]] bool write_and_read(const Pattern& pattern, const quire::Comm& comm, const Start& start);

}  // namespace patterns
