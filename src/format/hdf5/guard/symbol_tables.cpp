#include "format/hdf5/guard/symbol_tables.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <vector>

#include "quire/spi/base/checked.hpp"

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

/// The names in a heap. What is not a heap is left to HDF5.
Names find_names(const ReadBytes& read, std::uint64_t size, std::uint64_t base, std::uint64_t address) {
  constexpr std::uint64_t header = 32;
  constexpr std::uint64_t block = 4096;
  const Names unknown{.end = no_limit};
  if (address > size || size - address < header) return unknown;
  std::vector<std::byte> bytes(header);
  read(address, bytes);
  const Piece heap(bytes, address);
  if (heap.number<std::uint32_t>(0) != heap_signature) return unknown;
  const auto length = heap.number<std::uint64_t>(8);
  const std::uint64_t data = heap.number<std::uint64_t>(24) + base;
  if (data > size || length > size - data) heap.refuse("is a heap of names that reaches beyond the end of the file");
  check_free_blocks(read, heap, data, length);
  Names names{.offset = data, .length = length};
  for (std::uint64_t end = length; end > 0;) {
    const std::uint64_t begin = end - std::min(end, block);
    bytes.resize(static_cast<std::size_t>(end - begin));
    read(data + begin, bytes);
    const auto zero = std::find(bytes.rbegin(), bytes.rend(), std::byte{0});
    if (zero != bytes.rend()) {
      names.end = end - static_cast<std::uint64_t>(zero - bytes.rbegin());
      break;
    }
    end = begin;
  }
  return names;
}

/// A node of the tree, of which the entries are names and nodes. Returns the addresses of these.
std::vector<std::uint64_t> check_tree(const Piece& node, std::uint64_t base, const Names& names) {
  constexpr std::size_t header = 24;
  constexpr std::size_t entry = 16;
  const std::size_t used = node.number<std::uint16_t>(6);
  std::vector<std::uint64_t> below;
  for (std::size_t i = 0; i <= used; ++i) {
    const std::size_t at = header + i * entry;
    if (node.number<std::uint64_t>(at) >= names.end) node.refuse("has a link whose name does not end in its heap");
    if (i < used) below.push_back(node.number<std::uint64_t>(at + 8) + base);
  }
  return below;
}

constexpr std::size_t symbols_header = 8;
constexpr std::size_t symbol_bytes = 40;

/// A node whose entries are links. Returns the addresses of the objects.
std::vector<std::uint64_t> check_symbols(const Piece& node, std::uint64_t base, const Names& names) {
  constexpr std::uint32_t soft_link = 2;
  const std::size_t used = node.number<std::uint16_t>(6);
  std::vector<std::uint64_t> objects;
  for (std::size_t i = 0; i < used; ++i) {
    const std::size_t at = symbols_header + i * symbol_bytes;
    if (node.number<std::uint64_t>(at) >= names.end) node.refuse("has a link whose name does not end in its heap");
    if (node.number<std::uint32_t>(at + 16) != soft_link) {
      objects.push_back(node.number<std::uint64_t>(at + 8) + base);
    } else if (node.number<std::uint32_t>(at + 24) >= names.end) {
      node.refuse("has a soft link that does not end in its heap");
    }
  }
  return objects;
}

/// Whether the room for further links holds something. HDF5 fills it with zeros, up to the size of nodes that follows
/// from the superblock: a damaged size takes what follows the node for a part of it.
bool has_bytes_after_symbols(const Piece& node) {
  const std::size_t used = symbols_header + symbol_bytes * node.number<std::uint16_t>(6);
  const auto rest = node.bytes().subspan(std::min(used, node.size()));
  return std::ranges::any_of(rest, [](std::byte byte) { return byte != std::byte{0}; });
}

}  // namespace

bool SeparatePlaces::add(std::uint64_t offset, std::uint64_t length) {
  const std::uint64_t end = checked_add(offset, length);
  const auto next = ends_.lower_bound(offset);
  if (next != ends_.end() && next->first == offset) return next->second == end;
  if (next != ends_.end() && next->first < end) return false;
  if (next != ends_.begin() && std::prev(next)->second > offset) return false;
  ends_.emplace_hint(next, offset, end);
  return true;
}

void SymbolTables::add(const SymbolTablePlace& place) {
  nodes_[place.tree] = nodes_[place.heap] = std::make_shared<Group>(Group{.heap = place.heap});
}

void SymbolTables::require_apart(const Piece& node, std::uint64_t offset, std::uint64_t length) {
  if (overlaps_ == Overlaps::refused && length != 0 && !places_.add(offset, length)) refuse_overlap(node);
}

void SymbolTables::check_room(const Piece& node) {
  if (overlaps_ == Overlaps::refused && has_bytes_after_symbols(node)) refuse_overlap(node);
}

void SymbolTables::refuse_overlap(const Piece& node) {
  throw Error(ErrorKind::bad_file, "the file has structures that overlap: a change would overwrite one of them")
      .at(node.offset())
      .advise("convert what can be read into another file");
}

void SymbolTables::check_node(const ReadBytes& read, std::uint64_t size, std::uint64_t base, const Piece& node) {
  constexpr std::uint64_t object_header = 16;
  const std::shared_ptr<Group> group = nodes_.at(node.offset());
  if (!group->names) {
    group->names = find_names(read, size, base, group->heap);
    require_apart(node, group->names->offset, group->names->length);
  }
  const auto signature = node.number<std::uint32_t>(0);
  if (signature != symbol_signature && signature != tree_signature) return;
  require_apart(node, node.offset(), node.size());
  if (signature == symbol_signature) {
    for (const std::uint64_t object : check_symbols(node, base, *group->names)) {
      require_apart(node, object, object_header);
    }
    check_room(node);
  } else {
    for (const std::uint64_t below : check_tree(node, base, *group->names)) nodes_[below] = group;
  }
}

}  // namespace quire::hdf5
