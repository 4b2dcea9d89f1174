#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "quire/quire.hpp"

namespace checkpoint {

/// The variables of the run.
inline const std::array<std::string, 4> variables{"u", "v", "w", "p"};

/// The elements of one rank at one time: tetrahedra whose orders differ, hexahedra, and triangles with two planes. The
/// coefficients follow from id, variable and time, so a reader can verify each element.
class Mesh {
 public:
  /// The part of rank `rank` of `size` of a mesh of so many elements; the last of several ranks has none.
  Mesh(std::uint32_t elements, int rank, int size);

  void advance(double time);
  /// What is put; looks at the memory of this mesh.
  [[nodiscard]] std::vector<quire::ElementPart> parts() const;

 private:
  struct Block {
    quire::Expansion expansion;
    std::vector<std::uint32_t> ids;
    std::vector<std::vector<std::uint32_t>> modes;  ///< of each direction, if they are mixed
    std::vector<std::uint64_t> counts;              ///< of coefficients of each element
    std::vector<std::vector<double>> values;        ///< of each variable
  };
  std::vector<Block> blocks_;
};

/// The ids that rank `rank` of `size` wants after a restart: others than it wrote.
[[nodiscard]] std::vector<std::uint32_t> wanted_ids(std::uint32_t elements, int rank, int size);

/// How many of these elements have exactly the coefficients that they should have at this time.
[[nodiscard]] std::uint64_t right_elements(const quire::Elements& elements, double time);

}  // namespace checkpoint
