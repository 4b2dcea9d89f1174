#include "quire/spi/plan/plan.hpp"

#include <algorithm>
#include <utility>

#include "quire/base/error.hpp"

namespace quire {
namespace {

template <class Extents>
std::uint64_t total_length(const Extents& extents) noexcept {
  std::uint64_t sum = 0;
  for (const auto& extent : extents) sum += extent.length;
  return sum;
}

template <class Extents>
std::vector<Extent> without_memory(const Extents& extents) {
  std::vector<Extent> result;
  result.reserve(extents.size());
  for (const auto& extent : extents) result.push_back({extent.offset, extent.length});
  return result;
}

/// The start of ready memory, or null for encoded and decoded extents.
const std::byte* memory_of(const WriteExtent& extent) {
  const auto* memory = std::get_if<const std::byte*>(&extent.source);
  return memory != nullptr ? *memory : nullptr;
}

const std::byte* memory_of(const ReadExtent& extent) {
  const auto* memory = std::get_if<std::byte*>(&extent.target);
  return memory != nullptr ? *memory : nullptr;
}

/// Whether the second one begins where the first one ends, in the file and in memory.
template <class SomeExtent>
bool continues(const SomeExtent& first, const SomeExtent& second) {
  const std::byte* memory = memory_of(second);
  const std::byte* before = memory_of(first);
  return memory != nullptr && before != nullptr && first.offset + first.length == second.offset &&
         before + first.length == memory;
}

/// Whether there is nothing to sort, join or drop, as in most plans, which are checked more than once.
template <class Extents>
bool is_coalesced(const Extents& extents) {
  if (!extents.empty() && extents.front().length == 0) return false;
  for (std::size_t i = 1; i < extents.size(); ++i) {
    const auto& before = extents[i - 1];
    const auto& next = extents[i];
    if (next.length == 0 || next.offset < before.offset || continues(before, next)) return false;
  }
  return true;
}

/// Positions of the non-empty extents, by file offset.
template <class Extents>
std::vector<std::size_t> file_order(const Extents& extents) {
  std::vector<std::size_t> order;
  order.reserve(extents.size());
  for (std::size_t i = 0; i < extents.size(); ++i) {
    if (extents[i].length != 0) order.push_back(i);
  }
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return extents[i].offset; });
  return order;
}

template <class Extents>
void join_neighbours(Extents& extents) {
  if (is_coalesced(extents)) return;
  Extents joined;
  joined.reserve(extents.size());
  for (const std::size_t i : file_order(extents)) {
    if (!joined.empty() && continues(joined.back(), extents[i])) {
      joined.back().length += extents[i].length;
    } else {
      joined.push_back(std::move(extents[i]));
    }
  }
  extents = std::move(joined);
}

}  // namespace

void WritePlan::add(std::uint64_t offset, std::span<const std::byte> bytes) {
  if (!bytes.empty()) extents.push_back({offset, bytes.size(), bytes.data()});
}

void WritePlan::add(std::uint64_t offset, std::vector<std::byte> bytes) {
  owned.push_back(std::make_shared<const std::vector<std::byte>>(std::move(bytes)));
  add(offset, std::span<const std::byte>(*owned.back()));
}

void WritePlan::add(std::uint64_t offset, std::uint64_t length, std::shared_ptr<Encoder> encoder) {
  if (length != 0) extents.push_back({offset, length, std::move(encoder)});
}

std::uint64_t WritePlan::bytes() const noexcept { return total_length(extents); }

void ReadPlan::add(std::uint64_t offset, std::span<std::byte> memory) {
  if (!memory.empty()) extents.push_back({offset, memory.size(), memory.data()});
}

void ReadPlan::add(std::uint64_t offset, std::uint64_t length, std::shared_ptr<Decoder> decoder) {
  if (length != 0) extents.push_back({offset, length, std::move(decoder)});
}

std::uint64_t ReadPlan::bytes() const noexcept { return total_length(extents); }

void coalesce(std::vector<WriteExtent>& extents) {
  join_neighbours(extents);
  for (std::size_t i = 1; i < extents.size(); ++i) {
    const WriteExtent& before = extents[i - 1];
    if (before.offset + before.length > extents[i].offset) {
      throw Error(ErrorKind::internal, "a plan writes the same bytes twice").at(extents[i].offset);
    }
  }
}

void coalesce(WritePlan& plan) { coalesce(plan.extents); }

void coalesce(ReadPlan& plan) { join_neighbours(plan.extents); }

std::vector<Extent> extents_of(const WritePlan& plan) { return without_memory(plan.extents); }

std::vector<Extent> extents_of(const ReadPlan& plan) { return without_memory(plan.extents); }

}  // namespace quire
