#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <stdexcept>
#include <variant>
#include <vector>

#include "quire/spi/plan/plan.hpp"

namespace quire::test {

/// A file in memory that runs plans as a transport does: ready bytes at once, encoded and decoded ones in pieces.
class MemoryFile {
 public:
  explicit MemoryFile(std::size_t bytes) : bytes_(bytes, std::byte{0xcc}) {}

  [[nodiscard]] std::vector<std::byte>& bytes() { return bytes_; }

  void run(const WritePlan& plan, std::size_t piece) {
    for (const WriteExtent& extent : plan.extents) {
      const std::span<std::byte> place = at(extent.offset, extent.length);
      if (const auto* ready = std::get_if<const std::byte*>(&extent.source)) {
        std::copy_n(*ready, place.size(), place.begin());
      } else {
        encode(*std::get<std::shared_ptr<Encoder>>(extent.source), place, piece);
      }
    }
  }

  void run(const ReadPlan& plan, std::size_t piece) {
    for (const ReadExtent& extent : plan.extents) {
      const std::span<std::byte> place = at(extent.offset, extent.length);
      if (auto* const* ready = std::get_if<std::byte*>(&extent.target)) {
        std::ranges::copy(place, *ready);
      } else {
        decode(*std::get<std::shared_ptr<Decoder>>(extent.target), place, piece);
      }
    }
  }

 private:
  std::span<std::byte> at(std::uint64_t offset, std::uint64_t length) {
    if (offset + length > bytes_.size()) throw std::out_of_range("an extent lies outside of the file");
    return std::span(bytes_).subspan(offset, length);
  }

  /// Each piece is a separate allocation of its exact size, so that a sanitizer detects every overrun.
  static void encode(Encoder& encoder, std::span<std::byte> place, std::size_t piece) {
    for (std::size_t done = 0; done < place.size();) {
      std::vector<std::byte> buffer(std::min(piece, place.size() - done));
      const std::size_t made = encoder.encode(done, buffer);
      ASSERT_GE(made, 1U);
      ASSERT_LE(made, buffer.size());
      std::copy_n(buffer.begin(), made, place.begin() + static_cast<std::ptrdiff_t>(done));
      done += made;
    }
  }

  static void decode(Decoder& decoder, std::span<const std::byte> place, std::size_t piece) {
    std::size_t room = piece;
    for (std::size_t done = 0; done < place.size();) {
      const std::size_t given = std::min(room, place.size() - done);
      const auto from = place.begin() + static_cast<std::ptrdiff_t>(done);
      const std::vector<std::byte> buffer(from, from + static_cast<std::ptrdiff_t>(given));
      const std::size_t used = decoder.decode(done, buffer);
      ASSERT_LE(used, given);
      ASSERT_TRUE(used != 0 || given < place.size() - done) << "the decoder refuses all there is";
      room = used == 0 ? room * 2 : piece;
      done += used;
    }
  }

  std::vector<std::byte> bytes_;
};

}  // namespace quire::test
