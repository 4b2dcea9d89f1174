#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace quire {

/// The compression of a whole file.
enum class Compression : std::uint8_t { none, gzip, xz, lzma };

/// The name of a compression for users; "none" for none.
[[nodiscard]] std::string_view name(Compression compression) noexcept;

/// The first bytes of a file, which indicate its compression and most formats.
inline constexpr std::size_t recognised_bytes = 512;

/// Independent. The compression that the first bytes of a file indicate, independent of its name.
[[nodiscard]] Compression compression_of(std::span<const std::byte> head) noexcept;

/// Independent. The compression for a new file with this name: gzip for ".gz", xz for ".xz" and ".lzma".
[[nodiscard]] Compression compression_for_suffix(std::string_view path) noexcept;

/// Independent. The path without the suffix of a compression, if it has one.
[[nodiscard]] std::string_view without_compression_suffix(std::string_view path) noexcept;

}  // namespace quire
