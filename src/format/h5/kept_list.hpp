#pragma once

#include "format/h5/hdf5.hpp"

namespace quire::h5 {

/// A property list that a process makes once: to make one costs about as much as the object that it is for. Whoever
/// gets it changes nothing of it, but what everybody sets anew in the same lock of the library. It is made again where
/// the program has closed the library since.
class KeptList {
 public:
  using Maker = Handle (*)();

  /// @param mark a name of its own, by which it is known from a list that has got its number
  KeptList(const char* mark, Maker make) noexcept : mark_(mark), make_(make) {}

  [[nodiscard]] Handle get();

 private:
  [[nodiscard]] bool is_there() const noexcept;

  const char* mark_;
  Maker make_;
  hid_t id_ = H5I_INVALID_HID;
};

}  // namespace quire::h5
