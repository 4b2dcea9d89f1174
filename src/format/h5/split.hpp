#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "format/h5/superblock.hpp"
#include "quire/plan/byte_source.hpp"
#include "quire/plan/member.hpp"

namespace quire::h5 {

// HDF5's split file driver (H5Pset_fapl_split, which is its multi driver for two files) keeps metadata and raw data in
// two files. What they are called and how long they are stands in the first one, in the driver information of the
// superblock (HDF5 File Format Specification 3.0, sections II.B and IV.A.2.u, "NCSAmult").
//
// For us they are a set of files: addresses of raw data, which HDF5 lets begin at half of all, are those of member 1.

/// Where HDF5's addresses of raw data begin: HADDR_MAX / 2 (H5FDmulti.c; files of HDF5 1.10 to 2.0 have it).
inline constexpr std::uint64_t first_raw_address = 0x7fff'ffff'ffff'ffff;
inline constexpr std::uint64_t first_raw_place = std::uint64_t{1} << member_shift;
/// A place behind all that files can have.
inline constexpr std::uint64_t nowhere = std::uint64_t{1} << 63;

/// From an address inside a file of HDF5 to that of the set.
[[nodiscard]] constexpr std::uint64_t place_of(std::uint64_t address) noexcept {
  return address < first_raw_address ? address : first_raw_place + (address - first_raw_address);
}
/// The same in a file that is split: what damage puts between both files does not pass for raw data.
[[nodiscard]] constexpr std::uint64_t place_in_split(std::uint64_t address) noexcept {
  return address >= first_raw_place && address < first_raw_address ? nowhere : place_of(address);
}
/// The inverse, for what is known to stand in the file of raw data.
[[nodiscard]] constexpr std::uint64_t raw_address_of(std::uint64_t place) noexcept {
  return first_raw_address + (place - first_raw_place);
}

/// How far a file goes, or both files.
struct FileEnds {
  std::uint64_t first = 0;
  std::uint64_t raw = 0;  ///< of the other one, if there is one

  [[nodiscard]] std::uint64_t place(std::uint64_t address) const noexcept {
    return raw != 0 ? place_in_split(address) : place_of(address);
  }
  [[nodiscard]] bool hold(std::uint64_t place, std::uint64_t length) const noexcept {
    const bool is_raw = raw != 0 && place >= first_raw_place;
    const std::uint64_t end = is_raw ? raw : first;
    const std::uint64_t offset = is_raw ? place - first_raw_place : place;
    return offset <= end && length <= end - offset;
  }
  [[nodiscard]] std::uint64_t longest() const noexcept { return first < raw ? raw : first; }
};

/// What the driver information says.
struct Split {
  // With %s for what both names have in common; those of which HDF5's tools and h5py know, and the only ones that new
  // files get: of other patterns, like %s.h5 beside %s-r.h5, two pairs may have the same file of raw data.
  std::string first_name = "%s-m.h5";
  std::string raw_name = "%s-r.h5";
  std::uint64_t raw_end = 0;  ///< bytes of raw data

  /// What the file of raw data is called beside the other one, unless that does not have its name. Throws bad_file
  /// errors for patterns that make both the same file.
  [[nodiscard]] std::optional<std::string> raw_name_beside(const std::string& first) const;
  /// Throws usage errors unless a new file may be called so.
  void require_name(const std::string& first) const;
  /// The names that they must have, for people.
  [[nodiscard]] std::string names() const;
  /// The driver information, as HDF5 writes it; `first_end` is the end of the metadata.
  [[nodiscard]] std::vector<std::byte> encode(std::uint64_t first_end) const;

  template <class Archive>
  void archive(Archive& a) {
    a(first_name, raw_name, raw_end);
  }
};

/// The name under which HDF5 knows the driver information, and its driver.
inline constexpr const char* split_information = "NCSAmult";
inline constexpr const char* split_driver = "multi";

/// Of a file whose superblock has been checked, of `size` bytes. Nothing for one that is not split. Throws bad_file
/// errors for damage, unsupported errors for other sets of files than those of two.
[[nodiscard]] std::optional<Split> read_split(const ReadBytes& read, std::uint64_t size, const Superblock& superblock);

/// The object header that extends later superblocks and has the driver information, without the times at which HDF5 has
/// made and changed it: the same bytes whenever they are written. Empty if there are none in it, or if it is long.
[[nodiscard]] std::vector<std::byte> timeless_extension(const ReadBytes& read, const Superblock& superblock);

/// What the file of raw data is called beside a file called `first`, be that damaged; nothing if it tells of none.
[[nodiscard]] std::optional<std::string> named_raw_file(ByteSource& bytes, const std::string& first);

}  // namespace quire::h5
