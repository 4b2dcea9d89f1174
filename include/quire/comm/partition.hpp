#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "quire/comm/comm.hpp"
#include "quire/model/selection.hpp"

namespace quire {

/// Independent. Rows [first, first + count) of rank `rank` of `size` when `rows` are split evenly: rows div size each,
/// one more for the first rows mod size ranks (specs/sdds.md section 6.1).
[[nodiscard]] Slice even_slice(std::uint64_t rows, int rank, int size);

/// Independent. The same over ranks 1..size-1; rank 0 gets nothing. With one rank it gets everything.
[[nodiscard]] Slice slice_without_root(std::uint64_t rows, int rank, int size);

/// Independent. Rows in proportion to the weights (one per rank, finite, not all zero, none negative). The running sum
/// is rounded down; the last rank with a positive weight gets the remaining rows.
[[nodiscard]] Slice weighted_slice(std::uint64_t rows, int rank, std::span<const double> weights);

/// Independent. Cuts boxes with ghost zones, one for each rank, until no two share an element. Each rank writes its cut
/// box; all of them read the full boxes. If the ghosts are consistent, any cut gives the same file; this one is that of
/// the reference (specs/h5part.md section 5.1 (a)), so that files are equal also if ranks differ in their ghosts. Boxes
/// of one element along an axis are cut as well, which the reference does not do. Axes are slowest first. Throws usage
/// errors for boxes with different axes, and for a box inside another one, where every cut would leave one of them
/// empty.
[[nodiscard]] std::vector<Box> disjoint_boxes(std::vector<Box> boxes);

/// Collective. The boxes of all ranks. A usage error on all of them if they differ in the number of axes.
[[nodiscard]] std::vector<Box> gather_boxes(Comm& comm, const Box& mine);

/// Collective. This rank's box after disjoint_boxes().
[[nodiscard]] Box disjoint_box(Comm& comm, const Box& mine);

/// Collective. Throws a conflict error that names the ranks, on all ranks, if two boxes share an element.
void require_disjoint(Comm& comm, const Box& mine);

/// Independent. The position of the elements of `inner` in an array in memory that holds the box `outer`, as
/// put_field() and read_field() accept it. Throws usage errors if `inner` is not inside `outer`.
[[nodiscard]] MemorySelection inside(const Box& outer, const Box& inner);

/// How the blocks of a processor grid are arranged.
enum class GridPlacement : std::uint8_t {
  natural,     ///< along each axis as many blocks as ranks
  compatible,  ///< as the reference does: the coordinates of x and z are exchanged (specs/h5part.md section 5.1 (b))
};

/// A rank's part of a field that consists of equal blocks.
struct GridPart {
  std::vector<std::uint64_t> extents;  ///< of the whole field
  Box box;                             ///< of this rank in it
  MemorySelection memory;              ///< the same elements in a block with a halo around
};

/// Independent. The part of a rank in a grid of `grid` ranks (along each axis, slowest first; rank numbers increase
/// along the fastest axis first) with blocks of `block` elements, in memory with `halo` more elements on both sides of
/// each axis (none if empty). Throws usage errors for lists of different length, ranks outside the grid, and compatible
/// grids that do not have three axes.
[[nodiscard]] GridPart grid_part(int rank, const std::vector<std::uint64_t>& grid,
                                 const std::vector<std::uint64_t>& block, const std::vector<std::uint64_t>& halo = {},
                                 GridPlacement placement = GridPlacement::natural);

}  // namespace quire
