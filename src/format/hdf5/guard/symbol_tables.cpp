#include "format/hdf5/guard/symbol_tables.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include "format/hdf5/guard/separate_places.hpp"

namespace quire::hdf5 {
namespace {

constexpr std::uint32_t name_heap_signature = 0x50414548;  // HEAP
constexpr std::uint32_t tree_signature = 0x45455254;       // TREE
constexpr std::uint32_t symbol_signature = 0x444f4e53;     // SNOD
constexpr std::uint64_t heap_header = 32;
constexpr std::uint64_t no_limit = std::numeric_limits<std::uint64_t>::max();

/// The free blocks of a heap, ends by begins. They must be inside it, and end: HDF5 1.10 follows a cycle forever, and
/// if it fails on a list, it takes the heap for whole when it is asked again.
std::map<std::uint64_t, std::uint64_t> free_blocks(const ReadBytes& read, const Piece& heap, std::uint64_t data,
                                                   std::uint64_t length) {
  constexpr std::uint64_t no_block = 1;
  constexpr std::uint64_t shortest = 16;
  std::map<std::uint64_t, std::uint64_t> ends;
  for (auto offset = heap.number<std::uint64_t>(16); offset != no_block;) {
    std::array<std::byte, shortest> bytes{};
    if (ends.contains(offset) || length < shortest || offset > length - shortest)
      heap.refuse("has a list of free blocks that does not end");
    read(data + offset, bytes);
    const Piece block(bytes, data + offset);
    const auto block_length = block.number<std::uint64_t>(8);
    if (block_length > length - offset) block.refuse("is a free block larger than its heap");
    ends[offset] = offset + block_length;
    offset = block.number<std::uint64_t>(0);
    if (offset == 0) block.refuse("is a free block before one without a place");
  }
  return ends;
}

/// The names in a heap, with their bytes if `keeps_bytes`. What is not a heap is left to HDF5.
Names find_names(const ReadBytes& read, std::uint64_t size, std::uint64_t base, std::uint64_t address,
                 bool keeps_bytes) {
  constexpr std::uint64_t block = 4096;
  const Names unknown{.end = no_limit};
  if (address > size || size - address < heap_header) return unknown;
  std::vector<std::byte> bytes(heap_header);
  read(address, bytes);
  const Piece heap(bytes, address);
  if (heap.number<std::uint32_t>(0) != name_heap_signature) return unknown;
  const auto length = heap.number<std::uint64_t>(8);
  const std::uint64_t data = heap.number<std::uint64_t>(24) + base;
  if (data > size || length > size - data) heap.refuse("is a heap of names that reaches beyond the end of the file");
  Names names{.offset = data, .length = length, .free = free_blocks(read, heap, data, length)};
  if (keeps_bytes) {
    names.bytes.resize(static_cast<std::size_t>(length));
    read(data, names.bytes);
  }
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

/// The contents of a node: offsets of names, and addresses of what they name.
struct Entries {
  std::vector<std::uint64_t> names;
  std::vector<std::uint64_t> addresses;
};

/// A node of the tree: one key more than nodes below it.
Entries check_tree(const Piece& node, std::uint64_t base, const Names& names) {
  constexpr std::size_t header = 24;
  constexpr std::size_t entry = 16;
  const std::size_t used = node.number<std::uint16_t>(6);
  Entries below;
  for (std::size_t i = 0; i <= used; ++i) {
    const std::size_t at = header + i * entry;
    below.names.push_back(node.number<std::uint64_t>(at));
    if (below.names.back() >= names.end) node.refuse("has a link whose name does not end in its heap");
    if (i < used) below.addresses.push_back(node.number<std::uint64_t>(at + 8) + base);
  }
  return below;
}

constexpr std::size_t symbols_header = 8;
constexpr std::size_t symbol_bytes = 40;

/// A node whose entries are links to objects, or soft links, which have no address.
Entries check_symbols(const Piece& node, std::uint64_t base, const Names& names) {
  constexpr std::uint32_t soft_link = 2;
  const std::size_t used = node.number<std::uint16_t>(6);
  Entries links;
  for (std::size_t i = 0; i < used; ++i) {
    const std::size_t at = symbols_header + i * symbol_bytes;
    links.names.push_back(node.number<std::uint64_t>(at));
    if (links.names.back() >= names.end) node.refuse("has a link whose name does not end in its heap");
    if (node.number<std::uint32_t>(at + 16) != soft_link) {
      links.addresses.push_back(node.number<std::uint64_t>(at + 8) + base);
    } else if (node.number<std::uint32_t>(at + 24) >= names.end) {
      node.refuse("has a soft link that does not end in its heap");
    }
  }
  return links;
}

/// HDF5 finds links by the order of their names, and stores new names in free blocks. A change of a group in which
/// either is damaged would make links unreachable.
void require_order(const Piece& node, const Names& names, std::span<const std::uint64_t> offsets) {
  std::optional<std::string_view> last;
  for (const std::uint64_t offset : offsets) {
    const auto name = names.name_at(offset);
    if (!name) node.refuse("has a link whose name a change would overwrite");
    if (last && *last >= *name) node.refuse("has links that are not in the order of their names");
    last = name;
  }
}

/// The same for the links of a node and the keys beside it.
void require_order_of_links(const Piece& node, const Names& names, std::vector<std::uint64_t> links,
                            const std::optional<KeysBeside>& keys) {
  if (keys) links.insert(links.begin(), keys->before);
  if (keys && names.name_at(links.back()) != names.name_at(keys->last)) links.push_back(keys->last);
  require_order(node, names, links);
}

/// Whether the room for further links holds something. HDF5 fills it with zeros, up to the size of nodes that follows
/// from the superblock: a damaged size takes what follows the node for a part of it.
bool has_bytes_after_symbols(const Piece& node) {
  const std::size_t used = symbols_header + symbol_bytes * node.number<std::uint16_t>(6);
  const auto rest = node.bytes().subspan(std::min(used, node.size()));
  return std::ranges::any_of(rest, [](std::byte byte) { return byte != std::byte{0}; });
}

}  // namespace

std::optional<std::string_view> Names::name_at(std::uint64_t at) const {
  const auto next = free.upper_bound(at);
  if (next != free.begin() && std::prev(next)->second > at) return std::nullopt;
  const std::uint64_t limit = next == free.end() ? bytes.size() : next->first;
  if (at >= limit || limit > bytes.size()) return std::nullopt;
  const std::string_view all(reinterpret_cast<const char*>(bytes.data()), static_cast<std::size_t>(limit));
  const std::size_t zero = all.find('\0', static_cast<std::size_t>(at));
  if (zero == std::string_view::npos) return std::nullopt;
  return all.substr(static_cast<std::size_t>(at), zero - static_cast<std::size_t>(at));
}

void SymbolTables::add(const SymbolTablePlace& place) {
  const auto group = std::make_shared<Group>(Group{.heap = place.heap});
  nodes_[place.tree] = nodes_[place.heap] = Node{.group = group};
}

void SymbolTables::check_node(const ReadBytes& read, std::uint64_t size, std::uint64_t base, const Piece& node) {
  const Node place = nodes_.at(node.offset());
  if (!place.group->names) {
    place.group->names = find_names(read, size, base, place.group->heap, is_for_changes_);
    if (place.group->names->end != no_limit) places_.add(node.offset(), place.group->heap, heap_header);
    places_.add(node.offset(), place.group->names->offset, place.group->names->length);
  }
  const Names& names = *place.group->names;
  const auto signature = node.number<std::uint32_t>(0);
  if (signature != symbol_signature && signature != tree_signature) return;
  places_.add(node.offset(), node.offset(), node.size());
  if (signature == symbol_signature) {
    const Entries links = check_symbols(node, base, names);
    for (const std::uint64_t object : links.addresses) places_.add(node.offset(), object, shortest_header);
    if (!is_for_changes_) return;
    if (has_bytes_after_symbols(node)) SeparatePlaces::refuse(node.offset());
    require_order_of_links(node, names, links.names, place.keys);
  } else {
    const Entries below = check_tree(node, base, names);
    for (std::size_t i = 0; i < below.addresses.size(); ++i) {
      nodes_[below.addresses[i]] = {.group = place.group,
                                    .keys = KeysBeside{.before = below.names[i], .last = below.names[i + 1]}};
    }
    if (is_for_changes_ && !below.addresses.empty()) require_order(node, names, below.names);
  }
}

}  // namespace quire::hdf5
