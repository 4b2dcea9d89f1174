#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "format/hdf5/guard/header_check.hpp"
#include "format/hdf5/guard/message_piece.hpp"
#include "format/hdf5/guard/superblock.hpp"

namespace quire::hdf5 {

/// Places in a file that do not overlap.
class SeparatePlaces {
 public:
  /// Adds a place. Returns false if it overlaps another one; the same place may be added again.
  bool add(std::uint64_t offset, std::uint64_t length);
  void clear() noexcept { ends_.clear(); }

 private:
  std::map<std::uint64_t, std::uint64_t> ends_;  ///< by begin
};

/// The names of a group, in the data of its local heap.
struct Names {
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
  std::uint64_t end = 0;  ///< after the last zero byte: the end of the last name that can be copied
};

/// The nodes of symbol tables of groups and their local heaps, checked when HDF5 reads them. Every name must end inside
/// the heap of its group: HDF5 1.10 copies names from any offset up to the next zero byte (HDF5 file format
/// specification, III.A to III.D).
class SymbolTables {
 public:
  /// Whether the objects, nodes and names of a group may overlap. HDF5 writes whole nodes, whose size is in the
  /// superblock, and would overwrite objects inside them; readers are not affected.
  enum class Overlaps : std::uint8_t { allowed, refused };

  explicit SymbolTables(Overlaps overlaps) : overlaps_(overlaps) {}

  /// A group whose header was read.
  void add(const SymbolTablePlace& place);

  /// Whether a node or a heap is stored at an address.
  [[nodiscard]] bool has_node(std::uint64_t address) const { return nodes_.contains(address); }

  /// Checks the bytes of a node or the heap, as read. `read` reads the file, of `size` bytes, in which addresses begin
  /// at `base`. What is not a heap is left to HDF5, which reports it. Throws bad_file errors with offsets.
  void check_node(const ReadBytes& read, std::uint64_t size, std::uint64_t base, const Piece& node);

  /// The bytes of the file have changed.
  void forget() noexcept {
    nodes_.clear();
    places_.clear();
  }

 private:
  struct Group {
    std::uint64_t heap = 0;
    std::optional<Names> names{};  ///< known once a node was checked
  };

  /// Adds the place of a part of a group, unless overlaps are allowed.
  void require_apart(const Piece& node, std::uint64_t offset, std::uint64_t length);
  /// The same for the room of a node that has no links yet, which a change writes whole.
  void check_room(const Piece& node);
  [[noreturn]] static void refuse_overlap(const Piece& node);

  Overlaps overlaps_;
  SeparatePlaces places_;
  std::map<std::uint64_t, std::shared_ptr<Group>> nodes_;  ///< by address
};

}  // namespace quire::hdf5
