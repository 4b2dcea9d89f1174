#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "quire/model/selection.hpp"
#include "quire/spi/plan/record.hpp"

namespace quire {

// The lists of pieces (see Run) of elements and their coefficients grow with the ranks that wrote a file and with the
// blocks of each. Lists larger than a budget stay on rank 0 when a step is described: ranks that search for elements
// receive the pieces that contain these, and ranks that read rows describe the file themselves.

/// The two tables of elements of one kind, and their position among all elements.
struct KindTables {
  std::size_t values = 0;
  std::size_t elements = 0;
  std::uint64_t first = 0;  ///< number of elements of the kinds before
  std::uint64_t count = 0;
};
/// Those of a step in their order.
[[nodiscard]] std::vector<KindTables> kinds_of(const StepDescription& step);

/// Bytes of the lists that can be withheld: those that have a piece of each table for every block.
[[nodiscard]] std::uint64_t list_bytes(const StepLayout& layout);
/// The step without them. A mark remains in their place: a list of one piece, because a whole list has at least two.
[[nodiscard]] StepLayout without_lists(const StepLayout& layout);
[[nodiscard]] bool are_lists_withheld(const StepLayout& layout);

/// A piece, and the record after its last one.
struct KnownPiece {
  Piece piece;
  std::uint64_t end = 0;
  template <class Archive>
  void archive(Archive& a) {
    a(piece, end);
  }
};

/// Sets a list of a run of which only some pieces are known, by rising records. The gaps have no valid place.
void set_known_pieces(Run& run, std::span<const KnownPiece> known);
/// The piece that has a record of the run.
[[nodiscard]] KnownPiece piece_with(const Run& run, std::uint64_t record);

/// All pieces that contain some elements.
struct ListShare {
  /// Neighbouring pieces of one kind: in the one run of the coefficients, and in each run of the elements.
  struct Kind {
    std::uint64_t number = 0;
    std::vector<KnownPiece> values;
    std::vector<std::vector<KnownPiece>> elements;
    template <class Archive>
    void archive(Archive& a) {
      a(number, values, elements);
    }
  };
  Slice elements;  ///< of all elements of the step
  std::vector<Kind> kinds;
  template <class Archive>
  void archive(Archive& a) {
    a(elements.first, elements.count, kinds);
  }
};
/// Of a step with whole lists.
[[nodiscard]] ListShare share_of_lists(const StepLayout& layout, const Slice& elements);
/// Replaces the lists that were withheld by a share.
void take_share(StepLayout& layout, const ListShare& share);

}  // namespace quire
