#include "api/read/piece_lists.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "quire/base/error.hpp"
#include "quire/spi/base/checked.hpp"

namespace quire {
namespace {

/// An invalid offset: reading there fails.
constexpr std::uint64_t nowhere = std::numeric_limits<std::int64_t>::max();

/// The number of pieces of each run of the two tables; 0 if these are no matching lists.
std::size_t pieces_of(const StepLayout& layout, const KindTables& kind) {
  const auto& values = layout.tables[kind.values].runs;
  const auto& elements = layout.tables[kind.elements].runs;
  if (values.size() != 1 || elements.empty()) return 0;
  const std::size_t pieces = values.front().pieces.size();
  const bool agree = std::ranges::all_of(elements, [&](const Run& run) { return run.pieces.size() == pieces; });
  return agree ? pieces : 0;
}

template <class Use>
void for_each_list(const StepLayout& layout, Use&& use) {
  const std::vector<KindTables> kinds = kinds_of(layout.description);
  for (std::size_t k = 0; k < kinds.size(); ++k) {
    const std::size_t pieces = pieces_of(layout, kinds[k]);
    if (pieces > 0) use(k, kinds[k], pieces);
  }
}

std::vector<KnownPiece> known_pieces(const Run& run, std::size_t first, std::size_t last) {
  std::vector<KnownPiece> known;
  for (std::size_t i = first; i < last; ++i) {
    known.push_back({run.pieces[i], i + 1 < run.pieces.size() ? run.pieces[i + 1].first : run.records});
  }
  return known;
}

}  // namespace

std::vector<KindTables> kinds_of(const StepDescription& step) {
  std::vector<KindTables> kinds;
  std::uint64_t first = 0;
  for (std::size_t t = 0; t < step.tables.size(); ++t) {
    const auto& expansion = step.tables[t].expansion;
    if (!expansion) continue;
    const std::size_t elements = step.find_table(expansion->elements);
    const std::uint64_t count = step.tables[elements].rows;
    kinds.push_back({t, elements, first, count});
    first = checked_add(first, count);
  }
  return kinds;
}

std::uint64_t list_bytes(const StepLayout& layout) {
  std::uint64_t bytes = 0;
  for_each_list(layout, [&](std::size_t, const KindTables& kind, std::size_t pieces) {
    bytes += (1 + layout.tables[kind.elements].runs.size()) * pieces * sizeof(Piece);
  });
  return bytes;
}

StepLayout without_lists(const StepLayout& layout) {
  StepLayout rest = layout;
  for_each_list(layout, [&](std::size_t, const KindTables& kind, std::size_t) {
    for (const std::size_t table : {kind.values, kind.elements}) {
      for (Run& run : rest.tables[table].runs) {
        run.pieces.resize(1);
        run.pieces.shrink_to_fit();
      }
    }
  });
  return rest;
}

bool are_lists_withheld(const StepLayout& layout) {
  bool withheld = false;
  for_each_list(layout,
                [&](std::size_t, const KindTables&, std::size_t pieces) { withheld = withheld || pieces == 1; });
  return withheld;
}

void set_known_pieces(Run& run, std::span<const KnownPiece> known) {
  std::vector<Piece> pieces;
  std::uint64_t end = 0;
  for (const KnownPiece& one : known) {
    if (one.piece.first > end) pieces.push_back({end, nowhere});
    pieces.push_back(one.piece);
    end = one.end;
  }
  if (end < run.records) pieces.push_back({end, nowhere});
  run.pieces = std::move(pieces);
}

KnownPiece piece_with(const Run& run, std::uint64_t record) {
  const auto next = std::ranges::upper_bound(run.pieces, record, {}, &Piece::first);
  if (next == run.pieces.begin()) throw Error(ErrorKind::internal, "no piece has this record");
  return {*(next - 1), next == run.pieces.end() ? run.records : next->first};
}

ListShare share_of_lists(const StepLayout& layout, const Slice& elements) {
  ListShare share{.elements = elements, .kinds = {}};
  for_each_list(layout, [&](std::size_t number, const KindTables& kind, std::size_t) {
    const std::uint64_t begin = std::max(elements.first, kind.first);
    const std::uint64_t end = std::min(elements.end(), kind.first + kind.count);
    if (begin >= end) return;
    const auto& runs = layout.tables[kind.elements].runs;
    const std::vector<Piece>& list = runs.front().pieces;
    const auto next = std::ranges::upper_bound(list, begin - kind.first, {}, &Piece::first);
    const auto first = static_cast<std::size_t>(next - list.begin()) - 1;
    const auto last = static_cast<std::size_t>(
        std::ranges::lower_bound(next, list.end(), end - kind.first, {}, &Piece::first) - list.begin());
    ListShare::Kind& own = share.kinds.emplace_back();
    own.number = number;
    own.values = known_pieces(layout.tables[kind.values].runs.front(), first, last);
    for (const Run& run : runs) own.elements.push_back(known_pieces(run, first, last));
  });
  return share;
}

void take_share(StepLayout& layout, const ListShare& share) {
  const std::vector<KindTables> kinds = kinds_of(layout.description);
  for (const ListShare::Kind& own : share.kinds) {
    const KindTables& kind = kinds.at(static_cast<std::size_t>(own.number));
    set_known_pieces(layout.tables[kind.values].runs.front(), own.values);
    auto& runs = layout.tables[kind.elements].runs;
    for (std::size_t r = 0; r < runs.size(); ++r) set_known_pieces(runs[r], own.elements.at(r));
  }
}

}  // namespace quire
