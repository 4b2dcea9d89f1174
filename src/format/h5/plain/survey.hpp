#pragma once

#include <hdf5.h>

#include <optional>
#include <string>
#include <vector>

#include "format/h5/datasets.hpp"
#include "format/h5/image.hpp"
#include "format/h5/plain/compound.hpp"
#include "quire/model/description.hpp"

namespace quire::h5 {

/// A data set of numbers, texts or compounds of them, and everything that decides what becomes of it.
struct PlainDataset {
  std::string path;  ///< from the root, without a slash in front
  std::string name;  ///< within its group
  DatasetDescription data;
  std::vector<CompoundValue> members;  ///< of a compound: its numbers and texts, the columns of data.run
  std::vector<Attribute> attributes;
};

/// The data sets of one group, by name.
struct PlainGroup {
  std::string path;  ///< empty for the root
  std::vector<PlainDataset> datasets;
};

/// A group whose table is known.
struct SortedGroup {
  std::vector<PlainDataset> lines;   ///< the columns of its table: of one dimension and the length that most have
  std::vector<PlainDataset> others;  ///< everything else
};
[[nodiscard]] SortedGroup sort_group(PlainGroup group);

/// All groups of the image's file that hold data sets, by path. What is left out is named in `warnings`. Throws
/// bad_file errors for what is damaged, and memory errors for files with more objects than the budget allows.
[[nodiscard]] std::vector<PlainGroup> survey(hid_t file, Image& image, std::uint64_t memory_budget,
                                             std::vector<std::string>& warnings, Unwritten unwritten);

}  // namespace quire::h5
