#pragma once

#include <hdf5.h>

#include <cstddef>
#include <functional>
#include <vector>

#include "format/h5/attachments.hpp"

namespace quire::h5 {

/// The ranks of a file that a library writes, to share what only rank 0 knows.
struct LayoutRanks {
  bool is_root = true;
  /// Collective. Every rank gets the bytes of rank 0.
  std::function<void(std::vector<std::byte>& bytes)> share = [](std::vector<std::byte>&) {};
};

/// Collective. Creates and drops the attachments of a file according to the changes of rank 0, which writes their
/// bytes; the changes of other ranks are ignored.
void write_attachments(hid_t file, const AttachmentChanges& changes, const LayoutRanks& ranks);

}  // namespace quire::h5
