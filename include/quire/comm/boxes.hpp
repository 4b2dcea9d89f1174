#pragma once

#include <cstdint>
#include <vector>

#include "quire/comm/comm.hpp"
#include "quire/model/selection.hpp"
#include "quire/model/slice.hpp"

namespace quire {

/// Independent. Boxes with ghost zones, one for each rank, cut until no two share an element: what each rank writes
/// while all of them read the full boxes. With consistent ghosts any cut gives the same file; this one is that of
/// the reference (specs/h5part.md section 5.1 (a)), so that files agree also where ranks differ in their ghosts. Boxes
/// of one element along an axis are cut as well, where the reference gives up. Axes are slowest first. Throws usage
/// errors for boxes with different axes, and where one box lies inside of another so that no cut leaves something of
/// both.
[[nodiscard]] std::vector<Box> disjoint_boxes(std::vector<Box> boxes);

/// Collective. The boxes of all ranks. A usage error on all of them if they differ in the number of axes.
[[nodiscard]] std::vector<Box> gather_boxes(Comm& comm, const Box& mine);

/// Collective. What disjoint_boxes() leaves this rank of its box.
[[nodiscard]] Box disjoint_box(Comm& comm, const Box& mine);

/// Collective. Throws a conflict error that names the ranks on all of them if two boxes share an element.
void require_disjoint(Comm& comm, const Box& mine);

/// Independent. Where the elements of `inner` lie in an array in memory that holds the box `outer`: what put_field()
/// and read_field() take. Throws usage errors unless it lies inside.
[[nodiscard]] MemorySelection inside(const Box& outer, const Box& inner);

/// How the blocks of a processor grid are put together.
enum class GridPlacement : std::uint8_t {
  natural,     ///< along each axis as many blocks as ranks
  compatible,  ///< as the reference does: the coordinates of x and z are exchanged (specs/h5part.md section 5.1 (b))
};

/// A rank's part of a field that is made of equal blocks.
struct GridPart {
  std::vector<std::uint64_t> extents;  ///< of the whole field
  Box box;                             ///< of this rank in it
  MemorySelection memory;              ///< the same elements in a block with a halo around
};

/// Independent. The part of a rank in a grid of `grid` ranks (along each axis, slowest first; the fastest axis counts
/// the ranks first) with blocks of `block` elements, in memory with `halo` more on both sides of each axis (none if
/// empty). Throws usage errors for lists of different length, ranks outside the grid, and compatible grids that do not
/// have three axes.
[[nodiscard]] GridPart grid_part(int rank, const std::vector<std::uint64_t>& grid,
                                 const std::vector<std::uint64_t>& block, const std::vector<std::uint64_t>& halo = {},
                                 GridPlacement placement = GridPlacement::natural);

}  // namespace quire
