#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>

#include "format/hdf5/guard/header_check.hpp"
#include "format/hdf5/guard/message_piece.hpp"
#include "format/hdf5/guard/superblock.hpp"

namespace quire::hdf5 {

/// The nodes of symbol tables of groups and their local heaps, checked when HDF5 reads them. Every name must end inside
/// the heap of its group: HDF5 1.10 copies names from any offset up to the next zero byte (HDF5 file format
/// specification, III.A to III.D).
class SymbolTables {
 public:
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
  struct Heap {
    std::uint64_t address = 0;
    std::optional<std::uint64_t> names_end{};  ///< after its last zero byte; known once a node was checked
  };

  std::map<std::uint64_t, std::shared_ptr<Heap>> nodes_;  ///< by address
};

}  // namespace quire::hdf5
