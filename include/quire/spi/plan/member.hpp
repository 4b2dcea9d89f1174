#pragma once

#include <cstdint>

namespace quire {

/// Files that belong together (the parts of a multifile, the files of a directory) share one address space: the high
/// bits of an address select the file, its member; the other bits are the offset in it. Member 0 is the file that is
/// opened. Plans, runs and publications of such a set contain addresses where those of one file contain offsets.
inline constexpr unsigned member_shift = 46;  ///< 64 TiB a file
inline constexpr std::uint64_t most_members = std::uint64_t{1} << (63 - member_shift);

/// Independent. Throws bad_file errors if the member or the offset is too large.
[[nodiscard]] std::uint64_t address_in(std::uint64_t member, std::uint64_t offset);

[[nodiscard]] constexpr std::uint64_t member_of(std::uint64_t address) noexcept { return address >> member_shift; }
[[nodiscard]] constexpr std::uint64_t offset_in(std::uint64_t address) noexcept {
  return address & ((std::uint64_t{1} << member_shift) - 1);
}

}  // namespace quire
