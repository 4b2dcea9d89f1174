#include "kernels/base64.hpp"

#include <array>

namespace quire::kernels {
namespace {

constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::uint8_t foreign = 64;
constexpr std::uint8_t blank = 65;
constexpr std::uint8_t equals = 66;

constexpr std::array<std::uint8_t, 256> make_values() {
  std::array<std::uint8_t, 256> values{};
  values.fill(foreign);
  for (std::size_t i = 0; i < alphabet.size(); ++i) {
    values[static_cast<unsigned char>(alphabet[i])] = static_cast<std::uint8_t>(i);
  }
  for (const char space : {' ', '\t', '\r', '\n'}) values[static_cast<unsigned char>(space)] = blank;
  values[static_cast<unsigned char>('=')] = equals;
  return values;
}
constexpr std::array<std::uint8_t, 256> value_of = make_values();

std::uint32_t value(char character) { return value_of[static_cast<unsigned char>(character)]; }

}  // namespace

void encode_base64(std::span<const std::byte> bytes, std::string& text) {
  const auto sextet = [&](std::uint32_t word, unsigned shift) { text.push_back(alphabet[(word >> shift) & 63U]); };
  text.reserve(text.size() + (bytes.size() + 2) / 3 * 4);
  std::size_t i = 0;
  for (; i + 3 <= bytes.size(); i += 3) {
    const auto word = std::to_integer<std::uint32_t>(bytes[i]) << 16U |
                      std::to_integer<std::uint32_t>(bytes[i + 1]) << 8U | std::to_integer<std::uint32_t>(bytes[i + 2]);
    for (const unsigned shift : {18U, 12U, 6U, 0U}) sextet(word, shift);
  }
  if (i == bytes.size()) return;
  const bool two = bytes.size() - i == 2;
  const auto word =
      std::to_integer<std::uint32_t>(bytes[i]) << 16U | (two ? std::to_integer<std::uint32_t>(bytes[i + 1]) << 8U : 0U);
  sextet(word, 18U);
  sextet(word, 12U);
  if (two) sextet(word, 6U);
  text.append(two ? "=" : "==");
}

std::optional<Base64Decoder::Step> Base64Decoder::decode(std::string_view text, std::span<std::byte> out) {
  Step step;
  const auto advance = [&](std::size_t characters) {
    step.used += characters;
    used_ += characters;
  };
  while (step.used < text.size()) {
    // Four characters are three bytes, if there is no other character among them.
    while (held_bits_ == 0 && padding_ == 0 && text.size() - step.used >= 4 && out.size() - step.made >= 3) {
      const char* next = text.data() + step.used;
      const std::uint32_t a = value(next[0]);
      const std::uint32_t b = value(next[1]);
      const std::uint32_t c = value(next[2]);
      const std::uint32_t d = value(next[3]);
      if ((a | b | c | d) >= foreign) break;
      const std::uint32_t word = a << 18U | b << 12U | c << 6U | d;
      out[step.made] = static_cast<std::byte>(word >> 16U);
      out[step.made + 1] = static_cast<std::byte>(word >> 8U & 255U);
      out[step.made + 2] = static_cast<std::byte>(word & 255U);
      step.made += 3;
      advance(4);
    }
    if (step.used == text.size()) break;
    const std::uint32_t next = value(text[step.used]);
    if (next == equals && padding_ < 2 && (held_bits_ == 4 || held_bits_ == 2 || padding_ > 0)) {
      ++padding_;
      held_bits_ = 0;
    } else if (next < foreign && padding_ == 0) {
      if (held_bits_ >= 2 && step.made == out.size()) break;
      bits_ = bits_ << 6U | next;
      held_bits_ += 6;
      if (held_bits_ >= 8) {
        held_bits_ -= 8;
        out[step.made++] = static_cast<std::byte>(bits_ >> held_bits_ & 255U);
      }
    } else if (next != blank) {
      return std::nullopt;
    }
    advance(1);
  }
  return step;
}

}  // namespace quire::kernels
