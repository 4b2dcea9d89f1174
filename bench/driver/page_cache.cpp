#include "driver/page_cache.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <set>
#include <thread>

#include "driver/raw_file.hpp"
#include "quire/base/error.hpp"

namespace quire::bench {
namespace {

/// Pages of a file, and those of them that are in memory.
struct Pages {
  std::uint64_t all = 0;
  std::uint64_t resident = 0;
  bool is_known = true;
};

Pages pages_of(const FileEntry& entry) {
  if (entry.bytes == 0) return {};
  const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  Pages pages{.all = (entry.bytes + page - 1) / page};
  const RawFile file(entry.path, O_RDONLY);
  void* const mapped = mmap(nullptr, entry.bytes, PROT_READ, MAP_SHARED, file.descriptor(), 0);
  if (mapped == MAP_FAILED) return {.is_known = false};
  std::vector<unsigned char> states(pages.all);
  pages.is_known = mincore(mapped, entry.bytes, states.data()) == 0;
  munmap(mapped, entry.bytes);
  pages.resident =
      static_cast<std::uint64_t>(std::ranges::count_if(states, [](int state) { return (state & 1) != 0; }));
  return pages;
}

}  // namespace

template <class Use>
void PageCache::for_mine(const std::vector<FileEntry>& files, const Use& use) {
  std::optional<Error> error;
  try {
    for (auto f = static_cast<std::size_t>(node_.rank()); f < files.size();
         f += static_cast<std::size_t>(node_.size())) {
      use(files[f]);
    }
  } catch (const Error& caught) {
    error = caught;
  }
  agree(comm_, error);
}

std::optional<double> PageCache::resident(const std::vector<FileEntry>& files) {
  std::array<std::uint64_t, 3> sums{};
  for_mine(files, [&](const FileEntry& file) {
    const Pages pages = pages_of(file);
    sums[0] += pages.all;
    sums[1] += pages.resident;
    sums[2] += pages.is_known ? 0 : 1;
  });
  comm_.sum(sums);
  if (sums[0] == 0 || sums[2] > 0) return std::nullopt;
  return static_cast<double>(sums[1]) / static_cast<double>(sums[0]);
}

void PageCache::sync(const std::vector<FileEntry>& files, bool entries) {
  for_mine(files, [](const FileEntry& file) { RawFile(file.path, O_RDONLY).sync(); });
  if (!entries) return;
  std::optional<Error> error;
  try {
    std::set<std::string> folders;
    for (const FileEntry& file : files) folders.insert(std::filesystem::path(file.path).parent_path().string());
    if (comm_.is_root()) std::ranges::for_each(folders, sync_folder);
  } catch (const Error& caught) {
    error = caught;
  }
  agree(comm_, error);
}

std::optional<double> PageCache::evict(const std::vector<FileEntry>& files) {
  constexpr int turns = 20;
  std::optional<double> left;
  for (int turn = 0; turn < turns; ++turn) {
    sync(files, false);
    for_mine(files, [](const FileEntry& entry) {
      const RawFile file(entry.path, O_RDONLY);
      posix_fadvise(file.descriptor(), 0, 0, POSIX_FADV_DONTNEED);
    });
    left = resident(files);
    if (!left || *left <= cold_until) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return left;
}

void PageCache::warm(const std::vector<FileEntry>& files) {
  for_mine(files, [](const FileEntry& entry) {
    const RawFile file(entry.path, O_RDONLY);
    std::vector<std::byte> memory(RawFile::piece);
    TransportCounters counters;
    for (std::uint64_t at = 0; at < entry.bytes; at += memory.size()) {
      const auto length = static_cast<std::size_t>(std::min<std::uint64_t>(memory.size(), entry.bytes - at));
      file.read(at, std::span(memory).first(length), counters);
    }
  });
}

}  // namespace quire::bench
