#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace quire::kernels {

/// Independent. Appends bytes as text in the alphabet of RFC 4648 section 4. The number of bytes must be a multiple of
/// 3, so that there is no padding, except at the end of the text.
void encode_base64(std::span<const std::byte> bytes, std::string& text);

/// Independent. Decodes such a text piece by piece. White space is skipped anywhere.
class Base64Decoder {
 public:
  struct Step {
    std::size_t used = 0;  ///< characters of the text
    std::size_t made = 0;  ///< bytes
  };
  /// Decodes until the text or the output is exhausted. Returns no value at an invalid character; error_at() returns
  /// its position.
  [[nodiscard]] std::optional<Step> decode(std::string_view text, std::span<std::byte> out);
  /// The number of characters before the invalid one, over all calls.
  [[nodiscard]] std::uint64_t error_at() const noexcept { return used_; }
  /// Whether the text may end here: not inside a byte.
  [[nodiscard]] bool may_end() const noexcept { return held_bits_ < 6; }

 private:
  std::uint32_t bits_ = 0;
  unsigned held_bits_ = 0;  ///< of bits_
  unsigned padding_ = 0;    ///< equals signs so far: after the first, only these may follow
  std::uint64_t used_ = 0;
};

}  // namespace quire::kernels
