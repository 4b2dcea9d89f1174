#pragma once

#include <cstdint>
#include <map>

#include "format/h5/header_check.hpp"
#include "format/h5/superblock.hpp"

namespace quire::h5 {

/// Checks every object header of a file before HDF5 reads it, whichever call of HDF5 leads there: the file driver asks
/// for each read. A header is checked once, until the bytes of the file change.
class HeaderGuard {
 public:
  /// `base` is what addresses inside the file are relative to.
  HeaderGuard(std::uint64_t base, Decoded decoded) : base_(base), decoded_(decoded) {}

  /// Checks the header at an absolute address, in the first `size` bytes of a file. True if the values of the object
  /// are those of other data sets. Throws the errors of check_header.
  bool check(const ReadBytes& read, std::uint64_t size, std::uint64_t address);

  /// The same for bytes that HDF5 reads as structure of objects: the rest of a header that was checked, a header, or
  /// another structure, which is left to HDF5.
  void check_read(const ReadBytes& read, std::uint64_t size, std::uint64_t offset, std::uint64_t length);

  /// The bytes of the file have changed.
  void forget() noexcept { elsewhere_.clear(); }

 private:
  std::uint64_t base_;
  Decoded decoded_;
  std::map<std::uint64_t, bool> elsewhere_;  ///< of each checked header, whether its values are those of others
  /// The parts of the checked headers by their ends: where a read of the rest of a header begins at the earliest. None
  /// is dropped while the file is open: HDF5 may read a part again, alone, and its first byte may be that of a header.
  std::map<std::uint64_t, std::uint64_t> rests_;
};

}  // namespace quire::h5
