#pragma once

#include <memory>

#include "quire/spi/plan/byte_source.hpp"
#include "quire/spi/transport/transport.hpp"

namespace quire {

/// The bytes of a file for a format, read by a transport that lives at least as long.
class TransportSource final : public ByteSource {
 public:
  explicit TransportSource(Transport& transport) : transport_(transport) {}
  [[nodiscard]] std::uint64_t size() override { return transport_.size(); }
  [[nodiscard]] std::size_t read(std::uint64_t offset, std::span<std::byte> out) override {
    return transport_.get(offset, out);
  }

 private:
  Transport& transport_;
};

}  // namespace quire
