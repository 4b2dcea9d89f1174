#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "quire/model/type.hpp"
#include "quire/model/value.hpp"

namespace quire {

/// Values of a dataset in another file (or, with the name ".", in the same one) that are a box of a view.
struct ViewPiece {
  std::string file;                    ///< relative to the directory of the view file
  std::string path;                    ///< of the dataset in it
  std::vector<std::uint64_t> extents;  ///< of that dataset, whose elements fill the box in C order
  std::vector<std::uint64_t> start{};  ///< of the box in the view
  std::vector<std::uint64_t> count{};  ///< its extents
};

/// A dataset whose values are stored in others. Elements outside of its pieces are `fill`, or 0 for integers.
struct ViewDataset {
  std::string path;
  Type type = Type::float64;
  std::vector<std::uint64_t> extents;
  double fill = 0;
  std::vector<ViewPiece> pieces{};
};

/// The contents of an HDF5 file that shows values of other files to programs (HDF5 virtual datasets). Paths are
/// absolute; groups precede their members.
struct ViewFile {
  struct Named {
    std::string path;  ///< of the object
    std::string name;  ///< of its attribute
    Value value;
  };
  std::vector<std::string> groups{};
  std::vector<Named> attributes{};
  std::vector<std::pair<std::string, Value>> values{};          ///< datasets that are stored in the file itself
  std::vector<std::pair<std::string, std::uint64_t>> counts{};  ///< datasets of 0, 1, 2 ... up to a number, excluded
  std::vector<ViewDataset> views{};
};

/// Independent. The bytes of the file. Structures are those of HDF5 1.10, the first release with virtual datasets. The
/// other files are not opened. Throws usage errors for boxes that do not fit.
[[nodiscard]] std::vector<std::byte> view_file_bytes(const ViewFile& file);

}  // namespace quire
