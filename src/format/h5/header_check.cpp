#include "format/h5/header_check.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "quire/base/checked.hpp"
#include "quire/base/endian.hpp"
#include "quire/base/error.hpp"

namespace quire::h5 {
namespace {

constexpr std::uint16_t type_message = 0x03;
constexpr std::uint16_t layout_message = 0x08;
constexpr std::uint16_t attribute_message = 0x0c;
constexpr std::uint16_t continuation_message = 0x10;
constexpr unsigned shared_flag = 2;
constexpr std::size_t most_dimensions = 32;

/// A part of an object header or message, with its place in the file for errors.
class Piece {
 public:
  Piece(std::span<const std::byte> bytes, std::uint64_t offset) : bytes_(bytes), offset_(offset) {}

  template <class Number>
  [[nodiscard]] Number number(std::size_t at) const {
    if (at > bytes_.size() || bytes_.size() - at < sizeof(Number)) refuse("ends early");
    return load<Number>(bytes_.data() + at, ByteOrder::little);
  }
  [[nodiscard]] unsigned byte(std::size_t at) const { return number<std::uint8_t>(at); }
  [[nodiscard]] Piece part(std::size_t from, std::size_t length) const {
    if (from > bytes_.size() || bytes_.size() - from < length) refuse("is larger than its message");
    return {bytes_.subspan(from, length), offset_ + from};
  }
  [[nodiscard]] std::size_t size() const noexcept { return bytes_.size(); }
  [[nodiscard]] std::span<const std::byte> bytes() const noexcept { return bytes_; }
  [[noreturn]] void refuse(const std::string& why) const {
    throw Error(ErrorKind::bad_file, "an object header is damaged: a part of it " + why).at(offset_);
  }

 private:
  std::span<const std::byte> bytes_;
  std::uint64_t offset_;
};

/// The number of elements that a shape announces.
std::uint64_t elements_of(const Piece& shape) {
  const unsigned version = shape.byte(0);
  const unsigned rank = shape.byte(1);
  if (version < 1 || version > 2 || rank > most_dimensions) shape.refuse("is no shape");
  constexpr unsigned null_space = 2;
  if (version == 2 && shape.byte(3) == null_space) return 0;
  const std::size_t first = version == 1 ? 8 : 4;
  const bool has_limits = (shape.byte(2) & 1U) != 0;
  static_cast<void>(shape.part(first, (has_limits ? 2 : 1) * 8 * std::size_t{rank}));
  std::uint64_t count = 1;
  for (std::size_t axis = 0; axis < rank; ++axis) {
    count = checked_multiply(count, shape.number<std::uint64_t>(first + 8 * axis));
  }
  return count;
}

/// The bytes of one element.
std::uint64_t element_size(const Piece& type) {
  const unsigned type_class = type.byte(0) & 0x0fU;
  constexpr unsigned integer_class = 0;
  constexpr unsigned float_class = 1;
  const std::size_t properties = type_class == integer_class ? 4 : type_class == float_class ? 12 : 0;
  static_cast<void>(type.part(0, 8 + properties));
  return type.number<std::uint32_t>(4);
}

void check_attribute(const Piece& message) {
  const unsigned version = message.byte(0);
  if (version < 1 || version > 3) message.refuse("has an unknown version");
  const unsigned flags = version == 1 ? 0 : message.byte(1);
  const std::size_t name_size = message.number<std::uint16_t>(2);
  const std::size_t type_size = message.number<std::uint16_t>(4);
  const std::size_t shape_size = message.number<std::uint16_t>(6);
  const auto padded = [version](std::size_t size) { return version == 1 ? (size + 7) / 8 * 8 : size; };
  std::size_t position = version == 3 ? 9 : 8;

  const Piece name = message.part(position, name_size);
  if (std::ranges::find(name.bytes(), std::byte{0}) == name.bytes().end()) name.refuse("is a name without end");
  position += padded(name_size);
  const Piece type = message.part(position, type_size);
  position += padded(type_size);
  const Piece shape = message.part(position, shape_size);
  position += padded(shape_size);
  // What is shared stands elsewhere; its sizes are not known here.
  if ((flags & 3U) != 0) return;
  const std::uint64_t length = checked_multiply(elements_of(shape), element_size(type));
  if (position > message.size() || length > message.size() - position) message.refuse("holds more than its message");
}

/// The bytes of one element by a layout message, if it is of chunks and of version 3.
std::optional<std::uint32_t> chunk_element_size(const Piece& message) {
  constexpr unsigned known_version = 3;
  constexpr unsigned chunked_class = 2;
  if (message.byte(0) != known_version || message.byte(1) != chunked_class) return std::nullopt;
  // The sides of a chunk, and as the last one the size of an element.
  constexpr std::size_t first_side = 11;
  const std::size_t sides = message.byte(2);
  std::uint32_t side = 0;
  for (std::size_t i = 0; i < sides; ++i) {
    side = message.number<std::uint32_t>(first_side + 4 * i);
    if (side == 0) message.refuse("announces chunks that hold nothing");
  }
  return side;
}

/// Calls `use(type, is_shared, message)` for each message of an object header of version 1.
template <class Use>
void for_each_message(const ReadBytes& read, std::uint64_t size, std::uint64_t base, std::uint64_t address, Use&& use) {
  const auto bytes_at = [&](std::uint64_t offset, std::uint64_t length) {
    if (offset > size || length > size - offset) {
      throw Error(ErrorKind::bad_file, "an object header reaches beyond the end of the file").at(offset);
    }
    std::vector<std::byte> bytes(static_cast<std::size_t>(length));
    if (read(offset, bytes) != bytes.size()) throw Error(ErrorKind::bad_file, "the file ends early").at(offset);
    return bytes;
  };
  constexpr std::uint64_t prefix_length = 16;
  const std::vector<std::byte> prefix = bytes_at(address, prefix_length);
  if (prefix[0] != std::byte{1}) return;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> chunks{
      {address + prefix_length, load<std::uint32_t>(prefix.data() + 8, ByteOrder::little)}};
  std::set<std::uint64_t> seen;
  for (std::size_t c = 0; c < chunks.size(); ++c) {
    const auto [offset, length] = chunks[c];
    if (!seen.insert(offset).second) throw Error(ErrorKind::bad_file, "an object header runs in a circle").at(offset);
    const std::vector<std::byte> bytes = bytes_at(offset, length);
    const Piece chunk(bytes, offset);
    for (std::size_t position = 0; position + 8 <= chunk.size();) {
      const auto type = chunk.number<std::uint16_t>(position);
      const auto message_length = chunk.number<std::uint16_t>(position + 2);
      const bool is_shared = (chunk.byte(position + 4) & shared_flag) != 0;
      const Piece message = chunk.part(position + 8, message_length);
      use(type, is_shared, message);
      if (type == continuation_message) {
        chunks.emplace_back(checked_add(base, message.number<std::uint64_t>(0)), message.number<std::uint64_t>(8));
      }
      position += 8 + std::size_t{message_length};
    }
  }
}

}  // namespace

void check_attribute_messages(const ReadBytes& read, std::uint64_t size, std::uint64_t base, std::uint64_t address) {
  for_each_message(read, size, base, address, [](std::uint16_t type, bool is_shared, const Piece& message) {
    if (type == attribute_message && !is_shared) check_attribute(message);
  });
}

void check_chunk_messages(const ReadBytes& read, std::uint64_t size, std::uint64_t base, std::uint64_t address) {
  std::optional<std::uint32_t> of_type;
  std::optional<std::uint32_t> of_chunk;
  for_each_message(read, size, base, address, [&](std::uint16_t type, bool is_shared, const Piece& message) {
    if (type == type_message && !is_shared) of_type = message.number<std::uint32_t>(4);
    if (type == layout_message && !is_shared) of_chunk = chunk_element_size(message);
  });
  if (of_type && of_chunk && of_type != of_chunk) {
    throw Error(ErrorKind::bad_file, "the elements of the chunks have " + std::to_string(*of_chunk) +
                                         " bytes, those of the data set " + std::to_string(*of_type))
        .at(address);
  }
}

std::optional<std::uint32_t> stored_element_bytes(const ReadBytes& read, std::uint64_t size, std::uint64_t base,
                                                  std::uint64_t address) {
  std::optional<std::uint32_t> bytes;
  for_each_message(read, size, base, address, [&](std::uint16_t type, bool is_shared, const Piece& message) {
    if (type == type_message && !is_shared) bytes = message.number<std::uint32_t>(4);
  });
  return bytes;
}

}  // namespace quire::h5
