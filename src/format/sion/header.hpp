#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "quire/base/error.hpp"
#include "quire/spi/base/endian.hpp"

namespace quire::sion {

inline constexpr std::int32_t newest_version = 5;
inline constexpr std::int32_t oldest_version = 2;
inline constexpr std::size_t name_bytes = 1024;
/// The patch level of the reference, and that of files of Quire that store the origins of their merged streams. No
/// reader uses it (specs/sion.md section 13). It is stored in the header: a file that has lost its end still shows that
/// it had origins.
inline constexpr std::int32_t reference_patch = 6;
inline constexpr std::int32_t remembering_patch = 0x51524F06;
/// Bytes of the first metadata block without its two arrays; those of version 2 lack three fields.
inline constexpr std::uint64_t fixed_bytes = 1088;
inline constexpr std::uint64_t missing_in_version_2 = 20;

/// The format of streams that are records with keys.
enum class KeyMode : std::int32_t { none = 50, inside = 51, meta = 52, hash = 53, unknown = 54 };

/// The first metadata block of a physical file, as stored: specs/sion.md section 1.1.
struct Header {
  ByteOrder order = ByteOrder::little;       ///< of all numbers of the metadata
  ByteOrder data_order = ByteOrder::little;  ///< of the data, as the writer has stated it
  std::int32_t writer_version = 1007;
  std::int32_t writer_patch = reference_patch;
  std::int32_t version = newest_version;
  std::int32_t block_size = 0;
  std::int32_t tasks = 0;
  std::int32_t files = 1;
  std::int32_t file_number = 0;
  KeyMode keys = KeyMode::none;
  std::string name;
  std::vector<std::int64_t> ranks;
  std::vector<std::int64_t> chunk_sizes;
  std::int32_t blocks = 0;
  std::int64_t second = 0;  ///< where the second metadata block begins; 0: the file was not closed

  /// Whether the origins of merged streams must be stored after the end.
  [[nodiscard]] bool must_remember() const noexcept { return writer_patch == remembering_patch; }
};

/// The offset of the arrays in a file of this version, and the offset of the last two fields.
[[nodiscard]] std::uint64_t arrays_at(std::int32_t version) noexcept;
[[nodiscard]] std::uint64_t blocks_at(std::int32_t version, std::uint64_t tasks);
[[nodiscard]] std::uint64_t header_bytes(std::uint64_t tasks);

/// A bad_file error at an offset.
[[nodiscard]] Error damaged(const std::string& what, std::uint64_t offset);

[[nodiscard]] bool has_magic(std::span<const std::byte> head) noexcept;

/// Reads the part before the arrays; `bytes` contains all of it, at least arrays_at() bytes. Throws a bad_file error
/// for impossible values; `lenient` accepts versions that are newer than this program.
[[nodiscard]] Header parse_fixed(std::span<const std::byte> bytes, bool lenient);

/// The first metadata block without its last two fields, which publish the file.
[[nodiscard]] std::vector<std::byte> print_header(const Header& header);

/// Consecutive numbers.
template <class Number>
[[nodiscard]] std::vector<std::byte> print_numbers(std::span<const Number> numbers, ByteOrder order) {
  std::vector<std::byte> bytes(numbers.size() * sizeof(Number));
  for (std::size_t i = 0; i < numbers.size(); ++i) store(bytes.data() + i * sizeof(Number), numbers[i], order);
  return bytes;
}

}  // namespace quire::sion
