#pragma once

#include <hdf5.h>

#include <optional>
#include <string>
#include <vector>

#include "format/hdf5/image/image.hpp"
#include "format/hdf5/library/compound.hpp"
#include "format/hdf5/library/datasets.hpp"
#include "quire/model/description.hpp"

namespace quire::hdf5 {

/// A dataset of numbers, texts or compounds of them, and the attributes that decide how it is described.
struct PlainDataset {
  std::string path;  ///< from the root, without a leading slash
  std::string name;  ///< within its group
  DatasetDescription data;
  std::vector<CompoundValue> members;  ///< of a compound: its numbers and texts, the columns of data.run
  std::vector<Attribute> attributes;
};

/// The datasets of one group, by name.
struct PlainGroup {
  std::string path;  ///< empty for the root
  std::vector<PlainDataset> datasets;
  std::vector<std::string> order{};  ///< of its columns, if it is not that of their names
};

/// The datasets of a group, divided into its table and others.
struct SortedGroup {
  std::vector<PlainDataset> lines;   ///< the columns of its table: one-dimensional, of the most frequent length
  std::vector<PlainDataset> others;  ///< everything else
};
[[nodiscard]] SortedGroup sort_group(PlainGroup group);

/// All groups of the image's file that hold datasets, by path. Objects that are left out are named in `warnings`.
/// Throws bad_file errors for damage, and memory errors for files with more objects than the budget allows. If the file
/// is cut, objects that are not whole are left out.
[[nodiscard]] std::vector<PlainGroup> survey(hid_t file, Image& image, std::uint64_t memory_budget,
                                             std::vector<std::string>& warnings, Unwritten unwritten,
                                             bool is_cut = false);

}  // namespace quire::hdf5
