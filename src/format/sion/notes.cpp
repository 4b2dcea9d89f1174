#include "format/sion/notes.hpp"

#include <xxhash.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

namespace quire::sion {
namespace {

constexpr std::array<char, 8> mark{'Q', 'U', 'I', 'R', 'E', 'u', 's', 'e'};
constexpr std::size_t title_bytes = 24;

}  // namespace

std::vector<std::byte> print_notes_title(std::span<const std::byte> header, std::uint64_t tasks) {
  std::vector<std::byte> bytes(title_bytes);
  std::memcpy(bytes.data(), mark.data(), mark.size());
  store(bytes.data() + 8, static_cast<std::uint64_t>(XXH3_64bits(header.data(), header.size())), ByteOrder::little);
  store(bytes.data() + 16, tasks, ByteOrder::little);
  return bytes;
}

std::optional<Notes> Notes::of(std::shared_ptr<ByteSource> bytes, const PhysicalFile& first) {
  if (!bytes) return std::nullopt;
  std::array<std::byte, title_bytes> title;
  if (bytes->read(0, title) != title.size()) return std::nullopt;
  const auto tasks = load<std::uint64_t>(title.data() + 16, ByteOrder::little);
  std::vector<std::byte> header(static_cast<std::size_t>(blocks_at(first.header().version, first.tasks())));
  if (first.source()->read(0, header) != header.size()) return std::nullopt;
  const auto wanted = print_notes_title(header, tasks);
  if (!std::ranges::equal(title, wanted) || tasks < first.tasks()) return std::nullopt;
  return Notes(std::move(bytes), tasks);
}

std::vector<Extent> Notes::chunks(const PhysicalFile& file, std::uint64_t local, std::uint64_t task) const {
  std::vector<Extent> chunks = file.possible_chunks(local);
  std::array<std::byte, notes_page> page;
  std::size_t there = 0;
  for (std::uint64_t chunk = 0; chunk < chunks.size(); ++chunk) {
    if (chunk % notes_per_page == 0) {
      const std::uint64_t at = note_at(task, tasks_, chunk);
      there = at < bytes_->size() ? bytes_->read(at, page) : 0;
    }
    const auto place = static_cast<std::size_t>(chunk % notes_per_page * 8);
    const std::uint64_t used = place + 8 <= there ? load<std::uint64_t>(page.data() + place, ByteOrder::little) : 0;
    Extent& extent = chunks[static_cast<std::size_t>(chunk)];
    extent.length = std::min(extent.length, used);
  }
  std::erase_if(chunks, [](const Extent& chunk) { return chunk.length == 0; });
  return chunks;
}

}  // namespace quire::sion
