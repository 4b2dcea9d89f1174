#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "quire/base/error.hpp"

namespace quire {

/// Throws a memory error for a result larger than the memory of this machine: shapes in a file may be wrong, and the
/// system may overcommit memory.
inline void require_memory(std::uint64_t bytes, const std::string& object) {
  const long pages = ::sysconf(_SC_PHYS_PAGES);
  const long page = ::sysconf(_SC_PAGESIZE);
  if (pages <= 0 || page <= 0) return;
  const std::uint64_t have = static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page);
  if (bytes <= have) return;
  throw Error(ErrorKind::memory, "the values need at least " + std::to_string(bytes) + " bytes, and this machine has " +
                                     std::to_string(have))
      .on(object)
      .advise("read a part of them; quire check reports whether the file is damaged");
}

/// Fills an empty vector with so many zeros; large ones on huge pages, because page faults take most of the time of
/// reading into new memory (specs/performance.md section 5.12).
template <class Value>
void fill_new(std::vector<Value>& values, std::size_t count) {
  constexpr std::uintptr_t huge_page = 2 << 20;
  values.reserve(count);
  const std::uintptr_t end = reinterpret_cast<std::uintptr_t>(values.data()) + count * sizeof(Value);
  const std::uintptr_t begin =
      (reinterpret_cast<std::uintptr_t>(values.data()) + huge_page - 1) / huge_page * huge_page;
  // Advice only: without huge pages reading is slower.
  if (end > begin && end - begin >= huge_page) {
    static_cast<void>(::madvise(reinterpret_cast<void*>(begin), (end - begin) / huge_page * huge_page, MADV_HUGEPAGE));
  }
  values.resize(count);
}

}  // namespace quire
