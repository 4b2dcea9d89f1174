#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <utility>

#include "format/h5/message_piece.hpp"
#include "format/h5/split.hpp"
#include "format/h5/superblock.hpp"

namespace quire::h5 {

/// Checks that the objects of a global heap lie inside of it, one behind the other: HDF5 1.10 copies what their sizes
/// say, and goes round for ever if one has none. Bytes that are not the whole of a heap are left alone, for they are
/// read once more. Throws bad_file errors with offsets.
void check_global_heap(std::span<const std::byte> bytes, std::uint64_t offset);

/// The lengths of the objects in global heaps, to which values of any length refer. Each heap is read once, but of very
/// many the first ones are forgotten.
class HeapObjects {
 public:
  HeapObjects(ReadBytes read, const FileEnds& ends, std::uint64_t base)
      : read_(std::move(read)), ends_(ends), base_(base) {}

  /// Checks a reference of 16 bytes, which stand for so many elements of `width` bytes: HDF5 1.10 copies whatever the
  /// object has, also if there is none, to memory for the elements. Throws bad_file errors with offsets.
  void check(const Piece& reference, std::uint64_t width);

 private:
  using Lengths = std::map<std::uint32_t, std::uint64_t>;
  [[nodiscard]] const Lengths& heap_at(std::uint64_t offset);

  ReadBytes read_;
  FileEnds ends_;
  std::uint64_t base_;
  std::map<std::uint64_t, Lengths> heaps_;
};

}  // namespace quire::h5
