#include "api/sidecar.hpp"

#include <sys/stat.h>
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <span>
#include <string_view>
#include <system_error>
#include <thread>

#include "api/root.hpp"
#include "base/index_mark.hpp"
#include "format/text/digits.hpp"
#include "quire/spi/base/endian.hpp"
#include "quire/spi/transport/transport.hpp"
#include "transport/failure.hpp"

namespace quire {
namespace {

constexpr std::uint32_t version = 5;
constexpr std::uint32_t header_bytes = 64;
/// After the magic, the version, these bytes, and the place, length and digest of the directory.
constexpr std::size_t flags_place = 40;
constexpr std::uint32_t unasked_flag = 1;
constexpr std::size_t alignment = 64;
constexpr std::uint32_t limits_record = 1;

/// Longer than the unit in which a kernel counts the times of files.
constexpr std::chrono::milliseconds tick{20};

std::uint64_t digest(std::span<const std::byte> bytes) { return XXH3_64bits(bytes.data(), bytes.size()); }

template <class Number>
void append_number(std::vector<std::byte>& bytes, Number number) {
  bytes.resize(bytes.size() + sizeof number);
  store(bytes.data() + bytes.size() - sizeof number, number, ByteOrder::little);
}

/// Text as a string of JSON.
std::string as_json(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (code < 0x20) {
      result += "\\u" + text::zero_padded(code, 4, 16);
      continue;
    }
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + '"';
}

/// A number in the order of its bytes in the index.
std::string in_hexadecimal(std::uint64_t number) {
  std::array<std::byte, sizeof number> bytes;
  store(bytes.data(), number, ByteOrder::little);
  std::string digits;
  for (const std::byte byte : bytes) digits += text::zero_padded(std::to_integer<std::uint64_t>(byte), 2, 16);
  return digits;
}

std::chrono::nanoseconds in_nanoseconds(const struct timespec& time) {
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

struct stat status_of(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) throw system_error("examine", errno).in_file(path);
  return status;
}

/// A later change of the file will change its times.
void wait_for_the_clock(const std::string& path) {
  const struct stat status = status_of(path);
  const auto age = std::chrono::system_clock::now().time_since_epoch() -
                   std::max(in_nanoseconds(status.st_mtim), in_nanoseconds(status.st_ctim));
  if (age >= std::chrono::nanoseconds(0) && age < tick) std::this_thread::sleep_for(tick - age);
}

void replace(const std::string& path, std::span<const std::byte> header, std::span<const std::byte> content,
             Asked asked) {
  const std::string partial = path + ".partial";
  const auto error = caught([&] {
    const auto file = open_transport("posix", partial, Access::create, Comm::self(), {});
    file->put(0, header);
    file->put(header.size(), content);
    // Of a file that was just written, this may wait for all of its values.
    if (asked == Asked::yes) file->sync(false);
    file->close();
    std::error_code code;
    std::filesystem::rename(partial, path, code);
    if (code) throw system_error("rename", code.value()).in_file(partial);
  });
  if (!error) return;
  std::error_code ignored;
  std::filesystem::remove(partial, ignored);
  throw Error(*error);
}

}  // namespace

std::string sidecar_path(const std::string& path) { return path + ".qix"; }

FileState state_of(const std::string& path) {
  const struct stat status = status_of(path);
  return {.device = status.st_dev,
          .node = status.st_ino,
          .size = static_cast<std::uint64_t>(status.st_size),
          .modified = in_nanoseconds(status.st_mtim).count()};
}

bool has_unasked_index(const std::string& path) {
  const std::string place = sidecar_path(path);
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(place, ignored)) return false;
  std::vector<std::byte> header(header_bytes);
  const auto error = caught([&] {
    const auto file = open_transport("posix", place, Access::read, Comm::self(), {});
    header.resize(file->get(0, header));
  });
  const auto mark = std::as_bytes(std::span(index_mark));
  if (error || header.size() < header_bytes || !std::equal(mark.begin(), mark.end(), header.begin())) return false;
  return (load<std::uint32_t>(header.data() + flags_place, ByteOrder::little) & unasked_flag) != 0;
}

void remove_unasked_index(const std::string& path) {
  if (!has_unasked_index(path)) return;
  std::error_code ignored;
  std::filesystem::remove(sidecar_path(path), ignored);
}

std::uint32_t Sidecar::index_of(const std::string& name) {
  const auto [place, is_new] = indices_.try_emplace(name, static_cast<std::uint32_t>(names_.size()));
  if (is_new) names_.push_back(name);
  return place->second;
}

std::uint64_t Sidecar::append(const std::vector<std::byte>& section) {
  content_.resize((content_.size() + alignment - 1) / alignment * alignment);
  const std::uint64_t offset = header_bytes + content_.size();
  content_.insert(content_.end(), section.begin(), section.end());
  return offset;
}

template <class Number>
void Sidecar::record(Number number) {
  append_number(records_, number);
}

void Sidecar::add(std::int64_t step, const std::string& table, const std::string& column, const BlockLimits& limits) {
  const std::vector<std::byte> section = limits.section();
  for (const std::uint32_t number :
       {limits_record, index_of(table), index_of(column), index_of(std::string(name(limits.type())))}) {
    record(number);
  }
  record(step);
  constexpr std::uint64_t first_row = 0;
  constexpr std::uint64_t form = 0;
  for (const std::uint64_t number : {first_row, limits.rows(), form, append(section)}) record(number);
  record(static_cast<std::uint64_t>(section.size()));
  record(digest(section));
  ++count_;
}

void Sidecar::write(const std::string& path, const FileState& state, Asked asked) {
  std::string names;
  for (const std::string& name : names_) names += (names.empty() ? "" : ", ") + as_json(name);
  const std::string directory =
      "{\"source\": {\"size\": " + std::to_string(state.size) + ", \"modified\": " + std::to_string(state.modified) +
      ", \"options\": {}}, \"block_rows\": " + std::to_string(BlockLimits::block_rows) + ", \"names\": [" + names +
      "], \"records\": [" + std::to_string(append(records_)) + ", " + std::to_string(count_) +
      "], \"records_digest\": \"" + in_hexadecimal(digest(records_)) + "\", \"before\": null}";
  const auto text = std::as_bytes(std::span(directory));
  const std::uint64_t place = append({text.begin(), text.end()});

  const auto mark = std::as_bytes(std::span(index_mark));
  std::vector<std::byte> header(mark.begin(), mark.end());
  append_number(header, version);
  append_number(header, header_bytes);
  append_number(header, place);
  append_number(header, static_cast<std::uint64_t>(text.size()));
  append_number(header, digest(text));
  append_number(header, asked == Asked::no ? unasked_flag : 0U);
  header.resize(header_bytes);
  replace(sidecar_path(path), header, content_, asked);
  wait_for_the_clock(path);
}

}  // namespace quire
