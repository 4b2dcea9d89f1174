#include "format/sion/header.hpp"

#include <algorithm>
#include <cstring>

#include "quire/base/error.hpp"
#include "quire/spi/base/checked.hpp"

namespace quire::sion {
namespace {

constexpr std::array magic{std::byte{'s'}, std::byte{'i'}, std::byte{'o'}, std::byte{'n'}};

/// Byte offsets of the fields.
enum At : std::size_t {
  order_word = 4,
  writer_version = 8,
  writer_patch = 12,
  version_field = 16,
  block_size = 20,
  task_count = 24,
  file_count = 28,
  file_number = 32,
  key_mode = 36,
  name_field = 52,
};

ByteOrder order_of(std::byte flag) { return flag == std::byte{0} ? ByteOrder::little : ByteOrder::big; }

void read_orders(std::span<const std::byte> bytes, Header& header) {
  const auto word = bytes.subspan(order_word, 4);
  const auto is_flag = [](std::byte flag) { return flag == std::byte{0} || flag == std::byte{1}; };
  if (word[0] != word[3] || word[1] != word[2] || !is_flag(word[0]) || !is_flag(word[1])) {
    throw damaged("the word for the byte order has none of the four possible values", order_word);
  }
  header.order = order_of(word[0]);
  header.data_order = order_of(word[1]);
}

KeyMode key_mode_of(std::int64_t flag) {
  const std::int64_t mode = flag >> 32;
  if (mode == 0) return KeyMode::none;
  if (mode < 50 || mode > 54) throw damaged("the key-value mode " + std::to_string(mode) + " does not exist", key_mode);
  return static_cast<KeyMode>(mode);
}

}  // namespace

Error damaged(const std::string& what, std::uint64_t offset) { return Error(ErrorKind::bad_file, what).at(offset); }

std::uint64_t arrays_at(std::int32_t version) noexcept {
  const std::uint64_t present = name_field + name_bytes;
  return version <= 2 ? present - missing_in_version_2 : present;
}

std::uint64_t blocks_at(std::int32_t version, std::uint64_t tasks) {
  return checked_add(arrays_at(version), checked_multiply(tasks, 16));
}

std::uint64_t header_bytes(std::uint64_t tasks) { return checked_add(fixed_bytes, checked_multiply(tasks, 16)); }

bool has_magic(std::span<const std::byte> head) noexcept {
  return head.size() >= magic.size() && std::ranges::equal(head.first(magic.size()), magic);
}

Header parse_fixed(std::span<const std::byte> bytes, bool lenient) {
  if (!has_magic(bytes)) throw damaged("the file does not begin with the mark of a multifile", 0);
  Header header;
  read_orders(bytes, header);
  const auto word = [&](std::size_t at) { return load<std::int32_t>(bytes.data() + at, header.order); };
  header.writer_version = word(writer_version);
  header.writer_patch = word(writer_patch);
  header.version = word(version_field);
  if (header.version < oldest_version || (header.version > newest_version && !lenient)) {
    throw damaged("version " + std::to_string(header.version) + " of the format is not known", version_field)
        .advise("versions 2 to 5 are read; lenient=true tries newer ones");
  }
  header.block_size = word(block_size);
  if (header.block_size < 1) {
    throw damaged("the block size is " + std::to_string(header.block_size), block_size);
  }
  header.tasks = word(task_count);
  if (header.tasks < 1) throw damaged("the number of tasks is " + std::to_string(header.tasks), task_count);
  header.files = word(file_count);
  if (header.files < 1) throw damaged("the number of files is " + std::to_string(header.files), file_count);
  if (header.version <= 2) {
    header.file_number = 1;
  } else {
    header.file_number = word(file_number);
    header.keys = key_mode_of(load<std::int64_t>(bytes.data() + key_mode, header.order));
    const bool is_lone = header.files == 1 && header.file_number == 1;
    if (header.file_number < 0 || (header.file_number >= header.files && !is_lone)) {
      throw damaged("the header states that the file is number " + std::to_string(header.file_number) + " of " +
                        std::to_string(header.files),
                    file_number);
    }
  }
  const auto name = bytes.subspan(static_cast<std::size_t>(arrays_at(header.version)) - name_bytes, name_bytes);
  const auto end = std::ranges::find(name, std::byte{0});
  header.name.assign(reinterpret_cast<const char*>(name.data()), static_cast<std::size_t>(end - name.begin()));
  return header;
}

std::vector<std::byte> print_header(const Header& header) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(arrays_at(newest_version)));
  std::ranges::copy(magic, bytes.begin());
  const auto flag = [](ByteOrder order) { return order == ByteOrder::big ? std::byte{1} : std::byte{0}; };
  bytes[order_word] = bytes[order_word + 3] = flag(header.order);
  bytes[order_word + 1] = bytes[order_word + 2] = flag(header.data_order);
  const auto put = [&](std::size_t at, std::int32_t value) { store(bytes.data() + at, value, header.order); };
  put(writer_version, header.writer_version);
  put(writer_patch, header.writer_patch);
  put(version_field, header.version);
  put(block_size, header.block_size);
  put(task_count, header.tasks);
  put(file_count, header.files);
  put(file_number, header.file_number);
  store(bytes.data() + key_mode, static_cast<std::int64_t>(header.keys) << 32, header.order);
  std::memcpy(bytes.data() + name_field, header.name.data(), std::min(header.name.size(), name_bytes - 1));
  for (const auto* numbers : {&header.ranks, &header.chunk_sizes}) {
    const auto printed = print_numbers(std::span(*numbers), header.order);
    bytes.insert(bytes.end(), printed.begin(), printed.end());
  }
  return bytes;
}

}  // namespace quire::sion
