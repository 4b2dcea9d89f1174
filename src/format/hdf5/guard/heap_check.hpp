#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <utility>

#include "format/hdf5/guard/message_piece.hpp"
#include "format/hdf5/guard/places.hpp"
#include "format/hdf5/guard/superblock.hpp"

namespace quire::hdf5 {

/// Checks that the objects of a global heap are consecutive and inside the heap: HDF5 1.10 copies by their sizes, and
/// loops forever on a size of zero. Bytes that are not the whole of a heap are not checked, because they are read
/// again. Throws bad_file errors with offsets.
void check_global_heap(std::span<const std::byte> bytes, std::uint64_t offset);

/// The lengths of the objects in global heaps, which variable-length values refer to. Each heap is read once,
/// unless there are very many.
class HeapObjects {
 public:
  HeapObjects(ReadBytes read, const FileEnds& ends, std::uint64_t base)
      : read_(std::move(read)), ends_(ends), base_(base) {}

  /// Checks a reference of 16 bytes to a number of elements of `width` bytes: HDF5 1.10 copies the whole object to
  /// memory for the elements, whatever its size, and even if it does not exist. Throws bad_file errors with offsets.
  void check(const Piece& reference, std::uint64_t width);

 private:
  using Lengths = std::map<std::uint32_t, std::uint64_t>;
  [[nodiscard]] const Lengths& heap_at(std::uint64_t offset);

  ReadBytes read_;
  FileEnds ends_;
  std::uint64_t base_;
  std::map<std::uint64_t, Lengths> heaps_;
};

}  // namespace quire::hdf5
