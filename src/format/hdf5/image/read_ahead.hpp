#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "quire/spi/plan/byte_source.hpp"

namespace quire::hdf5 {

/// A file whose small reads read ahead as soon as two consecutive reads are close. The headers of a step's datasets
/// are, and libhdf5 requests each of them twice, some hundred bytes at a time. The index of a file of many steps is
/// scattered and is read without read-ahead. Keeps a few windows, of 64 KiB in total; later changes of their bytes are
/// not seen.
class ReadAhead final : public ByteSource {
 public:
  static constexpr std::size_t window_bytes = std::size_t{16} << 10;
  static constexpr std::size_t page_bytes = std::size_t{4} << 10;

  explicit ReadAhead(std::shared_ptr<ByteSource> source) : source_(std::move(source)) {}

  [[nodiscard]] std::uint64_t size() override { return source_->size(); }
  [[nodiscard]] std::size_t read(std::uint64_t offset, std::span<std::byte> out) override;

 private:
  struct Window {
    std::uint64_t offset = 0;
    std::vector<std::byte> bytes;

    [[nodiscard]] bool holds(std::uint64_t place, std::size_t length) const {
      return place >= offset && place - offset <= bytes.size() && length <= bytes.size() - (place - offset);
    }
  };

  std::shared_ptr<ByteSource> source_;
  std::array<Window, 4> windows_;
  std::size_t next_ = 0;    ///< the oldest window
  std::uint64_t last_ = 0;  ///< offset of the last read
};

}  // namespace quire::hdf5
