#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "format/hdf5/guard/header_check.hpp"
#include "format/hdf5/guard/message_piece.hpp"
#include "format/hdf5/guard/superblock.hpp"

namespace quire::hdf5 {

class SeparatePlaces;

/// The names of a group, in the data of its local heap.
struct Names {
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
  std::uint64_t end = 0;  ///< after the last zero byte: the end of the last name that can be copied
  // Of a file that is going to be changed:
  std::vector<std::byte> bytes{};
  std::map<std::uint64_t, std::uint64_t> free{};  ///< blocks that new names replace: ends by begins

  /// The name at an offset; no value if it is not whole outside the free blocks.
  [[nodiscard]] std::optional<std::string_view> name_at(std::uint64_t at) const;
};

/// The keys of a tree beside a node, as offsets of names: all names of the node are after the first one, and none is
/// after the second one.
struct KeysBeside {
  std::uint64_t before = 0;
  std::uint64_t last = 0;
};

/// The nodes of symbol tables of groups and their local heaps, checked when HDF5 reads them. Every name must end inside
/// the heap of its group: HDF5 1.10 copies names from any offset up to the next zero byte (HDF5 file format
/// specification, III.A to III.D).
class SymbolTables {
 public:
  /// `places` receives the places of nodes, names and objects of groups. A file that is going to be changed must have
  /// no bytes in the room of its nodes: HDF5 writes whole nodes, whose size is in the superblock.
  SymbolTables(SeparatePlaces& places, bool is_for_changes) : places_(places), is_for_changes_(is_for_changes) {}

  /// A group whose header was read.
  void add(const SymbolTablePlace& place);

  /// Whether a node or a heap is stored at an address.
  [[nodiscard]] bool has_node(std::uint64_t address) const { return nodes_.contains(address); }

  /// Checks the bytes of a node or the heap, as read. `read` reads the file, of `size` bytes, in which addresses begin
  /// at `base`. What is not a heap is left to HDF5, which reports it. Throws bad_file errors with offsets.
  void check_node(const ReadBytes& read, std::uint64_t size, std::uint64_t base, const Piece& node);

  /// The bytes of the file have changed.
  void forget() noexcept { nodes_.clear(); }

 private:
  struct Group {
    std::uint64_t heap = 0;
    std::optional<Names> names{};  ///< known once a node was checked
  };
  struct Node {
    std::shared_ptr<Group> group;
    std::optional<KeysBeside> keys{};  ///< of a node below another one
  };

  SeparatePlaces& places_;
  bool is_for_changes_;
  std::map<std::uint64_t, Node> nodes_;  ///< by address
};

}  // namespace quire::hdf5
