#include "driver/memory.hpp"

#include <malloc.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <string>

#include "quire/base/error.hpp"

namespace quire::bench {
namespace {

constexpr std::size_t huge_page = 2 << 20;

/// A line of /proc/self/status such as "VmHWM:   1234 kB", in bytes.
std::uint64_t status_of_process(const std::string& key) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(key + ":")) return std::stoull(line.substr(key.size() + 1)) * 1024;
  }
  throw Error(ErrorKind::unsupported, "the system does not report the memory of a process (" + key + ")");
}

}  // namespace

Arena::Arena(std::size_t bytes) : size_((std::max<std::size_t>(bytes, 1) + huge_page - 1) / huge_page * huge_page) {
  // One huge page more than needed, so that the first byte can be aligned to one.
  void* mapped = mmap(nullptr, size_ + huge_page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) throw system_error("reserve memory", errno);
  auto* const start = static_cast<std::byte*>(mapped);
  const std::size_t skipped = (huge_page - reinterpret_cast<std::uintptr_t>(start) % huge_page) % huge_page;
  first_ = start + skipped;
  if (skipped > 0) munmap(start, skipped);
  if (skipped < huge_page) munmap(first_ + size_, huge_page - skipped);
  madvise(first_, size_, MADV_HUGEPAGE);
  std::memset(first_, 1, size_);
}

Arena::~Arena() { munmap(first_, size_); }

MemoryPeak::MemoryPeak() {
  // What earlier work has freed must not serve this one unseen.
  malloc_trim(0);
  std::ofstream reset("/proc/self/clear_refs");
  if (!(reset << "5" << std::flush)) {
    throw Error(ErrorKind::unsupported, "the system does not let a process reset its peak of memory");
  }
  before_ = status_of_process("VmRSS");
}

std::uint64_t MemoryPeak::extra() const {
  const std::uint64_t peak = status_of_process("VmHWM");
  return peak > before_ ? peak - before_ : 0;
}

}  // namespace quire::bench
