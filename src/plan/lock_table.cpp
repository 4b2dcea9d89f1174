#include "plan/lock_table.hpp"

#include <algorithm>
#include <bit>

namespace quire {
namespace {

constexpr std::size_t first_entries = 1024;

}  // namespace

LockTable::LockTable(std::size_t most_entries)
    : entries_(first_entries), most_(std::max(std::bit_ceil(most_entries), first_entries)) {}

// The finalizer of MurmurHash3, which is in the public domain.
std::uint64_t LockTable::mixed(std::uint64_t value) noexcept {
  value ^= value >> 33;
  value *= 0xff51afd7ed558ccdULL;
  value ^= value >> 33;
  value *= 0xc4ceb9fe1a85ec53ULL;
  return value ^ (value >> 33);
}

LockTable::Entry& LockTable::find(std::uint64_t unit, std::uint64_t hash) {
  // The low bits select the sample.
  std::size_t place = static_cast<std::size_t>(hash >> 24) & (entries_.size() - 1);
  while (entries_[place].ranks != 0 && entries_[place].unit != unit) place = (place + 1) & (entries_.size() - 1);
  return entries_[place];
}

void LockTable::insert(std::uint64_t unit, std::uint64_t hash, std::uint32_t rank) {
  Entry* entry = &find(unit, hash);
  if (entry->ranks != 0) {
    if (entry->last != rank) ++entry->ranks;
    entry->last = rank;
    return;
  }
  *entry = {unit, rank, 1};
  if (++used_ * 2 > entries_.size()) make_room();
}

void LockTable::make_room() {
  std::vector<Entry> old = std::move(entries_);
  if (old.size() < most_) {
    entries_.assign(old.size() * 2, {});
  } else {
    entries_.assign(old.size(), {});
    sample_mask_ = sample_mask_ * 2 + 1;
  }
  used_ = 0;
  for (const Entry& entry : old) {
    const std::uint64_t hash = mixed(entry.unit);
    if (entry.ranks == 0 || (hash & sample_mask_) != 0) continue;
    find(entry.unit, hash) = entry;
    ++used_;
  }
}

LockTable::Sums LockTable::sums() const {
  Sums sums;
  for (const Entry& entry : entries_) {
    if (entry.ranks < 2) continue;
    ++sums.shared;
    sums.conflicts += entry.ranks - 1;
    sums.most = std::max<std::uint64_t>(sums.most, entry.ranks);
  }
  sums.shared *= sample_mask_ + 1;
  sums.conflicts *= sample_mask_ + 1;
  sums.sampled = 1 / static_cast<double>(sample_mask_ + 1);
  return sums;
}

}  // namespace quire
