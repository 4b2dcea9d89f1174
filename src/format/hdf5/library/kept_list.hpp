#pragma once

#include "format/hdf5/library/handle.hpp"

namespace quire::hdf5 {

/// A property list that a process creates once, because creating one costs about as much as the object that uses it.
/// Users must not change it, except for properties that all users set again while they hold the lock of the library. It
/// is created again if the program has closed the library.
class KeptList {
 public:
  using Maker = Handle (*)();

  /// @param mark a unique name that distinguishes the list from another one with the same identifier
  KeptList(const char* mark, Maker make) noexcept : mark_(mark), make_(make) {}

  [[nodiscard]] Handle get();

 private:
  [[nodiscard]] bool is_there() const noexcept;

  const char* mark_;
  Maker make_;
  hid_t id_ = H5I_INVALID_HID;
};

}  // namespace quire::hdf5
