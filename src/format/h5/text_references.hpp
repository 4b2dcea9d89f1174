#pragma once

#include <hdf5.h>

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "format/h5/heap_check.hpp"
#include "format/h5/image.hpp"

namespace quire::h5 {

/// Reads values of a data set or attribute as the given type in memory into a buffer; negative if HDF5 cannot.
using ReadAs = std::function<herr_t(hid_t type, void* out)>;

/// Looks up the texts of any length that values refer to before HDF5 follows the references: 1.10 copies whatever a
/// heap has there, also if it has nothing. It is the library itself that finds the references, wherever they stand
/// (dense attributes, chunks through any filter), by a conversion of ours that leaves them as they are.
class TextReferences {
 public:
  explicit TextReferences(Image& image);

  /// Checks the references of `count` texts. What the library cannot give as references is left alone, and files whose
  /// addresses are not 8 bytes wide. Throws bad_file errors with offsets.
  void check(const ReadAs& read, std::uint64_t count);

 private:
  Image& image_;
  ReadBytes read_;
  HeapObjects heaps_;
};

}  // namespace quire::h5
