#include "format/hdf5/guard/type_check.hpp"

#include <algorithm>
#include <bit>
#include <vector>

namespace quire::hdf5 {
namespace {

// The numbers of datatype classes in the HDF5 file format specification.
enum class TypeClass : unsigned {
  integer,
  floating,
  time,
  text,
  bits,
  opaque,
  compound,
  reference,
  enumeration,
  variable,
  array,
  complex_number
};

constexpr std::size_t header_length = 8;
constexpr unsigned padded_names_until = 2;  ///< the last version that pads names to multiples of 8 bytes
constexpr unsigned last_version = 5;        ///< of HDF5 1.14 and 2.0; HDF5 itself reports unknown versions
constexpr unsigned first_complex_version = 5;
constexpr std::size_t deepest = 32;
constexpr std::uint32_t widest_number = 32;  ///< in bytes: twice the widest of processors

/// Parses the description of one type from front to back.
class TypeReader {
 public:
  explicit TypeReader(const Piece& message) : message_(message) {}

  /// Parses the type at the current position; returns the size in bytes of one element.
  std::uint32_t take(std::size_t depth) {
    if (depth > deepest) message_.refuse("is a type inside of too many others");
    const Piece head = part(header_length);
    const unsigned version = head.byte(0) >> 4U;
    const unsigned type_class = head.byte(0) & 0x0fU;
    if (version == 0 || version > last_version || type_class > static_cast<unsigned>(TypeClass::complex_number)) {
      head.refuse("is not a type");
    }
    if (type_class == static_cast<unsigned>(TypeClass::complex_number)) refuse_complex(head, version);
    const unsigned count = head.byte(1) + 256U * head.byte(2);
    const auto size = head.number<std::uint32_t>(4);
    const bool is_number = type_class <= static_cast<unsigned>(TypeClass::floating);
    if (is_number && size > widest_number) head.refuse("is a number of " + std::to_string(size) + " bytes");
    switch (static_cast<TypeClass>(type_class)) {
      case TypeClass::integer:
      case TypeClass::bits:
        part(4);
        break;
      case TypeClass::floating:
        if ((head.byte(1) & 0x30U) == 0x30U) head.refuse("is a floating type of an unknown kind");
        part(12);
        break;
      case TypeClass::time:
        part(2);
        break;
      case TypeClass::opaque:
        part(count & 0xffU);
        break;
      case TypeClass::compound:
        take_members(version, count, size, depth);
        break;
      case TypeClass::enumeration:
        if (take_names(version, count, depth) != size) head.refuse("is a list of names for numbers of another size");
        break;
      case TypeClass::variable:
        take(depth + 1);
        break;
      case TypeClass::array:
        take_array(version, size, depth);
        break;
      case TypeClass::text:
      case TypeClass::reference:
      case TypeClass::complex_number:
        break;
    }
    return size;
  }

 private:
  Piece part(std::size_t length) {
    const Piece found = message_.part(position_, length);
    position_ += length;
    return found;
  }

  [[noreturn]] static void refuse_complex(const Piece& head, unsigned version) {
    if (version < first_complex_version) head.refuse("is not a type");
    throw Error(ErrorKind::unsupported, "the complex numbers of HDF5 2.0 are not read")
        .at(head.offset())
        .advise("write real and imaginary parts as members of a compound, or as datasets of their own");
  }

  void take_name(unsigned version) {
    const auto rest = message_.bytes().subspan(position_);
    const auto end = std::ranges::find(rest, std::byte{0});
    if (end == rest.end()) message_.refuse("is an unterminated name");
    const std::size_t length = static_cast<std::size_t>(end - rest.begin()) + 1;
    part(version <= padded_names_until ? (length + 7) / 8 * 8 : length);
  }

  /// The bytes of a record that a member occupies.
  struct Place {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
  };

  void take_members(unsigned version, unsigned count, std::uint32_t record, std::size_t depth) {
    std::vector<Place> places;
    for (unsigned member = 0; member < count; ++member) places.push_back(take_member(version, record, depth));
    std::ranges::sort(places, {}, &Place::begin);
    const auto overlap = [](const Place& first, const Place& second) { return second.begin < first.end; };
    if (std::ranges::adjacent_find(places, overlap) != places.end()) message_.refuse("has members that overlap");
  }

  Place take_member(unsigned version, std::uint32_t record, std::size_t depth) {
    take_name(version);
    // Later versions store the offset in as few bytes as the size of the record needs.
    const std::size_t width = version <= padded_names_until ? 4 : (std::bit_width(record | 1U) + 7) / 8;
    const Piece bytes = part(width);
    std::uint64_t offset = 0;
    for (std::size_t i = width; i-- > 0;) offset = 256 * offset + bytes.byte(i);
    std::uint64_t elements = 1;
    if (version == 1) {
      constexpr std::size_t most_dimensions = 4;
      const Piece shape = part(12 + 4 * most_dimensions);
      if (shape.byte(0) > most_dimensions) shape.refuse("is a member of too many dimensions");
      // Four extents of 32 bits can wrap around.
      for (std::size_t axis = 0; axis < shape.byte(0) && elements <= record; ++axis) {
        elements *= shape.number<std::uint32_t>(12 + 4 * axis);
      }
    }
    const std::uint64_t size = take(depth + 1);
    if (offset > record || elements > record || size * elements > record - offset) {
      message_.refuse("is a member outside of its record");
    }
    return {offset, offset + size * elements};
  }

  std::uint32_t take_names(unsigned version, unsigned count, std::size_t depth) {
    const std::uint32_t width = take(depth + 1);
    for (unsigned name = 0; name < count; ++name) take_name(version);
    part(std::size_t{width} * count);
    return width;
  }

  void take_array(unsigned version, std::uint32_t size, std::size_t depth) {
    const bool is_old = version <= padded_names_until;
    const std::size_t dimensions = part(is_old ? 4 : 1).byte(0);
    const Piece extents = part(4 * dimensions);
    if (is_old) part(4 * dimensions);  // permutations, which were never used
    std::uint64_t bytes = take(depth + 1);
    for (std::size_t axis = 0; axis < dimensions && bytes <= size; ++axis) {
      bytes *= extents.number<std::uint32_t>(4 * axis);
    }
    if (bytes != size) extents.refuse("is an array of another size than its elements");
  }

  const Piece& message_;
  std::size_t position_ = 0;
};

}  // namespace

std::uint32_t check_type(const Piece& message) { return TypeReader(message).take(0); }

}  // namespace quire::hdf5
