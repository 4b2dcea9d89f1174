#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace quire {

/// How all bytes of a file are coded, whatever they mean.
enum class Compression : std::uint8_t { none, gzip, xz, lzma };

/// The name of a compression, as users see it; "none" for none.
[[nodiscard]] std::string_view name(Compression compression) noexcept;

/// Independent. By the first bytes of a file, never by its name.
[[nodiscard]] Compression compression_of(std::span<const std::byte> head) noexcept;

/// Independent. What is written under a name: ".gz" asks for gzip, ".xz" and ".lzma" for xz.
[[nodiscard]] Compression compression_for_suffix(std::string_view path) noexcept;

/// Independent. The path without the suffix of a compression, if it has one.
[[nodiscard]] std::string_view without_compression_suffix(std::string_view path) noexcept;

}  // namespace quire
