#pragma once

#include <unistd.h>

#include <cstdint>
#include <string>

#include "quire/base/error.hpp"

namespace quire {

/// Throws a memory error for a result of more bytes than this machine has memory: what a file says of its shapes need
/// not be true, and a system may promise memory that it does not have.
inline void require_memory(std::uint64_t bytes, const std::string& object) {
  const long pages = ::sysconf(_SC_PHYS_PAGES);
  const long page = ::sysconf(_SC_PAGESIZE);
  if (pages <= 0 || page <= 0) return;
  const std::uint64_t have = static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page);
  if (bytes <= have) return;
  throw Error(ErrorKind::memory, "the values take " + std::to_string(bytes) + " bytes at least, and this machine has " +
                                     std::to_string(have))
      .on(object)
      .advise("read a part of them; quire check tells whether the file is damaged and claims more than it holds");
}

}  // namespace quire
