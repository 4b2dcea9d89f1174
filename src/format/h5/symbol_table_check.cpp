#include "format/h5/symbol_table_check.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "format/h5/message_piece.hpp"

namespace quire::h5 {
namespace {

constexpr std::uint32_t heap_signature = 0x50414548;  // HEAP
constexpr std::uint32_t tree_signature = 0x45455254;  // TREE
constexpr std::uint32_t node_signature = 0x444f4e53;  // SNOD

/// Walks the nodes of one symbol table.
class SymbolTable {
 public:
  SymbolTable(const ReadBytes& read, std::uint64_t size, std::uint64_t base) : read_(read), size_(size), base_(base) {}

  /// Whether there is a heap, in which names can be checked.
  bool find_heap(std::uint64_t address) {
    constexpr std::size_t header = 32;
    const auto bytes = bytes_at(address, header);
    if (!bytes || Piece(*bytes, address).number<std::uint32_t>(0) != heap_signature) return false;
    const Piece heap(*bytes, address);
    const auto length = heap.number<std::uint64_t>(8);
    const std::uint64_t data = heap.number<std::uint64_t>(24) + base_;
    if (data > size_ || length > size_ - data) return false;
    return find_last_end(data, length);
  }

  /// Checks a node of the tree, and all below it.
  void check(std::uint64_t root) {
    std::vector<std::uint64_t> pending{root};
    while (!pending.empty()) {
      const std::uint64_t address = pending.back();
      pending.pop_back();
      if (!seen_.insert(address).second) throw damage("refers to a node of its group twice", address);
      const auto children = check_tree_node(address);
      pending.insert(pending.end(), children.begin(), children.end());
    }
  }

 private:
  /// Nothing beyond the end of the file.
  [[nodiscard]] std::optional<std::vector<std::byte>> bytes_at(std::uint64_t offset, std::size_t length) const {
    if (offset > size_ || length > size_ - offset) return std::nullopt;
    std::vector<std::byte> bytes(length);
    if (read_(offset, bytes) != bytes.size()) return std::nullopt;
    return bytes;
  }

  [[nodiscard]] static Error damage(const std::string& what, std::uint64_t offset) {
    return Error(ErrorKind::bad_file, "the file's structure is damaged: a part of it " + what).at(offset);
  }

  /// The last zero byte of the heap is where the last name that can be copied ends.
  bool find_last_end(std::uint64_t data, std::uint64_t length) {
    constexpr std::uint64_t block = 4096;
    for (std::uint64_t end = length; end > 0;) {
      const std::uint64_t begin = end - std::min(end, block);
      const auto bytes = bytes_at(data + begin, static_cast<std::size_t>(end - begin));
      if (!bytes) return false;
      const auto zero = std::find(bytes->rbegin(), bytes->rend(), std::byte{0});
      if (zero != bytes->rend()) {
        names_end_ = end - static_cast<std::uint64_t>(zero - bytes->rbegin());
        return true;
      }
      end = begin;
    }
    names_end_ = 0;
    return true;
  }

  void check_name(std::uint64_t offset, std::uint64_t place) const {
    if (offset >= names_end_) throw damage("names a link that does not end in the heap of names", place);
  }

  /// The nodes below one of the tree that are of the tree, too. Others are checked.
  std::vector<std::uint64_t> check_tree_node(std::uint64_t address) {
    constexpr std::size_t header = 24;
    constexpr std::size_t entry = 16;  // a name and a node
    const auto start = bytes_at(address, header);
    if (!start || Piece(*start, address).number<std::uint32_t>(0) != tree_signature) return {};
    const Piece prefix(*start, address);
    const unsigned level = prefix.byte(5);
    const std::size_t used = prefix.number<std::uint16_t>(6);
    const auto bytes = bytes_at(address + header, used * entry + 8);
    if (!bytes) return {};
    const Piece entries(*bytes, address + header);
    std::vector<std::uint64_t> below;
    for (std::size_t i = 0; i < used; ++i) {
      check_name(entries.number<std::uint64_t>(i * entry), address);
      const std::uint64_t child = entries.number<std::uint64_t>(i * entry + 8) + base_;
      if (level > 0) below.push_back(child);
      if (level == 0) check_symbols(child);
    }
    check_name(entries.number<std::uint64_t>(used * entry), address);
    return below;
  }

  void check_symbols(std::uint64_t address) const {
    constexpr std::size_t header = 8;
    constexpr std::size_t entry = 40;
    constexpr std::uint32_t soft_link = 2;
    const auto start = bytes_at(address, header);
    if (!start || Piece(*start, address).number<std::uint32_t>(0) != node_signature) return;
    const std::size_t used = Piece(*start, address).number<std::uint16_t>(6);
    const auto bytes = bytes_at(address + header, used * entry);
    if (!bytes) return;
    const Piece symbols(*bytes, address + header);
    for (std::size_t i = 0; i < used; ++i) {
      const std::size_t at = i * entry;
      check_name(symbols.number<std::uint64_t>(at), address);
      const bool is_soft = symbols.number<std::uint32_t>(at + 16) == soft_link;
      if (is_soft) check_name(symbols.number<std::uint32_t>(at + 24), address);
    }
  }

  const ReadBytes& read_;
  std::uint64_t size_;
  std::uint64_t base_;
  std::uint64_t names_end_ = 0;   ///< in the heap, after the last zero byte
  std::set<std::uint64_t> seen_;  ///< nodes of the tree
};

}  // namespace

void check_symbol_table(const ReadBytes& read, std::uint64_t size, std::uint64_t base, const SymbolTablePlace& place) {
  SymbolTable table(read, size, base);
  if (table.find_heap(place.heap)) table.check(place.tree);
}

}  // namespace quire::h5
