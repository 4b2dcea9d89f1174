#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "quire/base/error.hpp"
#include "quire/spi/base/endian.hpp"

namespace quire::hdf5 {

/// A part of an object header, message or heap, with its offset in the file for errors. Access beyond its end is a
/// bad_file error.
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
  [[nodiscard]] std::uint64_t offset() const noexcept { return offset_; }
  [[nodiscard]] std::size_t size() const noexcept { return bytes_.size(); }
  [[nodiscard]] std::span<const std::byte> bytes() const noexcept { return bytes_; }
  [[noreturn]] void refuse(const std::string& why) const {
    throw Error(ErrorKind::bad_file, "the file's structure is damaged: a part of it " + why).at(offset_);
  }

 private:
  std::span<const std::byte> bytes_;
  std::uint64_t offset_;
};

}  // namespace quire::hdf5
