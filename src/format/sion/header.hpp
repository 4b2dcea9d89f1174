#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "quire/base/endian.hpp"

namespace quire::sion {

inline constexpr std::int32_t newest_version = 5;
inline constexpr std::int32_t oldest_version = 2;
inline constexpr std::size_t name_bytes = 1024;
/// The patch level of the reference, and that of our files which remember whose bytes their merged streams hold. No
/// reader looks at it (specs/sion.md section 13), and it stands in the header: a file that has lost its end still tells
/// what was there.
inline constexpr std::int32_t reference_patch = 6;
inline constexpr std::int32_t remembering_patch = 0x51524F06;
/// Bytes of the first metadata block without its two arrays; those of version 2 lack three fields.
inline constexpr std::uint64_t fixed_bytes = 1088;
inline constexpr std::uint64_t missing_in_version_2 = 20;

/// How streams are written as records with keys.
enum class KeyMode : std::int32_t { none = 50, inside = 51, meta = 52, hash = 53, unknown = 54 };

/// The first metadata block of a physical file, as it stands there: specs/sion.md section 1.1.
struct Header {
  ByteOrder order = ByteOrder::little;       ///< of all numbers of the metadata
  ByteOrder data_order = ByteOrder::little;  ///< of the data, as the writer has noted it
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

  /// Whether whose bytes merged streams hold must stand behind the end.
  [[nodiscard]] bool must_remember() const noexcept { return writer_patch == remembering_patch; }
};

/// Where the arrays begin in a file of this version, and where the last two fields are.
[[nodiscard]] std::uint64_t arrays_at(std::int32_t version) noexcept;
[[nodiscard]] std::uint64_t blocks_at(std::int32_t version, std::uint64_t tasks);
[[nodiscard]] std::uint64_t header_bytes(std::uint64_t tasks);

[[nodiscard]] bool has_magic(std::span<const std::byte> head) noexcept;

/// Reads the part before the arrays; `bytes` has it whole, at least what arrays_at() says. Throws bad_file errors for
/// what no file can have; `lenient` accepts versions that are newer than this program.
[[nodiscard]] Header parse_fixed(std::span<const std::byte> bytes, bool lenient);

/// The block as it is written at first: without the last two fields, which publish the file.
[[nodiscard]] std::vector<std::byte> print_header(const Header& header);

/// Numbers one behind the other.
template <class Number>
[[nodiscard]] std::vector<std::byte> print_numbers(std::span<const Number> numbers, ByteOrder order) {
  std::vector<std::byte> bytes(numbers.size() * sizeof(Number));
  for (std::size_t i = 0; i < numbers.size(); ++i) store(bytes.data() + i * sizeof(Number), numbers[i], order);
  return bytes;
}

}  // namespace quire::sion
