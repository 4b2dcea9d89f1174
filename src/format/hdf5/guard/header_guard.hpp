#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <utility>

#include "format/hdf5/guard/header_check.hpp"
#include "format/hdf5/guard/superblock.hpp"

namespace quire::hdf5 {

/// Checks every object header of a file before HDF5 reads it. The file driver calls it for each read, so that no call
/// of HDF5 is missed. A header is checked once, until the bytes of the file change.
class HeaderGuard {
 public:
  /// `base` is the origin of addresses inside the file.
  /// `also` checks what a header that was checked refers to.
  HeaderGuard(std::uint64_t base, Decoded decoded, std::function<void(const SoundHeader&)> also)
      : base_(base), decoded_(decoded), also_(std::move(also)) {}

  /// Checks the header at an absolute address, in the first `size` bytes of a file. Returns true if the values of the
  /// object are stored in other datasets. Throws the errors of check_header.
  bool check(const ReadBytes& read, std::uint64_t size, std::uint64_t address);

  /// The same for bytes that HDF5 reads as structure of objects: the rest of a checked header, a header, or another
  /// structure, which is not checked.
  void check_read(const ReadBytes& read, std::uint64_t size, std::uint64_t offset, std::uint64_t length);

  /// The bytes of the file have changed.
  void forget() noexcept { elsewhere_.clear(); }

 private:
  std::uint64_t base_;
  Decoded decoded_;
  std::function<void(const SoundHeader&)> also_;
  std::map<std::uint64_t, bool> elsewhere_;  ///< by address of a checked header: result of check()
  /// The parts of the checked headers by their ends: the earliest begin of a read of the rest of a header. None is
  /// dropped while the file is open, because HDF5 may read a part again, alone, and its first byte may look like that
  /// of a header.
  std::map<std::uint64_t, std::uint64_t> rests_;
};

}  // namespace quire::hdf5
