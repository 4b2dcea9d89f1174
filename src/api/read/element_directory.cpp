#include "api/read/element_directory.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "quire/base/archive.hpp"

namespace quire {
namespace {

/// Words for other ranks, by rank.
using Mail = std::map<int, std::vector<std::uint64_t>>;

std::vector<Parcel> send(Comm& comm, const Mail& mail) {
  std::vector<Parcel> parcels;
  for (const auto& [rank, words] : mail) parcels.push_back({rank, pack(words)});
  return comm.exchange(std::move(parcels));
}

// An entry is a few words on its way: id, block, row, offset, count, number of modes, modes.

void append(std::vector<std::uint64_t>& words, const ElementEntry& entry) {
  words.insert(words.end(), {entry.id, entry.block, entry.row, entry.offset, entry.count, entry.modes.size()});
  words.insert(words.end(), entry.modes.begin(), entry.modes.end());
}

void take_all(const std::vector<std::uint64_t>& words, std::vector<ElementEntry>& entries) {
  constexpr std::size_t fixed = 6;
  for (std::size_t i = 0; i + fixed <= words.size();) {
    ElementEntry entry{.id = static_cast<std::uint32_t>(words[i]),
                       .block = words[i + 1],
                       .row = words[i + 2],
                       .offset = words[i + 3],
                       .count = words[i + 4],
                       .modes = {}};
    const auto modes = words.begin() + static_cast<std::ptrdiff_t>(i + fixed);
    const auto count = static_cast<std::ptrdiff_t>(words[i + fixed - 1]);
    entry.modes.assign(modes, modes + count);
    i += fixed + static_cast<std::size_t>(count);
    entries.push_back(std::move(entry));
  }
}

int home_of(std::uint32_t id, const Comm& comm) {
  return static_cast<int>(id % static_cast<std::uint32_t>(comm.size()));
}

}  // namespace

std::vector<ElementEntry> find_elements(Comm& comm, std::span<const ElementEntry> known,
                                        std::span<const std::uint32_t> wanted, std::vector<std::uint32_t>& missing) {
  Mail entries;
  for (const ElementEntry& entry : known) append(entries[home_of(entry.id, comm)], entry);
  std::vector<ElementEntry> here;
  for (const Parcel& parcel : send(comm, entries)) take_all(unpack<std::vector<std::uint64_t>>(parcel.bytes), here);
  entries.clear();
  std::ranges::sort(here, {}, &ElementEntry::id);

  std::vector<std::uint32_t> ids(wanted.begin(), wanted.end());
  std::ranges::sort(ids);
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  Mail questions;
  for (const std::uint32_t id : ids) questions[home_of(id, comm)].push_back(id);
  Mail answers;
  for (const Parcel& parcel : send(comm, questions)) {
    for (const std::uint64_t id : unpack<std::vector<std::uint64_t>>(parcel.bytes)) {
      const auto same = std::ranges::equal_range(here, static_cast<std::uint32_t>(id), {}, &ElementEntry::id);
      for (const ElementEntry& entry : same) append(answers[parcel.rank], entry);
    }
  }
  std::vector<ElementEntry> found;
  for (const Parcel& parcel : send(comm, answers)) take_all(unpack<std::vector<std::uint64_t>>(parcel.bytes), found);

  std::vector<std::uint32_t> there;
  for (const ElementEntry& entry : found) there.push_back(entry.id);
  std::ranges::sort(there);
  std::ranges::set_difference(ids, there, std::back_inserter(missing));
  std::ranges::sort(found, {}, [](const ElementEntry& entry) { return std::tuple(entry.block, entry.row); });
  return found;
}

}  // namespace quire
