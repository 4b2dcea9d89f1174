#include "format/hdf5/guard/header_check.hpp"

#include <hdf5.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "format/hdf5/guard/checksum.hpp"
#include "format/hdf5/guard/message_piece.hpp"
#include "format/hdf5/guard/type_check.hpp"
#include "quire/base/error.hpp"
#include "quire/spi/base/checked.hpp"
#include "quire/spi/base/endian.hpp"

namespace quire::hdf5 {
namespace {

constexpr std::uint16_t space_message = 0x01;
constexpr std::uint16_t type_message = 0x03;
constexpr std::uint16_t old_fill_message = 0x04;
constexpr std::uint16_t fill_message = 0x05;
constexpr std::uint16_t link_message = 0x06;
constexpr std::uint16_t layout_message = 0x08;
constexpr std::uint16_t filter_message = 0x0b;
constexpr std::uint16_t attribute_message = 0x0c;
constexpr std::uint16_t continuation_message = 0x10;
constexpr std::uint16_t symbol_table_message = 0x11;
constexpr std::uint16_t driver_information = 0x14;
constexpr std::uint16_t reference_count_message = 0x16;
constexpr unsigned shared_flag = 2;
constexpr std::size_t most_dimensions = 32;
constexpr std::uint64_t largest_header = std::uint64_t{16} << 20;  ///< hundreds of attributes of the largest size

/// The number of elements of a stored shape.
std::uint64_t elements_of(const Piece& shape) {
  const unsigned version = shape.byte(0);
  const unsigned rank = shape.byte(1);
  if (version < 1 || version > 2 || rank > most_dimensions) shape.refuse("is not a shape");
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
  if (std::ranges::find(name.bytes(), std::byte{0}) == name.bytes().end()) name.refuse("is an unterminated name");
  position += padded(name_size);
  const Piece type = message.part(position, type_size);
  position += padded(type_size);
  const Piece shape = message.part(position, shape_size);
  position += padded(shape_size);
  // A shared message is stored elsewhere; its sizes are not known here.
  if ((flags & 3U) != 0) return;
  const std::uint64_t count = elements_of(shape);
  const std::uint32_t width = check_type(type);
  const std::uint64_t length = checked_multiply(count, width);
  if (position > message.size() || length > message.size() - position) message.refuse("holds more than its message");
}

/// Checks a link of a group, of any kind that HDF5 knows.
void check_link(const Piece& message) {
  constexpr unsigned known_flags = 0x1f;
  constexpr unsigned has_order = 0x04;
  constexpr unsigned has_kind = 0x08;
  constexpr unsigned has_characters = 0x10;
  enum Kind : unsigned { hard = 0, soft = 1, first_of_users = 64 };

  const unsigned flags = message.byte(1);
  if (message.byte(0) != 1 || (flags & ~known_flags) != 0) message.refuse("is not a link");
  std::size_t position = 2;
  const unsigned kind = (flags & has_kind) != 0 ? message.byte(position++) : hard;
  if (kind > soft && kind < first_of_users) message.refuse("is a link of an unknown kind");
  if ((flags & has_order) != 0) position += sizeof(std::uint64_t);
  if ((flags & has_characters) != 0 && message.byte(position++) > 1) message.refuse("is a link in unknown characters");
  std::uint64_t length = 0;
  const std::size_t width = std::size_t{1} << (flags & 3U);
  for (std::size_t i = width; i-- > 0;) length = length << 8U | message.byte(position + i);
  position += width;
  if (length == 0) message.refuse("is a link without a name");
  position += message.part(position, length).size();
  if (kind == hard) {
    static_cast<void>(message.part(position, sizeof(std::uint64_t)));
  } else {
    const auto value = message.number<std::uint16_t>(position);
    if (value == 0) message.refuse("is a link to nothing");
    static_cast<void>(message.part(position + sizeof value, value));
  }
}

/// Whether a message of this type may be stored elsewhere, for several objects.
bool is_shareable(unsigned type) {
  constexpr std::array<unsigned, 6> shareable{space_message, type_message,   old_fill_message,
                                              fill_message,  filter_message, attribute_message};
  return std::ranges::find(shareable, type) != shareable.end();
}

/// Whether an object has at most one message of this type. HDF5 uses the first of several, which changes when a header
/// grows: its first messages move to a continuation.
bool is_unique(unsigned type) {
  constexpr std::array<unsigned, 4> unique{space_message, type_message, layout_message, symbol_table_message};
  return std::ranges::find(unique, type) != unique.end();
}

/// Checks the type of a message and its flags, as HDF5 does. It leaks memory when it refuses them after the address of
/// a continuation, and reports that when the program ends.
void check_frame(const Piece& message, unsigned type, unsigned flags, bool is_later) {
  constexpr unsigned never_shared = 0x04;
  constexpr unsigned fails_writers = 0x08;
  constexpr unsigned is_marked = 0x10;
  constexpr unsigned was_unknown = 0x20;
  constexpr unsigned may_be_shared = 0x40;
  constexpr unsigned fails_readers = 0x80;
  constexpr unsigned last_known = 0x18;
  const auto has = [flags](unsigned flag) { return (flags & flag) != 0; };
  if (type > last_known && has(fails_readers)) {
    throw Error(ErrorKind::unsupported,
                "an object header has a message of a later HDF5, which says that it must be known")
        .at(message.offset());
  }
  if ((has(shared_flag) && has(never_shared)) || (has(was_unknown) && (has(fails_writers) || !has(is_marked)))) {
    message.refuse("is a message with flags that contradict each other");
  }
  if (type <= last_known && has(may_be_shared) && !is_shareable(type)) {
    message.refuse("is a message that cannot be shared and says that it can");
  }
  if (type == reference_count_message && !is_later) message.refuse("is a reference count in a header of version 1");
}

constexpr unsigned chunked_class = 2;
constexpr unsigned virtual_class = 3;

/// The position of the sides of a chunk in a layout message; the size of an element follows as the last one.
struct Sides {
  std::size_t count = 0;
  std::size_t first = 0;
  std::size_t width = 0;
};

/// No value for other layouts and unknown versions.
std::optional<Sides> sides_of(const Piece& message) {
  switch (message.byte(0)) {
    case 1:
    case 2:
      if (message.byte(2) != chunked_class) return std::nullopt;
      return Sides{.count = message.byte(1), .first = 16, .width = 4};
    case 3:
      if (message.byte(1) != chunked_class) return std::nullopt;
      return Sides{.count = message.byte(2), .first = 11, .width = 4};
    case 4:
      if (message.byte(1) != chunked_class) return std::nullopt;
      return Sides{.count = message.byte(3), .first = 5, .width = message.byte(4)};
    default:
      return std::nullopt;
  }
}

/// Chunks according to a layout message.
struct ChunkShape {
  std::size_t rank = 0;
  std::uint64_t element_bytes = 0;
};

std::optional<ChunkShape> chunk_shape_of(const Piece& message) {
  const auto sides = sides_of(message);
  if (!sides) return std::nullopt;
  if (sides->count < 2 || sides->count > most_dimensions + 1 || sides->width > sizeof(std::uint64_t)) {
    message.refuse("declares chunks of an impossible shape");
  }
  std::uint64_t side = 0;
  for (std::size_t i = 0; i < sides->count; ++i) {
    side = 0;
    for (std::size_t byte = sides->width; byte-- > 0;) {
      side = side << 8U | message.byte(sides->first + sides->width * i + byte);
    }
    if (side == 0) message.refuse("declares chunks that hold nothing");
  }
  return ChunkShape{.rank = sides->count - 1, .element_bytes = side};
}

/// Refuses layouts that only a later library can read, which this library would report as damage.
void check_layout_version(const Piece& message) {
#if !H5_VERSION_GE(2, 0, 0)
  constexpr unsigned of_hdf5_2 = 5;
  if (message.byte(0) != of_hdf5_2) return;
  throw Error(ErrorKind::unsupported,
              "its layout is one of HDF5 2.0, which the HDF5 that Quire was built with cannot read")
      .advise(
          "write it with the bounds of an older version (libver='v110' in h5py), or copy it with these bounds with "
          "h5repack");
#else
  static_cast<void>(message);
#endif
}

bool is_virtual(const Piece& message) {
  constexpr unsigned first_version = 4;
  return message.byte(0) >= first_version && message.byte(1) == virtual_class;
}

constexpr unsigned first_version_with_length = 3;

/// The place of values that a layout message names, outside it and in this file; no value for other layouts, old
/// versions, and values that are not stored.
std::optional<ValuesPlace> values_place(const Piece& message) {
  constexpr unsigned contiguous_class = 1;
  constexpr std::uint64_t undefined_address = std::numeric_limits<std::uint64_t>::max();
  if (message.byte(0) < first_version_with_length || message.byte(1) != contiguous_class) return std::nullopt;
  const auto address = message.number<std::uint64_t>(2);
  if (address == undefined_address) return std::nullopt;
  return ValuesPlace{.address = address, .length = message.number<std::uint64_t>(10)};
}

/// The number of bytes of values that a layout message contains, if any.
std::optional<std::uint64_t> compact_bytes(const Piece& message) {
  constexpr unsigned compact_class = 0;
  const bool is_old = message.byte(0) < first_version_with_length;
  if (message.byte(is_old ? 2 : 1) != compact_class) return std::nullopt;
  if (!is_old) return message.part(4, message.number<std::uint16_t>(2)).size();
  const std::size_t after_sides = 8 + 4 * std::size_t{message.byte(1)};
  return message.part(after_sides + 4, message.number<std::uint32_t>(after_sides)).size();
}

/// The address of a type that has a header of its own; no value if a heap has it.
std::optional<std::uint64_t> committed_at(const Piece& message) {
  constexpr unsigned in_header = 2;
  const unsigned version = message.byte(0);
  if (version == 3 && message.byte(1) != in_header) return std::nullopt;
  return message.number<std::uint64_t>(version == 1 ? 8 : 2);
}

/// Reads the parts of object headers.
class HeaderReader {
 public:
  HeaderReader(const ReadBytes& read, std::uint64_t size, std::uint64_t base) : read_(read), size_(size), base_(base) {}

  /// Calls `use(type, is_shared, message)` for each message of an object header.
  template <class Use>
  void for_each_message(std::uint64_t address, const Use& use) {
    constexpr std::uint64_t shortest = 16;
    const std::vector<std::byte> start = bytes_at(address, shortest);
    const Piece prefix(start, address);
    if (prefix.byte(0) == 1) {
      start_with(address + shortest, prefix.number<std::uint32_t>(8));
      go_through([&](std::uint64_t offset, std::uint64_t length) {
        const std::vector<std::byte> bytes = bytes_at(offset, length);
        messages_of(Piece(bytes, offset), Shape{}, use);
      });
    } else if (prefix.number<std::uint32_t>(0) == later_signature) {
      const Shape shape = later_shape(prefix, address);
      start_with(address, shape.length);
      go_through([&](std::uint64_t offset, std::uint64_t length) {
        const std::vector<std::byte> bytes = bytes_at(offset, length);
        const Piece part = summed_part(bytes, offset);
        const bool is_first = offset == address;
        if (!is_first && part.number<std::uint32_t>(0) != part_signature) part.refuse("is not a part of a header");
        const std::size_t front = is_first ? shape.front : sizeof part_signature;
        messages_of(part.part(front, part.size() - std::min(front, part.size())), shape, use);
      });
    }  // otherwise it is not a header, which HDF5 reports itself
  }

  /// The parts of the header that was read last.
  [[nodiscard]] const std::vector<HeaderPart>& parts() const noexcept { return parts_; }

 private:
  /// The properties of headers that depend on the version.
  struct Shape {
    bool is_later = false;
    std::size_t message_header = 8;
    std::size_t front = 0;     ///< of the first part: bytes before its messages
    std::uint64_t length = 0;  ///< of the first part
  };
  static constexpr std::uint32_t later_signature = 0x5244484f;  // OHDR
  static constexpr std::uint32_t part_signature = 0x4b48434f;   // OCHK
  static constexpr std::size_t sum_length = 4;
  /// In bytes: the frame of a message in version 1; signature and checksum in later versions.
  static constexpr std::uint64_t shortest_part = 8;

  [[nodiscard]] std::vector<std::byte> bytes_at(std::uint64_t offset, std::uint64_t length) const {
    if (offset > size_ || length > size_ - offset) {
      throw Error(ErrorKind::bad_file, "an object header reaches beyond the end of the file").at(offset);
    }
    std::vector<std::byte> bytes(static_cast<std::size_t>(length));
    if (read_(offset, bytes) != bytes.size()) throw Error(ErrorKind::bad_file, "the file ends early").at(offset);
    return bytes;
  }

  [[nodiscard]] Shape later_shape(const Piece& prefix, std::uint64_t address) const {
    constexpr unsigned has_times = 0x20;
    constexpr unsigned has_limits = 0x10;
    constexpr unsigned has_order = 0x04;
    const unsigned flags = prefix.byte(5);
    const std::size_t width = std::size_t{1} << (flags & 3U);
    const std::size_t before = 6 + ((flags & has_times) != 0 ? 16 : 0) + ((flags & has_limits) != 0 ? 4 : 0);
    const std::vector<std::byte> bytes = bytes_at(address + before, width);
    std::uint64_t messages = 0;
    for (std::size_t i = width; i-- > 0;) messages = messages << 8U | std::to_integer<std::uint64_t>(bytes[i]);
    const std::size_t front = before + width;
    return {.is_later = true,
            .message_header = (flags & has_order) != 0 ? std::size_t{6} : std::size_t{4},
            .front = front,
            .length = checked_add(front + sum_length, messages)};
  }

  /// A part of a later header without its checksum, which must be correct: HDF5 1.10 leaks memory on a wrong checksum
  /// and reports that when the program ends.
  static Piece summed_part(std::span<const std::byte> bytes, std::uint64_t offset) {
    const Piece part(bytes, offset);
    const std::size_t length = bytes.size() - std::min(sum_length, bytes.size());
    if (part.number<std::uint32_t>(length) != checksum(bytes.first(length))) part.refuse("has a wrong checksum");
    return part.part(0, length);
  }

  void start_with(std::uint64_t offset, std::uint64_t length) {
    parts_.clear();
    seen_.clear();
    total_ = 0;
    add_part(offset, length);
  }

  /// Limits the bytes of a header before they are read: the size of the file alone is not sufficient, because it may
  /// have holes, nor is a check when a part is visited, because each part may name all others.
  void add_part(std::uint64_t offset, std::uint64_t length) {
    if (!seen_.insert(offset).second)
      throw Error(ErrorKind::bad_file, "the parts of an object header form a cycle").at(offset);
    total_ = checked_add(total_, length);
    if (total_ > std::min(size_, largest_header)) {
      throw Error(ErrorKind::bad_file, "an object header has " + std::to_string(total_) +
                                           " bytes or more: it cannot have more than " +
                                           (size_ < largest_header ? "the file" : std::to_string(largest_header)))
          .at(offset);
    }
    parts_.push_back({offset, length});
  }

  template <class Visit>
  void go_through(const Visit& visit) {
    for (std::size_t p = 0; p < parts_.size(); ++p) {
      const auto [offset, length] = parts_[p];  // a copy: a visit may add parts
      visit(offset, length);
    }
  }

  template <class Use>
  void messages_of(const Piece& part, const Shape& shape, const Use& use) {
    for (std::size_t position = 0; position + shape.message_header <= part.size();) {
      const unsigned type = shape.is_later ? part.byte(position) : part.number<std::uint16_t>(position);
      const auto length = part.number<std::uint16_t>(position + (shape.is_later ? 1 : 2));
      const unsigned flags = part.byte(position + (shape.is_later ? 3 : 4));
      const Piece message = part.part(position + shape.message_header, length);
      check_frame(message, type, flags, shape.is_later);
      // HDF5 ignores the flag of messages that cannot be shared, and reads these from here.
      const bool is_shared = (flags & shared_flag) != 0 && is_shareable(type);
      use(static_cast<std::uint16_t>(type), is_shared, message);
      if (type == continuation_message) {
        const auto rest = message.number<std::uint64_t>(8);
        if (rest < shortest_part) message.refuse("names a part of a header that is too short");
        add_part(checked_add(base_, message.number<std::uint64_t>(0)), rest);
      }
      position += shape.message_header + std::size_t{length};
    }
  }

  const ReadBytes& read_;
  std::uint64_t size_;
  std::uint64_t base_;
  std::vector<HeaderPart> parts_;
  std::set<std::uint64_t> seen_;  ///< where the parts begin
  std::uint64_t total_ = 0;       ///< bytes of the parts
};

}  // namespace

void check_attribute_messages(const ReadBytes& read, std::uint64_t size, std::uint64_t base, std::uint64_t address) {
  HeaderReader(read, size, base)
      .for_each_message(address, [&](std::uint16_t type, bool is_shared, const Piece& message) {
        if (type == attribute_message && !is_shared) check_attribute(message);
      });
}

SoundHeader check_header(const ReadBytes& read, std::uint64_t size, std::uint64_t base, std::uint64_t address,
                         Decoded decoded) {
  std::optional<std::uint64_t> of_type;
  std::optional<std::uint64_t> of_committed_type;
  std::optional<ChunkShape> chunk;
  std::optional<std::size_t> rank;
  std::optional<std::uint64_t> elements;
  std::optional<std::uint64_t> stored;
  SoundHeader header{.address = address};
  std::set<std::uint16_t> seen;
  HeaderReader reader(read, size, base);
  reader.for_each_message(address, [&](std::uint16_t type, bool is_shared, const Piece& message) {
    if (is_unique(type) && !seen.insert(type).second) message.refuse("is the second one of a kind that is unique");
    if (is_shared) {
      const auto elsewhere = type == type_message ? committed_at(message) : std::nullopt;
      if (elsewhere) of_committed_type = stored_element_bytes(read, size, base, *elsewhere + base);
      return;
    }
    if (type == type_message) of_type = check_type(message);
    if (type == space_message) {
      elements = elements_of(message);
      rank = message.byte(1);
    }
    if (type == link_message) check_link(message);
    if (type == attribute_message && decoded == Decoded::all) check_attribute(message);
    if (type == symbol_table_message) {
      header.symbols = {.tree = message.number<std::uint64_t>(0) + base,
                        .heap = message.number<std::uint64_t>(8) + base};
    }
    if (type != layout_message) return;
    check_layout_version(message);
    chunk = chunk_shape_of(message);
    header.values = values_place(message);
    stored = header.values ? header.values->length : compact_bytes(message);
    header.has_values_elsewhere = header.has_values_elsewhere || is_virtual(message);
  });
  if (stored && elements) {
    const std::uint64_t wanted = checked_multiply(*elements, of_type ? *of_type : of_committed_type.value_or(1));
    if (*stored < wanted) {
      throw Error(ErrorKind::bad_file, "the dataset has " + std::to_string(*stored) + " bytes of values instead of " +
                                           std::to_string(wanted))
          .at(address);
    }
  }
  // HDF5 1.10 looks for the chunks of a scalar forever.
  if (rank && chunk && *rank != chunk->rank) {
    throw Error(ErrorKind::bad_file,
                "the chunks have " + std::to_string(chunk->rank) + " dimensions, the dataset " + std::to_string(*rank))
        .at(address);
  }
  if (of_type && chunk && *of_type != chunk->element_bytes) {
    throw Error(ErrorKind::bad_file, "the elements of the chunks have " + std::to_string(chunk->element_bytes) +
                                         " bytes, those of the dataset " + std::to_string(*of_type))
        .at(address);
  }
  header.parts = reader.parts();
  return header;
}

std::optional<std::uint32_t> stored_element_bytes(const ReadBytes& read, std::uint64_t size, std::uint64_t base,
                                                  std::uint64_t address) {
  std::optional<std::uint32_t> bytes;
  HeaderReader(read, size, base)
      .for_each_message(address, [&](std::uint16_t type, bool is_shared, const Piece& message) {
        if (type == type_message && !is_shared) bytes = message.number<std::uint32_t>(4);
      });
  return bytes;
}

std::optional<std::vector<std::byte>> driver_message(const ReadBytes& read, std::uint64_t size, std::uint64_t base,
                                                     std::uint64_t address) {
  std::optional<std::vector<std::byte>> found;
  HeaderReader(read, size, base)
      .for_each_message(address, [&](std::uint16_t type, bool is_shared, const Piece& message) {
        if (type == driver_information && !is_shared) found.emplace(message.bytes().begin(), message.bytes().end());
      });
  return found;
}

}  // namespace quire::hdf5
