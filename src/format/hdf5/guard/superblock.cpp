#include "format/hdf5/guard/superblock.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <string>

#include "format/hdf5/guard/checksum.hpp"
#include "quire/spi/base/endian.hpp"

namespace quire::hdf5 {
namespace {

constexpr std::array<unsigned char, 8> file_signature{0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
constexpr std::size_t longest_superblock = 256;

/// An unsigned little-endian number of 2, 4, 8, 16 or 32 bytes; values of more than 64 bits are damage.
std::uint64_t number_at(std::span<const std::byte> bytes, std::size_t at, std::size_t width, std::uint64_t offset) {
  if (at + width > bytes.size()) throw Error(ErrorKind::bad_file, "the HDF5 superblock is cut").at(offset + at);
  std::uint64_t value = 0;
  for (std::size_t i = width; i-- > 0;) {
    const auto byte = std::to_integer<std::uint64_t>(bytes[at + i]);
    if (i >= 8 && byte != 0) throw Error(ErrorKind::bad_file, "an address exceeds 64 bits").at(offset + at);
    if (i < 8) value |= byte << (8 * i);
  }
  return value;
}

bool is_width(std::size_t width) { return width == 2 || width == 4 || width == 8 || width == 16 || width == 32; }

/// The end of the data of a file whose superblock is not at the offset that it states: bytes were inserted or removed
/// before it, and everything was moved with it. HDF5 relies on any base address; if objects then lie beyond the end, it
/// leaks memory and reports that when the program ends.
std::uint64_t moved_end(std::uint64_t end, std::uint64_t base, std::uint64_t offset, std::uint64_t size) {
  const auto distance = offset - base;  // modulo 2^64, as the sum
  const std::uint64_t moved = end + distance;
  const bool has_moved = end >= base && (offset >= base || end >= base - offset) && moved >= size;
  if (has_moved) return moved;
  throw Error(ErrorKind::bad_file, "the HDF5 superblock states that the data begin at byte " + std::to_string(base) +
                                       ", but is stored at " + std::to_string(offset) +
                                       ", and the end of the data does not match");
}

/// The positions of fields that depend on the version.
struct Shape {
  std::size_t widths = 0;        ///< of the two bytes with the sizes of offsets and lengths
  std::size_t addresses = 0;     ///< of the base address
  std::size_t end_index = 0;     ///< which address is the end of file
  std::size_t driver_index = 0;  ///< which address is that of driver information
  std::size_t count = 0;         ///< number of addresses
  std::size_t tail = 0;          ///< bytes after the addresses, without those of offsets
  std::size_t tail_offsets = 0;
};

Shape shape_of(unsigned version, std::uint64_t offset) {
  switch (version) {
    // In versions 0 and 1 the symbol table entry of the root group follows the four addresses.
    case 0:
      return {
          .widths = 13, .addresses = 24, .end_index = 2, .driver_index = 3, .count = 4, .tail = 24, .tail_offsets = 2};
    case 1:
      return {
          .widths = 13, .addresses = 28, .end_index = 2, .driver_index = 3, .count = 4, .tail = 24, .tail_offsets = 2};
    case 2:
    case 3:
      return {
          .widths = 9, .addresses = 12, .end_index = 2, .driver_index = 1, .count = 4, .tail = 4, .tail_offsets = 0};
    default:
      throw Error(ErrorKind::unsupported, "HDF5 superblock version " + std::to_string(version) + " is unknown")
          .at(offset + 8);
  }
}

}  // namespace

std::optional<std::uint64_t> find_signature(const ReadBytes& read, std::uint64_t size) {
  for (std::uint64_t offset = 0; offset < size && size - offset >= file_signature.size();
       offset = offset == 0 ? 512 : offset * 2) {
    std::array<std::byte, file_signature.size()> bytes{};
    if (read(offset, bytes) == bytes.size() && std::memcmp(bytes.data(), file_signature.data(), bytes.size()) == 0) {
      return offset;
    }
    if (offset > size / 2) break;
  }
  return std::nullopt;
}

Error cut_error(const Superblock& block, std::uint64_t size) {
  return Error(ErrorKind::bad_file, "the file is cut: it has " + std::to_string(size) +
                                        " bytes, its HDF5 superblock states " + std::to_string(block.end))
      .at(size);
}

std::vector<std::byte> superblock_with_end_moved(const ReadBytes& read, const Superblock& block,
                                                 std::uint64_t further) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(block.length));
  bytes.resize(read(block.offset, bytes));
  const Shape shape = shape_of(block.version, block.offset);
  const std::size_t place = shape.addresses + shape.end_index * block.address_width;
  if (block.address_width != sizeof(std::uint64_t) || bytes.size() < place + sizeof(std::uint64_t)) {
    throw Error(ErrorKind::unsupported, "files with addresses of other than 8 bytes are not changed").at(block.offset);
  }
  store(bytes.data() + place, load<std::uint64_t>(bytes.data() + place, ByteOrder::little) + further,
        ByteOrder::little);
  if (block.version >= 2) {
    const std::size_t end = bytes.size() - sizeof(std::uint32_t);
    store(bytes.data() + end, checksum(std::span(bytes).first(end)), ByteOrder::little);
  }
  return bytes;
}

std::string cut_advice(CutFiles cut) {
  if (cut == CutFiles::refused) return "copy it again, or fetch it from a backup";
  return "copy it again, fetch it from a backup, keep its complete steps with quire recover, or read what is whole "
         "with "
         "the option cut=true (--read-option cut=true)";
}

Superblock read_superblock(const ReadBytes& read, std::uint64_t size, CutFiles cut) {
  const auto offset = find_signature(read, size);
  if (!offset) throw Error(ErrorKind::bad_file, "no HDF5 signature").at(0);
  std::array<std::byte, longest_superblock> buffer{};
  const std::size_t available = read(*offset, buffer);
  const std::span<const std::byte> bytes(buffer.data(), available);

  Superblock block{.offset = *offset};
  block.version = static_cast<unsigned>(number_at(bytes, 8, 1, *offset));
  const Shape shape = shape_of(block.version, *offset);
  const std::size_t width = number_at(bytes, shape.widths, 1, *offset);
  const std::size_t lengths = number_at(bytes, shape.widths + 1, 1, *offset);
  if (!is_width(width) || !is_width(lengths)) {
    throw Error(ErrorKind::bad_file, "the HDF5 superblock has impossible sizes of offsets and lengths")
        .at(*offset + shape.widths);
  }
  block.address_width = width;
  block.length = shape.addresses + (shape.count + shape.tail_offsets) * width + shape.tail;
  if (block.length > available) throw Error(ErrorKind::bad_file, "the HDF5 superblock is cut").at(*offset + available);
  // The last address, or the second offset of the symbol table entry.
  const std::size_t root_index = shape.tail_offsets == 0 ? shape.count - 1 : shape.count + 1;
  block.root = number_at(bytes, shape.addresses + root_index * width, width, *offset);
  block.end = number_at(bytes, shape.addresses + shape.end_index * width, width, *offset);
  if (width == sizeof(std::uint64_t)) {
    constexpr auto undefined = std::numeric_limits<std::uint64_t>::max();
    const std::uint64_t driver = number_at(bytes, shape.addresses + shape.driver_index * width, width, *offset);
    if (driver != undefined) block.driver = driver;
  }
  const std::uint64_t base = number_at(bytes, shape.addresses, width, *offset);
  if (base != *offset) {
    try {
      block.end = moved_end(block.end, base, *offset, size);
    } catch (Error& error) {
      throw error.at(*offset + shape.addresses);
    }
  }
  if (block.end > size && cut != CutFiles::read) {
    throw cut_error(block, size).advise(cut_advice(cut));
  }
  if (block.end < *offset + block.length) {
    throw Error(ErrorKind::bad_file, "the HDF5 superblock states that the file ends inside it")
        .at(*offset + shape.addresses + shape.end_index * width);
  }
  return block;
}

}  // namespace quire::hdf5
