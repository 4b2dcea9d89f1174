#pragma once

#include <hdf5.h>

#include <string>
#include <vector>

#include "format/h5/hdf5.hpp"

namespace quire::h5 {

/// Data sets that a step has made larger, until it is published.
class Extensions {
 public:
  /// Collective. Gives a data set these extents.
  void extend(const Handle& dataset, const std::vector<std::uint64_t>& extents, const std::string& name);
  /// Collective. They stay as they are now, or get the extents that they had.
  void keep() noexcept { all_.clear(); }
  void take_back();
  /// Lets go of the data sets without closing them, which would wait for other ranks.
  void abandon() noexcept;

 private:
  struct Extension {
    Handle dataset;
    std::vector<hsize_t> before;
    std::string name;
  };
  std::vector<Extension> all_;
};

}  // namespace quire::h5
