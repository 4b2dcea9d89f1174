#include "mesh.hpp"

#include <algorithm>
#include <cmath>
#include <span>

namespace checkpoint {
namespace {

constexpr std::uint32_t kinds = 3;

/// The kind of an element: its id modulo 3.
quire::Expansion expansion_of(std::uint32_t kind) {
  quire::Expansion expansion;
  if (kind == 0) {
    expansion.shape = "Tetrahedron";
    expansion.basis = {"Modified_A", "Modified_B", "Modified_C"};  // no modes: each element has its own
  } else if (kind == 1) {
    expansion.shape = "Hexahedron";
    expansion.basis = {"GLL_Lagrange", "GLL_Lagrange", "GLL_Lagrange"};
    expansion.modes = {4, 4, 4};
  } else {
    expansion.shape = "Triangle";
    expansion.basis = {"Modified_A", "Modified_B", "Fourier"};
    expansion.modes = {3, 4, 2};
    expansion.lengths = {2 * std::acos(-1.0)};
    expansion.z_ids = {0, 1};
  }
  return expansion;
}

std::uint64_t order_of(std::uint32_t id) { return 3 + id / kinds % 4; }

double value_of(std::size_t variable, std::uint32_t id, std::uint64_t coefficient, double time) {
  return std::sin(time + static_cast<double>(id)) * static_cast<double>(variable + 1) +
         static_cast<double>(coefficient) / 64;
}

}  // namespace

Mesh::Mesh(std::uint32_t elements, int rank, int size) {
  const int owners = std::max(1, size - 1);
  for (std::uint32_t kind = 0; kind < kinds; ++kind) {
    Block block;
    block.expansion = expansion_of(kind);
    const bool is_mixed = block.expansion.is_mixed();
    if (is_mixed) block.modes.resize(block.expansion.basis.size());
    for (std::uint32_t id = kind; id < elements; id += kinds) {
      if (static_cast<int>(id / kinds * 7 % static_cast<std::uint32_t>(owners)) != rank) continue;
      const std::vector<std::uint64_t> modes =
          is_mixed ? std::vector<std::uint64_t>(3, order_of(id)) : block.expansion.modes;
      block.ids.push_back(id);
      block.counts.push_back(quire::element_coefficients(block.expansion, modes));
      for (std::size_t d = 0; d < block.modes.size(); ++d)
        block.modes[d].push_back(static_cast<std::uint32_t>(modes[d]));
    }
    block.values.resize(variables.size());
    if (!block.ids.empty()) blocks_.push_back(std::move(block));
  }
}

void Mesh::advance(double time) {
  for (Block& block : blocks_) {
    for (std::size_t v = 0; v < variables.size(); ++v) {
      block.values[v].clear();
      for (std::size_t i = 0; i < block.ids.size(); ++i) {
        for (std::uint64_t k = 0; k < block.counts[i]; ++k) {
          block.values[v].push_back(value_of(v, block.ids[i], k, time));
        }
      }
    }
  }
}

std::vector<quire::ElementPart> Mesh::parts() const {
  std::vector<quire::ElementPart> parts;
  for (const Block& block : blocks_) {
    quire::ElementPart& part = parts.emplace_back();
    part.expansion = block.expansion;
    part.ids = block.ids;
    part.modes.assign(block.modes.begin(), block.modes.end());
    part.variables.assign(variables.begin(), variables.end());
    part.values.assign(block.values.begin(), block.values.end());
  }
  return parts;
}

std::vector<std::uint32_t> wanted_ids(std::uint32_t elements, int rank, int size) {
  std::vector<std::uint32_t> ids;
  for (std::uint32_t id = 0; id < elements; ++id) {
    if (static_cast<int>(id % static_cast<std::uint32_t>(size)) == rank) ids.push_back(id);
  }
  return ids;
}

std::uint64_t right_elements(const quire::Elements& elements, double time) {
  std::uint64_t right = 0;
  for (const quire::ElementBlock& block : elements.blocks) {
    for (std::size_t i = 0; i < block.ids.size(); ++i) {
      bool is_right = true;
      for (std::size_t v = 0; v < block.variables.size(); ++v) {
        const auto variable =
            static_cast<std::size_t>(std::ranges::find(variables, block.variables[v]) - variables.begin());
        for (std::uint64_t k = block.offsets[i]; k < block.offsets[i + 1]; ++k) {
          const double wanted = value_of(variable, block.ids[i], k - block.offsets[i], time);
          is_right = is_right && block.values[v][static_cast<std::size_t>(k)] == wanted;
        }
      }
      right += is_right ? 1 : 0;
    }
  }
  return right;
}

}  // namespace checkpoint
