#pragma once

#include <cstdint>
#include <map>

#include "format/hdf5/guard/header_check.hpp"

namespace quire::hdf5 {

/// Whether the structures of a file may overlap. A change would overwrite one of them, or free its bytes twice. Readers
/// are not affected: only values must not overlap structures, whose bytes they would be.
enum class Overlaps : std::uint8_t { of_structures, none };

/// The places of structures and values in a file, as far as they are known, of which no two may overlap.
class SeparatePlaces {
 public:
  explicit SeparatePlaces(Overlaps allowed) : allowed_(allowed) {}

  /// Adds the place of a structure; the same place may be added again. Throws a bad_file error with the offset `at` of
  /// the structure that refers to it if it overlaps another one and may not.
  void add(std::uint64_t at, std::uint64_t offset, std::uint64_t length);
  /// Adds the parts of a header.
  void add_header(const SoundHeader& header);
  /// Checks the place of the values of a header, and adds it if nothing may overlap.
  void add_values(const SoundHeader& header, std::uint64_t offset, std::uint64_t length);
  void clear() noexcept { places_.clear(); }

  /// Throws the error of places that overlap.
  [[noreturn]] static void refuse(std::uint64_t at);

 private:
  struct Place {
    std::uint64_t end = 0;
    std::uint64_t owner = 0;  ///< of values: the address of the header; 0 for structures
  };

  /// Adds a place. Returns false if it overlaps one that is not the same.
  bool insert(std::uint64_t offset, const Place& place);

  Overlaps allowed_;
  std::map<std::uint64_t, Place> places_;  ///< by begin
};

/// The bytes of a header of any version before those that may be longer.
inline constexpr std::uint64_t shortest_header = 16;

}  // namespace quire::hdf5
