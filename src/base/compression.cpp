#include "base/compression.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>

namespace quire {
namespace {

struct Suffix {
  std::string_view text;
  Compression compression;
};

constexpr std::array suffixes{Suffix{".gz", Compression::gzip}, Suffix{".xz", Compression::xz},
                              Suffix{".lzma", Compression::xz}};

const Suffix* suffix_of(std::string_view path) noexcept {
  const auto* found = std::ranges::find_if(suffixes, [path](const Suffix& suffix) {
    return path.size() > suffix.text.size() && path.ends_with(suffix.text);
  });
  return found == suffixes.end() ? nullptr : found;
}

}  // namespace

std::string_view name(Compression compression) noexcept {
  switch (compression) {
    case Compression::none:
      return "none";
    case Compression::gzip:
      return "gzip";
    case Compression::xz:
      return "xz";
    case Compression::lzma:
      return "lzma";
  }
  return "none";
}

Compression compression_of(std::span<const std::byte> head) noexcept {
  const auto begins_with = [head](std::initializer_list<unsigned> magic) {
    return head.size() >= magic.size() &&
           std::equal(magic.begin(), magic.end(), head.begin(),
                      [](unsigned wanted, std::byte byte) { return wanted == std::to_integer<unsigned>(byte); });
  };
  if (begins_with({0x1f, 0x8b})) return Compression::gzip;
  if (begins_with({0xfd, '7', 'z', 'X', 'Z', 0x00})) return Compression::xz;
  // .lzma files have no magic number: this is the first byte that all programs write, and a dictionary of at least
  // 64 KiB.
  if (begins_with({0x5d, 0x00, 0x00})) return Compression::lzma;
  return Compression::none;
}

Compression compression_for_suffix(std::string_view path) noexcept {
  const Suffix* suffix = suffix_of(path);
  return suffix == nullptr ? Compression::none : suffix->compression;
}

std::string_view without_compression_suffix(std::string_view path) noexcept {
  const Suffix* suffix = suffix_of(path);
  return suffix == nullptr ? path : path.substr(0, path.size() - suffix->text.size());
}

}  // namespace quire
