#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "format/sion/physical_file.hpp"
#include "quire/format/streams.hpp"
#include "quire/plan/member.hpp"

namespace quire::sion {

/// The file beside a set that is not complete in which its writers note what they have used: a page for a title, and
/// then for each task, those of the first file first, a page of numbers, one for each chunk; and again for the next
/// chunks.
inline constexpr std::string_view notes_suffix = ".notes";
inline constexpr std::uint64_t notes_member = most_members - 1;
inline constexpr std::uint64_t notes_page = notes_per_page * 8;

/// Where the number for a chunk stands.
[[nodiscard]] constexpr std::uint64_t note_at(std::uint64_t task, std::uint64_t tasks, std::uint64_t chunk) noexcept {
  return notes_page * (1 + task + chunk / notes_per_page * tasks) + chunk % notes_per_page * 8;
}

/// Tells the notes of this file from those of another one that had its name before.
[[nodiscard]] std::vector<std::byte> print_notes_title(std::span<const std::byte> header, std::uint64_t tasks);

/// The notes of a set whose first file this is.
class Notes {
 public:
  /// Nothing if these are no notes of this set.
  [[nodiscard]] static std::optional<Notes> of(std::shared_ptr<ByteSource> bytes, const PhysicalFile& first);

  [[nodiscard]] std::uint64_t tasks() const noexcept { return tasks_; }
  /// What a task has used of its chunks; `task` counts those of the files before, `local` is its place in its own.
  [[nodiscard]] std::vector<Extent> chunks(const PhysicalFile& file, std::uint64_t local, std::uint64_t task) const;

 private:
  Notes(std::shared_ptr<ByteSource> bytes, std::uint64_t tasks) : bytes_(std::move(bytes)), tasks_(tasks) {}
  std::shared_ptr<ByteSource> bytes_;
  std::uint64_t tasks_;
};

}  // namespace quire::sion
