#include "api/read/element_directory.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "quire/spi/base/archive.hpp"

namespace quire {
namespace {

/// A message to another rank: entries as words, and ids whose entries the sender wants.
struct Letter {
  std::vector<std::uint64_t> entries;
  std::vector<std::uint32_t> questions;
  template <class Archive>
  void archive(Archive& a) {
    a(entries, questions);
  }
};

/// Letters for other ranks, by rank.
using Mail = std::map<int, Letter>;

std::vector<Parcel> send(Comm& comm, const Mail& mail) {
  std::vector<Parcel> parcels;
  for (const auto& [rank, letter] : mail) parcels.push_back({rank, pack(letter)});
  return comm.exchange(std::move(parcels));
}

// An entry is encoded in a few words: id with the number of its modes and whether a piece follows; block and source;
// row, offset, count; the piece; modes.

constexpr unsigned modes_shift = 32;
constexpr unsigned piece_shift = 48;
constexpr unsigned source_shift = 32;
constexpr std::uint64_t low_half = 0xFFFFFFFF;

void append(std::vector<std::uint64_t>& words, const ElementEntry& entry) {
  const std::uint64_t head =
      entry.id | entry.modes.size() << modes_shift | (entry.piece ? std::uint64_t{1} << piece_shift : std::uint64_t{0});
  const std::uint64_t origin = entry.block | static_cast<std::uint64_t>(entry.source) << source_shift;
  words.insert(words.end(), {head, origin, entry.row, entry.offset, entry.count});
  if (entry.piece) words.insert(words.end(), {entry.piece->piece.first, entry.piece->piece.offset, entry.piece->end});
  words.insert(words.end(), entry.modes.begin(), entry.modes.end());
}

void take_all(const std::vector<std::uint64_t>& words, std::vector<ElementEntry>& entries) {
  constexpr std::size_t fixed = 5;
  for (std::size_t i = 0; i + fixed <= words.size();) {
    const std::uint64_t head = words[i];
    ElementEntry entry{.id = static_cast<std::uint32_t>(head & low_half),
                       .block = words[i + 1] & low_half,
                       .row = words[i + 2],
                       .offset = words[i + 3],
                       .count = words[i + 4],
                       .modes = {},
                       .piece = {},
                       .source = static_cast<int>(words[i + 1] >> source_shift)};
    i += fixed;
    if (head >> piece_shift != 0) {
      entry.piece = KnownPiece{{words[i], words[i + 1]}, words[i + 2]};
      i += 3;
    }
    const auto modes = words.begin() + static_cast<std::ptrdiff_t>(i);
    const auto count = static_cast<std::ptrdiff_t>(head >> modes_shift & 0xFFFF);
    entry.modes.assign(modes, modes + count);
    i += static_cast<std::size_t>(count);
    entries.push_back(std::move(entry));
  }
}

int home_of(std::uint32_t id, const Comm& comm) {
  return static_cast<int>(id % static_cast<std::uint32_t>(comm.size()));
}

}  // namespace

std::vector<ElementEntry> find_elements(Comm& comm, std::span<const ElementEntry> known,
                                        std::span<const std::uint32_t> wanted, std::vector<std::uint32_t>& missing) {
  std::vector<std::uint32_t> ids(wanted.begin(), wanted.end());
  std::ranges::sort(ids);
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  Mail letters;
  for (const ElementEntry& entry : known) append(letters[home_of(entry.id, comm)].entries, entry);
  for (const std::uint32_t id : ids) letters[home_of(id, comm)].questions.push_back(id);
  std::vector<ElementEntry> here;
  std::map<int, std::vector<std::uint32_t>> questions;
  for (const Parcel& parcel : send(comm, letters)) {
    auto letter = unpack<Letter>(parcel.bytes);
    take_all(letter.entries, here);
    if (!letter.questions.empty()) questions[parcel.rank] = std::move(letter.questions);
  }
  letters.clear();
  std::ranges::sort(here, {}, &ElementEntry::id);

  Mail answers;
  for (const auto& [rank, asked] : questions) {
    for (const std::uint32_t id : asked) {
      const auto same = std::ranges::equal_range(here, id, {}, &ElementEntry::id);
      for (const ElementEntry& entry : same) append(answers[rank].entries, entry);
    }
  }
  std::vector<ElementEntry> found;
  for (const Parcel& parcel : send(comm, answers)) take_all(unpack<Letter>(parcel.bytes).entries, found);

  std::vector<std::uint32_t> there;
  for (const ElementEntry& entry : found) there.push_back(entry.id);
  std::ranges::sort(there);
  std::ranges::set_difference(ids, there, std::back_inserter(missing));
  std::ranges::sort(found, {}, [](const ElementEntry& entry) { return std::tuple(entry.block, entry.row); });
  return found;
}

}  // namespace quire
