#pragma once

#include <cerrno>

namespace quire {

/// Whether an error of the operating system means that the disk is full or a quota or limit is exceeded.
[[nodiscard]] constexpr bool is_full(int error_number) noexcept {
  return error_number == ENOSPC || error_number == EDQUOT || error_number == EFBIG;
}

/// Advice for such errors.
inline constexpr const char* advice_to_make_room = "make room, or raise the quota or the limit of the file size";

}  // namespace quire
