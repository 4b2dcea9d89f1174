#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "format/sion/physical_file.hpp"
#include "quire/spi/format/streams.hpp"
#include "quire/spi/plan/member.hpp"

namespace quire::sion {

/// The additional file of an incomplete set in which its writers note the used bytes of their chunks: a page for a
/// title, then for each task, in the order of files, a page of numbers, one for each chunk. Further chunks have further
/// pages in the same order.
inline constexpr std::string_view notes_suffix = ".notes";
inline constexpr std::uint64_t notes_member = most_members - 1;
inline constexpr std::uint64_t notes_page = notes_per_page * 8;

/// The offset of the number for a chunk.
[[nodiscard]] constexpr std::uint64_t note_at(std::uint64_t task, std::uint64_t tasks, std::uint64_t chunk) noexcept {
  return notes_page * (1 + task + chunk / notes_per_page * tasks) + chunk % notes_per_page * 8;
}

/// The title page. It distinguishes the notes of this file from those of an older file of the same name.
[[nodiscard]] std::vector<std::byte> print_notes_title(std::span<const std::byte> header, std::uint64_t tasks);

/// The notes of a set of files.
class Notes {
 public:
  /// The notes of the set that begins with `first`; nothing if the bytes are not notes of this set.
  [[nodiscard]] static std::optional<Notes> of(std::shared_ptr<ByteSource> bytes, const PhysicalFile& first);

  [[nodiscard]] std::uint64_t tasks() const noexcept { return tasks_; }
  /// The used parts of a task's chunks. `task` is its number in the set, `local` its place in its own file.
  [[nodiscard]] std::vector<Extent> chunks(const PhysicalFile& file, std::uint64_t local, std::uint64_t task) const;

 private:
  Notes(std::shared_ptr<ByteSource> bytes, std::uint64_t tasks) : bytes_(std::move(bytes)), tasks_(tasks) {}
  std::shared_ptr<ByteSource> bytes_;
  std::uint64_t tasks_;
};

}  // namespace quire::sion
