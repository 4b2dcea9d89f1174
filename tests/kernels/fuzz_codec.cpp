// Entry point of a fuzzer: any bytes as a chunk of any pipeline; only bad_file errors may be thrown, and encoded bytes
// must decode to the original. Built as a fuzzer with QUIRE_FUZZ, and run by codec_test.cpp.
//
// The first byte is the number of filters and the mask, the next ones their numbers and first parameters, two more the
// size of the chunk.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include "kernels/codec.hpp"
#include "quire/base/error.hpp"

namespace {

using namespace quire;

constexpr std::array numbers{filter_number::deflate,   filter_number::shuffle, filter_number::fletcher32,
                             filter_number::zstandard, filter_number::lzf,     filter_number::lz4};

class Bytes {
 public:
  Bytes(const std::uint8_t* data, std::size_t size) : left_(data, size) {}
  [[nodiscard]] std::uint8_t next() {
    if (left_.empty()) return 0;
    const std::uint8_t byte = left_.front();
    left_ = left_.subspan(1);
    return byte;
  }
  [[nodiscard]] std::span<const std::byte> rest() const { return std::as_bytes(left_); }

 private:
  std::span<const std::uint8_t> left_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Bytes bytes(data, size);
  const std::uint8_t head = bytes.next();
  std::vector<Filter> pipeline(head % 4);
  for (Filter& filter : pipeline) {
    filter.number = numbers.at(bytes.next() % numbers.size());
    filter.parameters = {1U + bytes.next() % 9U};
  }
  const std::size_t chunk = bytes.next() * std::size_t{256} + bytes.next();
  kernels::Codec codec(pipeline);
  std::vector<std::byte> out(chunk);
  try {
    codec.decode(head >> 4, bytes.rest(), out);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::bad_file) throw;
  }
  for (const Filter& filter : pipeline) {
    if (!kernels::encodes(filter)) return 0;
  }
  const std::vector<std::byte> coded = codec.encode(bytes.rest());
  std::vector<std::byte> again(bytes.rest().size());
  codec.decode(0, coded, again);
  if (!std::ranges::equal(again, bytes.rest())) throw std::logic_error("a pipeline changes bytes");
  return 0;
}
