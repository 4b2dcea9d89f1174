#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <stdexcept>

#include "quire/spi/plan/byte_source.hpp"

namespace quire::test {

/// Any bytes as a file, for parsers under test: a read that begins after their end is a defect of the parser.
class ExaminedBytes final : public ByteSource {
 public:
  explicit ExaminedBytes(std::span<const std::byte> bytes) : bytes_(bytes) {}
  [[nodiscard]] std::uint64_t size() override { return bytes_.size(); }
  [[nodiscard]] std::size_t read(std::uint64_t offset, std::span<std::byte> out) override {
    if (offset > bytes_.size()) throw std::logic_error("a read beyond the end of the file");
    const auto part = bytes_.subspan(static_cast<std::size_t>(offset));
    const std::size_t count = std::min(out.size(), part.size());
    std::copy_n(part.begin(), count, out.begin());
    return count;
  }

 private:
  std::span<const std::byte> bytes_;
};

}  // namespace quire::test
