#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "quire/model/slice.hpp"
#include "quire/plan/record.hpp"

namespace quire {

// The lists of pieces (see Run) of elements and their coefficients grow with the ranks that have written a file and
// with the blocks of each. What takes more than a budget rank 0 keeps to itself when a step is described: who looks for
// elements is told of the pieces in which these lie, and who reads rows describes the file by itself.

/// The two tables of elements of one kind, and where they stand among all elements.
struct KindTables {
  std::size_t values = 0;
  std::size_t elements = 0;
  std::uint64_t first = 0;  ///< how many elements there are of the kinds before
  std::uint64_t count = 0;
};
/// Those of a step in their order.
[[nodiscard]] std::vector<KindTables> kinds_of(const StepDescription& step);

/// How many bytes the lists take that can be kept back: those that have a piece of each table for every block.
[[nodiscard]] std::uint64_t list_bytes(const StepLayout& layout);
/// The step without them. A mark remains in their place, for a whole list has two pieces at least.
[[nodiscard]] StepLayout without_lists(const StepLayout& layout);
[[nodiscard]] bool are_lists_withheld(const StepLayout& layout);

/// A piece, and the record behind its last one.
struct KnownPiece {
  Piece piece;
  std::uint64_t end = 0;
  template <class Archive>
  void archive(Archive& a) {
    a(piece, end);
  }
};

/// Gives a run a list of which only some pieces are known, by rising records: nothing that is true stands in the gaps.
void set_known_pieces(Run& run, std::span<const KnownPiece> known);
/// The piece that has a record of the run.
[[nodiscard]] KnownPiece piece_with(const Run& run, std::uint64_t record);

/// All pieces in which some elements lie.
struct ListShare {
  /// Neighbouring pieces of one kind: of the one run of the coefficients, and of each run of the elements.
  struct Kind {
    std::uint64_t number = 0;
    std::vector<KnownPiece> values;
    std::vector<std::vector<KnownPiece>> elements;
    template <class Archive>
    void archive(Archive& a) {
      a(number, values, elements);
    }
  };
  Slice elements;  ///< of all of the step
  std::vector<Kind> kinds;
  template <class Archive>
  void archive(Archive& a) {
    a(elements.first, elements.count, kinds);
  }
};
/// Of a step whose lists are whole.
[[nodiscard]] ListShare share_of_lists(const StepLayout& layout, const Slice& elements);
/// Puts a share in the place of the lists that were withheld.
void take_share(StepLayout& layout, const ListShare& share);

}  // namespace quire
