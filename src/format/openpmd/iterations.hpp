#pragma once

#include <hdf5.h>

#include <cstdint>
#include <string>
#include <vector>

#include "format/hdf5/image/image.hpp"
#include "format/hdf5/library/handle.hpp"
#include "format/openpmd/names.hpp"

namespace quire::hdf5 {

/// An iteration in the group of all.
struct IterationEntry {
  std::int64_t number = 0;
  std::string name;  ///< of its group; empty if the file has one iteration without a number
};

/// The iterations of an open file, by number. Other groups are named in `warnings`. Throws bad_file errors for a number
/// that occurs twice.
[[nodiscard]] std::vector<IterationEntry> list_iterations(hid_t file, Image& image, const SeriesPaths& paths,
                                                          std::uint64_t memory_budget,
                                                          std::vector<std::string>& warnings);

/// Opens a group by its path below another one; no handle if there is none.
[[nodiscard]] Handle group_at(hid_t parent, const std::string& path, Image& image);

}  // namespace quire::hdf5
