#pragma once

#include <hdf5.h>

#include <string>
#include <vector>

#include "format/h5/hdf5.hpp"

namespace quire::h5 {

/// Datasets that a step has extended, until it is published.
class Extensions {
 public:
  /// Collective. Changes the extents of a dataset.
  void extend(const Handle& dataset, const std::vector<std::uint64_t>& extents, const std::string& name);
  /// Collective. Keeps the new extents, or restores the old ones.
  void keep() noexcept { all_.clear(); }
  void take_back();
  /// Gives up the datasets without closing them, which would wait for other ranks.
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
