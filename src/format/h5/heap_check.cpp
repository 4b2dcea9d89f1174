#include "format/h5/heap_check.hpp"

#include "format/h5/message_piece.hpp"

namespace quire::h5 {
namespace {

constexpr std::uint32_t signature = 0x4c4f4347;  // GCOL
constexpr std::size_t header_length = 16;

}  // namespace

void check_global_heap(std::span<const std::byte> bytes, std::uint64_t offset) {
  const Piece heap(bytes, offset);
  if (bytes.size() < header_length || heap.number<std::uint32_t>(0) != signature) return;
  if (heap.number<std::uint64_t>(8) != bytes.size()) return;
  for (std::size_t position = header_length; position + header_length <= bytes.size();) {
    const auto index = heap.number<std::uint16_t>(position);
    const auto length = heap.number<std::uint64_t>(position + 8);
    const std::size_t rest = bytes.size() - position;
    const auto refuse = [&](const char* why) { heap.part(position, header_length).refuse(why); };
    if (index == 0) {  // what is free, its header included
      if (length < header_length) refuse("is free space of no length");
      if (length > rest) refuse("is larger than its heap");
      position += static_cast<std::size_t>(length);
    } else {
      if (length > rest - header_length) refuse("is larger than its heap");
      position += header_length + (static_cast<std::size_t>(length) + 7) / 8 * 8;
    }
  }
}

}  // namespace quire::h5
