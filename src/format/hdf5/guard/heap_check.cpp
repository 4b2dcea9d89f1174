#include "format/hdf5/guard/heap_check.hpp"

#include <vector>

#include "quire/spi/base/checked.hpp"

namespace quire::hdf5 {
namespace {

constexpr std::uint32_t heap_signature = 0x4c4f4347;  // GCOL
constexpr std::size_t heap_header_length = 16;
constexpr std::uint64_t largest_heap = std::uint64_t{64} << 20;
constexpr std::size_t most_heaps = 64;

/// Calls `use(index, length)` for each object of a heap, and refuses those that are not inside it.
template <class Use>
void for_each_object(const Piece& heap, const Use& use) {
  const std::size_t end = heap.size();
  for (std::size_t position = heap_header_length; position + heap_header_length <= end;) {
    const auto index = heap.number<std::uint16_t>(position);
    const auto length = heap.number<std::uint64_t>(position + 8);
    const std::size_t rest = end - position;
    const auto refuse = [&](const char* why) { heap.part(position, heap_header_length).refuse(why); };
    if (index == 0) {  // free space, including its header
      if (length < heap_header_length) refuse("is free space of no length");
      if (length > rest) refuse("is larger than its heap");
      position += static_cast<std::size_t>(length);
    } else {
      if (length > rest - heap_header_length) refuse("is larger than its heap");
      use(index, length);
      position += heap_header_length + (static_cast<std::size_t>(length) + 7) / 8 * 8;
    }
  }
}

}  // namespace

void check_global_heap(std::span<const std::byte> bytes, std::uint64_t offset) {
  const Piece heap(bytes, offset);
  if (bytes.size() < heap_header_length || heap.number<std::uint32_t>(0) != heap_signature) return;
  if (heap.number<std::uint64_t>(8) != bytes.size()) return;
  for_each_object(heap, [](std::uint16_t, std::uint64_t) {});
}

const HeapObjects::Lengths& HeapObjects::heap_at(std::uint64_t offset) {
  const auto known = heaps_.find(offset);
  if (known != heaps_.end()) return known->second;
  const auto bytes_at = [&](std::uint64_t length) {
    if (!ends_.hold(offset, length)) {
      throw Error(ErrorKind::bad_file, "a heap of texts reaches beyond the end of the file").at(offset);
    }
    std::vector<std::byte> bytes(static_cast<std::size_t>(length));
    if (read_(offset, bytes) != bytes.size()) throw Error(ErrorKind::bad_file, "the file ends early").at(offset);
    return bytes;
  };
  const std::vector<std::byte> start = bytes_at(heap_header_length);
  const Piece header(start, offset);
  if (header.number<std::uint32_t>(0) != heap_signature) header.refuse("is not a heap of texts");
  const auto length_of_all = header.number<std::uint64_t>(8);
  if (length_of_all > largest_heap) throw Error(ErrorKind::memory, "a heap of texts has more than 64 MiB").at(offset);
  const std::vector<std::byte> bytes = bytes_at(length_of_all);
  if (heaps_.size() == most_heaps) heaps_.clear();
  Lengths lengths;  // kept if all of them are valid
  for_each_object(Piece(bytes, offset), [&](std::uint16_t index, std::uint64_t length) { lengths[index] = length; });
  return heaps_.emplace(offset, std::move(lengths)).first->second;
}

void HeapObjects::check(const Piece& reference, std::uint64_t width) {
  // HDF5 allocates memory in blocks.
  constexpr std::uint64_t block = 4096;
  const std::uint64_t wanted = checked_multiply(reference.number<std::uint32_t>(0), width);
  const auto address = reference.number<std::uint64_t>(4);
  // The reference of an empty text is followed, too, unless its heap address is 0.
  if (address == 0) return;
  const Lengths& objects = heap_at(ends_.place(checked_add(base_, address)));
  const auto object = objects.find(reference.number<std::uint32_t>(12));
  if (object == objects.end()) reference.refuse("is the reference of a missing text");
  if (object->second < wanted || object->second > (wanted / block + 1) * block) {
    reference.refuse("is the reference of a text of another length");
  }
}

}  // namespace quire::hdf5
