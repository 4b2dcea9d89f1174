#include "format/hdf5/guard/symbol_tables.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

namespace quire::hdf5 {
namespace {

constexpr std::uint32_t heap_signature = 0x50414548;    // HEAP
constexpr std::uint32_t tree_signature = 0x45455254;    // TREE
constexpr std::uint32_t symbol_signature = 0x444f4e53;  // SNOD
constexpr std::uint64_t no_limit = std::numeric_limits<std::uint64_t>::max();

/// The free blocks of a heap must be inside it, and end: HDF5 1.10 follows a cycle forever, and if it fails on a list,
/// it takes the heap for whole when it is asked again.
void check_free_blocks(const ReadBytes& read, const Piece& heap, std::uint64_t data, std::uint64_t length) {
  constexpr std::uint64_t no_block = 1;
  constexpr std::uint64_t shortest = 16;
  std::uint64_t blocks = 0;
  for (auto offset = heap.number<std::uint64_t>(16); offset != no_block; ++blocks) {
    std::array<std::byte, shortest> bytes{};
    if (blocks == length / shortest || offset > length - shortest)
      heap.refuse("has a list of free blocks that does not end");
    read(data + offset, bytes);
    const Piece block(bytes, data + offset);
    if (block.number<std::uint64_t>(8) > length - offset) block.refuse("is a free block larger than its heap");
    offset = block.number<std::uint64_t>(0);
    if (offset == 0) block.refuse("is a free block before one without a place");
  }
}

/// The end of the last name that can be copied from a heap: after its last zero byte.
std::uint64_t find_names_end(const ReadBytes& read, std::uint64_t size, std::uint64_t base, std::uint64_t address) {
  constexpr std::uint64_t header = 32;
  constexpr std::uint64_t block = 4096;
  if (address > size || size - address < header) return no_limit;
  std::vector<std::byte> bytes(header);
  read(address, bytes);
  const Piece heap(bytes, address);
  if (heap.number<std::uint32_t>(0) != heap_signature) return no_limit;
  const auto length = heap.number<std::uint64_t>(8);
  const std::uint64_t data = heap.number<std::uint64_t>(24) + base;
  if (data > size || length > size - data) heap.refuse("is a heap of names that reaches beyond the end of the file");
  check_free_blocks(read, heap, data, length);
  for (std::uint64_t end = length; end > 0;) {
    const std::uint64_t begin = end - std::min(end, block);
    bytes.resize(static_cast<std::size_t>(end - begin));
    read(data + begin, bytes);
    const auto zero = std::find(bytes.rbegin(), bytes.rend(), std::byte{0});
    if (zero != bytes.rend()) return end - static_cast<std::uint64_t>(zero - bytes.rbegin());
    end = begin;
  }
  return 0;
}

/// A node of the tree, of which the entries are names and nodes. Returns the addresses of these.
std::vector<std::uint64_t> check_tree(const Piece& node, std::uint64_t base, std::uint64_t names_end) {
  constexpr std::size_t header = 24;
  constexpr std::size_t entry = 16;
  const std::size_t used = node.number<std::uint16_t>(6);
  std::vector<std::uint64_t> below;
  for (std::size_t i = 0; i <= used; ++i) {
    const std::size_t at = header + i * entry;
    if (node.number<std::uint64_t>(at) >= names_end) node.refuse("has a link whose name does not end in its heap");
    if (i < used) below.push_back(node.number<std::uint64_t>(at + 8) + base);
  }
  return below;
}

void check_symbols(const Piece& node, std::uint64_t names_end) {
  constexpr std::size_t header = 8;
  constexpr std::size_t entry = 40;
  constexpr std::uint32_t soft_link = 2;
  const std::size_t used = node.number<std::uint16_t>(6);
  for (std::size_t i = 0; i < used; ++i) {
    const std::size_t at = header + i * entry;
    if (node.number<std::uint64_t>(at) >= names_end) node.refuse("has a link whose name does not end in its heap");
    const bool is_soft = node.number<std::uint32_t>(at + 16) == soft_link;
    if (is_soft && node.number<std::uint32_t>(at + 24) >= names_end) {
      node.refuse("has a soft link that does not end in its heap");
    }
  }
}

}  // namespace

void SymbolTables::add(const SymbolTablePlace& place) {
  nodes_[place.tree] = nodes_[place.heap] = std::make_shared<Heap>(Heap{.address = place.heap});
}

void SymbolTables::check_node(const ReadBytes& read, std::uint64_t size, std::uint64_t base, const Piece& node) {
  const std::shared_ptr<Heap> heap = nodes_.at(node.offset());
  if (!heap->names_end) heap->names_end = find_names_end(read, size, base, heap->address);
  const auto signature = node.number<std::uint32_t>(0);
  if (signature == symbol_signature) check_symbols(node, *heap->names_end);
  if (signature != tree_signature) return;
  for (const std::uint64_t below : check_tree(node, base, *heap->names_end)) nodes_[below] = heap;
}

}  // namespace quire::hdf5
