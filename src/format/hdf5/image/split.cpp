#include "format/hdf5/image/split.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>
#include <utility>

#include "format/hdf5/guard/checksum.hpp"
#include "format/hdf5/guard/header_check.hpp"
#include "format/hdf5/guard/message_piece.hpp"
#include "quire/spi/base/checked.hpp"
#include "quire/spi/base/endian.hpp"

namespace quire::hdf5 {
namespace {

constexpr std::size_t name_length = 8;
constexpr std::size_t block_header = 16;
constexpr std::size_t most_information = 1024;  ///< HDF5 accepts shorter file names only
constexpr std::string_view variable = "%s";

/// The file of each type of data: superblock, B-trees, raw data, global heaps, local heaps, object headers; 1 is the
/// file of the superblock, 3 that of the raw data (H5Pset_fapl_split).
constexpr std::array<unsigned char, 6> members{1, 1, 3, 3, 1, 1};
constexpr std::size_t map_length = 8;
constexpr std::size_t names_at = map_length + 4 * sizeof(std::uint64_t);

Error unsupported(const std::string& what, std::uint64_t offset) {
  return Error(ErrorKind::unsupported, "HDF5's multi driver has written this file, and " + what)
      .at(offset)
      .advise("copy it to a single file with HDF5's own tools");
}

/// Reads one of the names, which are consecutive, each padded to a multiple of 8 bytes.
std::string take_name(const Piece& information, std::size_t& position) {
  const auto rest = information.bytes().subspan(std::min(position, information.size()));
  const auto end = std::ranges::find(rest, std::byte{0});
  if (end == rest.end()) information.refuse("has an unterminated name");
  std::string name(reinterpret_cast<const char*>(rest.data()), static_cast<std::size_t>(end - rest.begin()));
  const bool has_variable = name.find(variable) != name.npos && name.find('%') == name.rfind('%');
  if (!has_variable || name.find('/') != name.npos) {
    throw unsupported("the name of one of its files is \"" + name + "\", which does not contain %s exactly once",
                      information.offset() + position);
  }
  position += (name.size() + 1 + 7) / 8 * 8;
  return name;
}

Split parse(const Piece& information) {
  if (information.size() < names_at) information.refuse("is too short");
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (information.byte(i) == members[i]) continue;
    throw unsupported("its files are not just one of metadata and one of raw data", information.offset() + i);
  }
  const auto number = [&](std::size_t index) {
    return information.number<std::uint64_t>(map_length + index * sizeof(std::uint64_t));
  };
  if (number(0) != 0 || number(2) != first_raw_address) {
    throw unsupported("the addresses of its files do not begin where those of the split driver do",
                      information.offset() + map_length);
  }
  Split split{.first_name = {}, .raw_name = {}, .raw_end = number(3)};
  if (split.raw_end >= first_raw_place) information.refuse("gives the raw data more than 64 TiB");
  std::size_t position = names_at;
  split.first_name = take_name(information, position);
  split.raw_name = take_name(information, position);
  if (split.first_name == split.raw_name) information.refuse("has the same name twice");
  return split;
}

/// No value if the information is that of another driver; HDF5 refuses those itself.
std::optional<Split> parse_named(const Piece& name, const Piece& information) {
  if (std::memcmp(name.bytes().data(), split_information, name_length) != 0) return std::nullopt;
  return parse(information);
}

/// The block of old superblocks: version (1), 3 unused bytes, length (4), name (8), information.
std::optional<Split> read_block(const ReadBytes& read, std::uint64_t size, std::uint64_t address) {
  std::array<std::byte, block_header + most_information> buffer{};
  const std::size_t available = address < size ? read(address, buffer) : 0;
  const std::span<const std::byte> bytes(buffer.data(), available);
  const Piece block(bytes, address);
  if (block.size() < block_header) block.refuse("ends early");
  const auto length = block.number<std::uint32_t>(4);
  if (block.byte(0) != 0 || length > most_information || length > available - block_header) {
    block.part(0, block_header).refuse("is not driver information");
  }
  return parse_named(block.part(block_header - name_length, name_length), block.part(block_header, length));
}

/// The message of later superblocks: version (1), name (8), length (2), information.
std::optional<Split> parse_message(std::span<const std::byte> bytes, std::uint64_t address) {
  constexpr std::size_t length_at = 1 + name_length;
  const Piece message(bytes, address);
  const auto length = message.number<std::uint16_t>(length_at);
  return parse_named(message.part(1, name_length), message.part(length_at + sizeof length, length));
}

std::string replaced(std::string name, const std::string& common) {
  return name.replace(name.find(variable), variable.size(), common);
}

void append(std::vector<std::byte>& bytes, std::uint64_t number) {
  const std::size_t at = bytes.size();
  bytes.resize(at + sizeof number);
  store(bytes.data() + at, number, ByteOrder::little);
}

void append(std::vector<std::byte>& bytes, const std::string& name) {
  const auto text = std::as_bytes(std::span(name));
  bytes.insert(bytes.end(), text.begin(), text.end());
  bytes.resize((bytes.size() + 1 + 7) / 8 * 8);
}

}  // namespace

std::optional<std::string> Split::raw_name_beside(const std::string& first) const {
  const std::size_t before = first_name.find(variable);
  const std::size_t after = first_name.size() - before - variable.size();
  if (first.size() <= before + after || first.compare(0, before, first_name, 0, before) != 0) return std::nullopt;
  if (!first.ends_with(std::string_view(first_name).substr(before + variable.size()))) return std::nullopt;
  std::string raw = replaced(raw_name, first.substr(before, first.size() - before - after));
  if (raw == first) throw Error(ErrorKind::bad_file, "the file names itself as that of its raw data");
  return raw;
}

void Split::require_name(const std::string& first) const {
  if (raw_name_beside(first)) return;
  const std::size_t dot = first.rfind('.');
  const std::string common = dot == first.npos || dot == 0 ? first : first.substr(0, dot);
  throw Error(ErrorKind::usage, "the files of a split file must have the names " + names())
      .on("split")
      .advise("name it " + replaced(first_name, common));
}

std::string Split::names() const { return replaced(first_name, "NAME") + " and " + replaced(raw_name, "NAME"); }

std::vector<std::byte> Split::encode(std::uint64_t first_end) const {
  std::vector<std::byte> bytes;
  for (const unsigned char member : members) bytes.push_back(std::byte{member});
  bytes.resize(map_length);
  for (const std::uint64_t number : {std::uint64_t{0}, first_end, first_raw_address, raw_end}) append(bytes, number);
  append(bytes, first_name);
  append(bytes, raw_name);
  return bytes;
}

std::optional<Split> read_split(const ReadBytes& read, std::uint64_t size, const Superblock& superblock) {
  if (!superblock.driver || superblock.address_width != sizeof(std::uint64_t)) return std::nullopt;
  const std::uint64_t address = checked_add(superblock.offset, *superblock.driver);
  std::optional<Split> split;
  if (superblock.version < 2) {
    split = read_block(read, size, address);
  } else if (const auto message = driver_message(read, size, superblock.offset, address)) {
    split = parse_message(*message, address);
  }
  if (split && superblock.offset != 0) throw unsupported("it has a user block", 0);
  return split;
}

std::vector<std::byte> timeless_extension(const ReadBytes& read, const Superblock& superblock) {
  // Signature (4), version (1), flags (1), four times of 4, fields that depend on flags, length, messages, checksum
  // (4).
  constexpr std::size_t flags_at = 5;
  constexpr std::size_t times_at = 6;
  constexpr std::size_t times_length = 16;
  constexpr unsigned has_times = 0x20;
  constexpr unsigned has_limits = 0x10;
  constexpr std::size_t checksum_length = 4;
  if (superblock.version < 2 || !superblock.driver) return {};
  const std::uint64_t address = checked_add(superblock.offset, *superblock.driver);
  std::vector<std::byte> bytes(2 * most_information);
  bytes.resize(read(address, bytes));
  const Piece header(bytes, address);
  const unsigned flags = header.byte(flags_at);
  if ((flags & has_times) == 0) return {};
  const std::size_t length_at = times_at + times_length + ((flags & has_limits) != 0 ? 4 : 0);
  const std::size_t width = std::size_t{1} << (flags & 3U);
  std::uint64_t length = 0;
  for (std::size_t i = width; i-- > 0;) length = length << 8U | header.byte(length_at + i);
  const std::size_t begin = length_at + width;
  if (length > bytes.size() - begin || bytes.size() - begin - length < checksum_length)
    return {};  // of another program
  const auto end = static_cast<std::size_t>(begin + length);
  bytes.resize(end + checksum_length);
  std::fill_n(bytes.begin() + times_at, times_length, std::byte{0});
  store(bytes.data() + end, checksum(std::span(bytes).first(end)), ByteOrder::little);
  return bytes;
}

std::optional<std::string> named_raw_file(ByteSource& bytes, const std::string& first) {
  const ReadBytes read = [&bytes](std::uint64_t offset, std::span<std::byte> out) { return bytes.read(offset, out); };
  try {
    const auto split = read_split(read, bytes.size(), read_superblock(read, bytes.size(), CutFiles::read));
    return split ? split->raw_name_beside(first) : std::nullopt;
  } catch (const Error&) {
    return std::nullopt;  // too damaged to be read
  }
}

}  // namespace quire::hdf5
