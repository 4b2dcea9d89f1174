#include "transport/file_set.hpp"

#include <type_traits>

#include "base/attempts.hpp"
#include "quire/spi/plan/member.hpp"

namespace quire {
namespace {

/// The plans of the members, with offsets in their files. Bytes that a plan owns remain in the original plan.
template <class Plan>
std::map<std::uint64_t, Plan> split(const Plan& whole) {
  std::map<std::uint64_t, Plan> parts;
  for (const auto& extent : whole.extents) {
    auto& extents = parts[member_of(extent.offset)].extents;
    extents.push_back(extent);
    extents.back().offset = offset_in(extent.offset);
  }
  // Only the transport of the first member is collective.
  if constexpr (std::is_same_v<Plan, ReadPlan>) parts[0].goes_on = whole.goes_on;
  return parts;
}

}  // namespace

Transport& FileSet::member(std::uint64_t number) {
  if (number == 0) return *first_;
  const auto found = others_.find(number);
  if (found != others_.end()) return *found->second;
  // If it cannot be opened, nothing is kept.
  return *others_.emplace(number, open_(number)).first->second;
}

template <class Plan>
void FileSet::run_split(const Plan& mine, bool alone) {
  auto parts = split(mine);
  Attempts all;
  // The first one may be collective: this rank calls it whatever happens in the others.
  all.attempt([&] { alone ? first_->run_alone(parts[0]) : first_->run(parts[0]); });
  for (const auto& [number, part] : parts) {
    if (number != 0) all.attempt([&] { member(number).run_alone(part); });
  }
  all.rethrow();
}

void FileSet::run(const WritePlan& mine) { run_split(mine, false); }
void FileSet::run(const ReadPlan& mine) { run_split(mine, false); }
void FileSet::run_alone(const WritePlan& mine) { run_split(mine, true); }
void FileSet::run_alone(const ReadPlan& mine) { run_split(mine, true); }

std::size_t FileSet::get(std::uint64_t offset, std::span<std::byte> out) {
  return member(member_of(offset)).get(offset_in(offset), out);
}

void FileSet::put(std::uint64_t offset, std::span<const std::byte> bytes) {
  member(member_of(offset)).put(offset_in(offset), bytes);
}

void FileSet::resize(std::uint64_t size) {
  if (size != 0) return member(member_of(size)).resize(offset_in(size));
  Attempts all;
  for (const auto& [number, transport] : others_) all.attempt([&] { transport->resize(0); });
  all.attempt([&] { first_->resize(0); });
  all.rethrow();
}

void FileSet::reserve(std::uint64_t from, std::uint64_t to) {
  member(member_of(from)).reserve(offset_in(from), offset_in(to));
}

void FileSet::sync(bool directory) {
  Attempts all;
  for (const auto& [number, transport] : others_) all.attempt([&] { transport->sync(directory); });
  all.attempt([&] { first_->sync(directory); });
  all.rethrow();
}

void FileSet::close() {
  Attempts all;
  for (const auto& [number, transport] : others_) all.attempt([&] { transport->close(); });
  all.attempt([&] { first_->close(); });
  all.rethrow();
}

const TransportCounters& FileSet::counters() const noexcept {
  counters_ = first_->counters();
  for (const auto& [number, transport] : others_) counters_ += transport->counters();
  return counters_;
}

}  // namespace quire
