#pragma once

#include <cstdint>

#include "quire/spi/plan/member.hpp"

namespace quire::hdf5 {

// An address in a file of HDF5, and the place of its byte. They are the same but for the raw data of a split file,
// which HDF5 lets begin at half of the address space: they belong to member 1 of a set of files.

/// The begin of HDF5's addresses of raw data: HADDR_MAX / 2 (H5FDmulti.c; files of HDF5 1.10 to 2.0 have it).
inline constexpr std::uint64_t first_raw_address = 0x7fff'ffff'ffff'ffff;
inline constexpr std::uint64_t first_raw_place = std::uint64_t{1} << member_shift;
/// A place beyond the end of any file.
inline constexpr std::uint64_t nowhere = std::uint64_t{1} << 63;

/// Converts an address inside an HDF5 file to a place in the set.
[[nodiscard]] constexpr std::uint64_t place_of(std::uint64_t address) noexcept {
  return address < first_raw_address ? address : first_raw_place + (address - first_raw_address);
}
/// The same in a split file: a damaged address between both files does not count as raw data.
[[nodiscard]] constexpr std::uint64_t place_in_split(std::uint64_t address) noexcept {
  return address >= first_raw_place && address < first_raw_address ? nowhere : place_of(address);
}
/// The inverse, for places in the file of raw data.
[[nodiscard]] constexpr std::uint64_t raw_address_of(std::uint64_t place) noexcept {
  return first_raw_address + (place - first_raw_place);
}

/// The end of a file, or of both files.
struct FileEnds {
  std::uint64_t first = 0;
  std::uint64_t raw = 0;  ///< of the file of raw data; 0 if the file is not split

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

}  // namespace quire::hdf5
