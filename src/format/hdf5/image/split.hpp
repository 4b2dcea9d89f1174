#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "format/hdf5/guard/places.hpp"
#include "format/hdf5/guard/superblock.hpp"
#include "quire/spi/plan/byte_source.hpp"

namespace quire::hdf5 {

// HDF5's split file driver (H5Pset_fapl_split, which is its multi driver for two files) stores metadata and raw data in
// two files. Their names and lengths are stored in the first one, in the driver information of the superblock (HDF5
// File Format Specification 3.0, sections II.B and IV.A.2.u, "NCSAmult").
//
// Here they are a set of files (format/hdf5/guard/places.hpp).

/// The contents of the driver information.
struct Split {
  // %s is the common part of the names. HDF5's tools and h5py know only these patterns, and new files get no others:
  // with other patterns, like %s.h5 and %s-r.h5, two pairs may have the same file of raw data.
  std::string first_name = "%s-m.h5";
  std::string raw_name = "%s-r.h5";
  std::uint64_t raw_end = 0;  ///< bytes of raw data

  /// The name of the file of raw data that belongs to the file `first`; no value if `first` does not match its pattern.
  /// Throws bad_file errors for patterns that give both files the same name.
  [[nodiscard]] std::optional<std::string> raw_name_beside(const std::string& first) const;
  /// Throws usage errors unless a new file may have this name.
  void require_name(const std::string& first) const;
  /// The names that they must have, as text for a message.
  [[nodiscard]] std::string names() const;
  /// The driver information, as HDF5 writes it; `first_end` is the end of the metadata.
  [[nodiscard]] std::vector<std::byte> encode(std::uint64_t first_end) const;

  template <class Archive>
  void archive(Archive& a) {
    a(first_name, raw_name, raw_end);
  }
};

/// HDF5's names of the driver information and of the driver.
inline constexpr const char* split_information = "NCSAmult";
inline constexpr const char* split_driver = "multi";

/// The split of a file of `size` bytes whose superblock has been checked; no value if it is not split. Throws bad_file
/// errors for damage, unsupported errors for sets of other files than these two.
[[nodiscard]] std::optional<Split> read_split(const ReadBytes& read, std::uint64_t size, const Superblock& superblock);

/// The object header of the superblock extension with the driver information, without the times of creation and change:
/// the same bytes whenever they are written. Empty if it stores no times, or if it is long.
[[nodiscard]] std::vector<std::byte> timeless_extension(const ReadBytes& read, const Superblock& superblock);

/// The name of the file of raw data of a file named `first`, which may be damaged; no value if it names none.
[[nodiscard]] std::optional<std::string> named_raw_file(ByteSource& bytes, const std::string& first);

}  // namespace quire::hdf5
