#include "format/hdf5/image/journal.hpp"

#include <xxhash.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <string_view>
#include <type_traits>

#include "quire/spi/base/endian.hpp"

namespace quire::hdf5 {
namespace {

constexpr std::string_view head_magic = "QUIREJNL";
constexpr std::string_view tail_magic = "LNJERIUQ";
constexpr std::uint32_t journal_version = 1;
constexpr std::size_t head_length = 8 + 4 + 4 + 8;
constexpr std::size_t tail_length = 8 + 8 + 8;

void append(std::vector<std::byte>& bytes, std::span<const std::byte> more) {
  const std::size_t size = bytes.size();
  bytes.resize(size + more.size());
  if (!more.empty()) std::memcpy(bytes.data() + size, more.data(), more.size());
}

template <class Number>
requires std::is_integral_v<Number>
void append(std::vector<std::byte>& bytes, Number number) {
  std::array<std::byte, sizeof(Number)> stored{};
  store(stored.data(), number, ByteOrder::little);
  append(bytes, std::span<const std::byte>(stored));
}

void append(std::vector<std::byte>& bytes, std::string_view text) { append(bytes, std::as_bytes(std::span(text))); }

bool is_magic(std::span<const std::byte> bytes, std::string_view magic) {
  return std::memcmp(bytes.data(), magic.data(), magic.size()) == 0;
}

/// Parses the ranges; no value if they are inconsistent.
std::optional<Journal> parse(std::span<const std::byte> body, std::uint64_t start) {
  const auto version = load<std::uint32_t>(body.data() + 8, ByteOrder::little);
  const auto count = load<std::uint32_t>(body.data() + 12, ByteOrder::little);
  if (version != journal_version || load<std::uint64_t>(body.data() + 16, ByteOrder::little) != start) return {};
  Journal journal{.overwrites = {}, .start = start};
  std::span<const std::byte> rest = body.subspan(head_length);
  for (std::uint32_t i = 0; i < count; ++i) {
    if (rest.size() < 16) return {};
    const auto offset = load<std::uint64_t>(rest.data(), ByteOrder::little);
    const auto length = load<std::uint64_t>(rest.data() + 8, ByteOrder::little);
    rest = rest.subspan(16);
    if (length > rest.size() || offset > start || length > start - offset) return {};
    journal.overwrites.write(offset, rest.first(length));
    rest = rest.subspan(length);
  }
  return rest.empty() ? std::optional(std::move(journal)) : std::nullopt;
}

}  // namespace

std::vector<std::byte> encode_journal(const std::vector<PublishWrite>& overwrites, std::uint64_t start) {
  std::vector<std::byte> bytes;
  append(bytes, head_magic);
  append(bytes, journal_version);
  append(bytes, static_cast<std::uint32_t>(overwrites.size()));
  append(bytes, start);
  for (const PublishWrite& write : overwrites) {
    append(bytes, write.offset);
    append(bytes, static_cast<std::uint64_t>(write.bytes.size()));
    append(bytes, std::span<const std::byte>(write.bytes));
  }
  append(bytes, static_cast<std::uint64_t>(XXH64(bytes.data(), bytes.size(), 0)));
  append(bytes, static_cast<std::uint64_t>(bytes.size() + 16));
  append(bytes, tail_magic);
  return bytes;
}

std::optional<Journal> find_journal(const ReadBytes& read, std::uint64_t size, std::uint64_t budget) {
  if (size < head_length + tail_length) return {};
  std::array<std::byte, tail_length> tail{};
  if (read(size - tail_length, tail) != tail_length) return {};
  const std::span<const std::byte> tail_bytes(tail);
  if (!is_magic(tail_bytes.subspan(16), tail_magic)) return {};
  const auto total = load<std::uint64_t>(tail.data() + 8, ByteOrder::little);
  if (total > size || total > budget || total < head_length + tail_length) return {};
  const std::uint64_t start = size - total;
  std::vector<std::byte> bytes(static_cast<std::size_t>(total));
  if (read(start, bytes) != bytes.size() || !is_magic(bytes, head_magic)) return {};
  const auto body = std::span<const std::byte>(bytes).first(bytes.size() - tail_length);
  if (XXH64(body.data(), body.size(), 0) != load<std::uint64_t>(tail.data(), ByteOrder::little)) return {};
  return parse(body, start);
}

namespace {

/// Moves the overwrites to the end of the publication, the part with the superblock last.
void add_overwrites(Publication& acts, std::vector<PublishWrite> overwrites, const Superblock& superblock) {
  const auto holds = [&](const PublishWrite& write) {
    return superblock.offset >= write.offset && superblock.offset - write.offset < write.bytes.size();
  };
  std::ranges::stable_partition(overwrites, [&](const PublishWrite& write) { return !holds(write); });
  for (PublishWrite& write : overwrites) acts.emplace_back(std::move(write));
}

}  // namespace

Publication make_publication(const ByteMap& bytes, std::uint64_t old_end, std::uint64_t new_end,
                             const Superblock& superblock) {
  constexpr auto everything = std::numeric_limits<std::uint64_t>::max();
  Publication acts;
  const std::uint64_t fresh_from = old_end == 0 ? superblock.offset + superblock.length : old_end;
  for (PublishWrite& write : bytes.joined(fresh_from, std::min(everything, new_end)))
    acts.emplace_back(std::move(write));
  std::vector<PublishWrite> overwrites = bytes.joined(0, std::min(fresh_from, new_end));
  if (old_end == 0) {
    acts.emplace_back(PublishResize{new_end});
    acts.emplace_back(PublishSync{});
    for (PublishWrite& write : overwrites) acts.emplace_back(std::move(write));
    acts.emplace_back(PublishSync{});
    return acts;
  }
  if (overwrites.empty()) return acts;
  // A file that shrinks keeps its old bytes until the very end.
  const std::uint64_t start = std::max(old_end, new_end);
  std::vector<std::byte> journal = encode_journal(overwrites, start);
  acts.emplace_back(PublishWrite{start, std::move(journal)});
  acts.emplace_back(PublishSync{});
  add_overwrites(acts, std::move(overwrites), superblock);
  acts.emplace_back(PublishSync{});
  acts.emplace_back(PublishResize{new_end});
  return acts;
}

Publication complete(const Journal& journal) {
  Publication acts;
  std::vector<PublishWrite> overwrites;
  for (const auto& [offset, bytes] : journal.overwrites.ranges()) overwrites.push_back({offset, bytes});
  // The superblock precedes all other HDF5 structures.
  std::ranges::reverse(overwrites);
  for (PublishWrite& write : overwrites) acts.emplace_back(std::move(write));
  acts.emplace_back(PublishSync{});
  acts.emplace_back(PublishResize{journal.start});
  return acts;
}

}  // namespace quire::hdf5
