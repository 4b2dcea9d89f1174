#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "quire/base/error.hpp"
#include "quire/spi/plan/plan.hpp"
#include "support/error_of.hpp"

// Bytes that are determined by their file offset, and helpers to write and check them.
namespace quire::test {

/// The byte at this offset of every test file: a misplaced byte is most likely wrong.
inline std::byte pattern_at(std::uint64_t offset) {
  std::uint64_t mixed = (offset + 1) * 0x9e3779b97f4a7c15U;
  mixed ^= mixed >> 29;
  return static_cast<std::byte>(mixed >> 17);
}

inline std::vector<std::byte> pattern(std::uint64_t offset, std::size_t length) {
  std::vector<std::byte> bytes(length);
  for (std::size_t i = 0; i < length; ++i) bytes[i] = pattern_at(offset + i);
  return bytes;
}

/// Encodes the pattern in records of fixed size, and checks that it is called in order.
class PatternEncoder final : public Encoder {
 public:
  PatternEncoder(std::uint64_t offset, std::uint64_t record, std::optional<std::uint64_t> fails_at = {})
      : offset_(offset), record_(record), fails_at_(fails_at) {}

  [[nodiscard]] std::size_t encode(std::uint64_t position, std::span<std::byte> out) override {
    if (position != next_ || out.empty()) throw Error(ErrorKind::internal, "an encoder was called out of order");
    const std::uint64_t whole = (position + out.size()) / record_ * record_;
    const std::size_t length = whole > position ? static_cast<std::size_t>(whole - position) : out.size();
    if (fails_at_ && position + length > *fails_at_) {
      throw Error(ErrorKind::type, "a value does not fit").at(offset_ + *fails_at_);
    }
    for (std::size_t i = 0; i < length; ++i) out[i] = pattern_at(offset_ + position + i);
    next_ = position + length;
    return length;
  }

 private:
  std::uint64_t offset_;
  std::uint64_t record_;
  std::optional<std::uint64_t> fails_at_;
  std::uint64_t next_ = 0;
};

/// Decodes whole records, keeps the bytes, and checks that it is called in order.
class KeepingDecoder final : public Decoder {
 public:
  explicit KeepingDecoder(std::uint64_t record, std::optional<std::uint64_t> fails_at = {})
      : record_(record), fails_at_(fails_at) {}

  [[nodiscard]] std::size_t decode(std::uint64_t position, std::span<const std::byte> in) override {
    if (position != bytes.size()) throw Error(ErrorKind::internal, "a decoder was called out of order");
    const std::size_t whole = in.size() / record_ * record_;
    if (fails_at_ && position + whole > *fails_at_) throw Error(ErrorKind::bad_file, "damaged").at(*fails_at_);
    bytes.insert(bytes.end(), in.begin(), in.begin() + static_cast<std::ptrdiff_t>(whole));
    return whole;
  }

  std::vector<std::byte> bytes;

 private:
  std::uint64_t record_;
  std::optional<std::uint64_t> fails_at_;
};

inline std::vector<std::byte> bytes_of_file(const std::string& path) {
  std::vector<std::byte> bytes(std::filesystem::file_size(path));
  std::ifstream file(path, std::ios::binary);
  file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  return bytes;
}

inline void make_file(const std::string& path, std::span<const std::byte> bytes) {
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

/// A path in the folder of this test.
inline std::string scratch(const std::string& name) {
  const char* given = std::getenv("QUIRE_TEST_DIRECTORY");
  // Without the variable, tests use the system's directory for temporary files instead of the working directory.
  const std::filesystem::path directory =
      given != nullptr ? std::filesystem::path(given) : std::filesystem::temp_directory_path() / "quire-tests";
  if (given == nullptr) std::filesystem::create_directories(directory);
  return (directory / name).string();
}

}  // namespace quire::test
