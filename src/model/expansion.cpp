#include <algorithm>
#include <array>
#include <utility>

#include "quire/base/error.hpp"
#include "quire/model/description.hpp"
#include "quire/spi/base/checked.hpp"

namespace quire {
namespace {

/// An upper limit, for which three of them multiply within 64 bits.
constexpr std::uint64_t most_modes = std::uint64_t{1} << 20;

/// A shape: its directions, and the number of additional homogeneous ones.
struct Shape {
  std::string_view name;
  std::size_t directions = 0;
  std::size_t most_homogeneous = 0;
};
constexpr std::array shapes{Shape{"Segment", 1, 2},     Shape{"Triangle", 2, 1}, Shape{"Quadrilateral", 2, 1},
                            Shape{"Tetrahedron", 3, 0}, Shape{"Pyramid", 3, 0},  Shape{"Prism", 3, 0},
                            Shape{"Hexahedron", 3, 0}};

const Shape& shape_named(std::string_view name) {
  const auto* found = std::ranges::find(shapes, name, &Shape::name);
  if (found == shapes.end()) throw Error(ErrorKind::bad_file, "unknown shape \"" + std::string(name) + "\"");
  return *found;
}

[[noreturn]] void refuse_modes(std::string_view shape, std::span<const std::uint64_t> modes) {
  std::string text;
  for (const std::uint64_t mode : modes) text += (text.empty() ? "" : ",") + std::to_string(mode);
  throw Error(ErrorKind::bad_file, "a " + std::string(shape) + " cannot have the modes " + text);
}

std::uint64_t triangle(std::uint64_t a, std::uint64_t b) { return a * b - a * (a - 1) / 2; }

// The sums of the specification in closed form, so that sizes in a file do not determine the run time.

std::uint64_t tetrahedron(std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  return a * b * c + a * (a - 1) / 2 * (a - 2) / 3 - a * (a - 1) / 2 * c - b * (b - 1) / 2 * a;
}

std::uint64_t pyramid(std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  const auto [low, high] = std::minmax(a, b);
  // The sum of max(p, q): over the square, and over the strip next to it.
  const std::uint64_t square = low * (low - 1) / 2 * (4 * low + 1) / 3;
  const std::uint64_t strip = low * ((high * (high - 1) - low * (low - 1)) / 2);
  return a * b * c - square - strip;
}

/// The number of planes or lines of every element.
std::uint64_t planes_of(const Expansion& expansion, std::span<const std::uint64_t> modes) {
  const auto& lines = expansion.homogeneous_directions() == 2 ? expansion.y_ids : expansion.z_ids;
  if (!lines.empty()) return lines.size();
  std::uint64_t planes = 1;  // files from before 2012
  for (const std::uint64_t mode : modes.last(expansion.homogeneous_directions())) {
    if (mode == 0 || mode > most_modes) refuse_modes(expansion.shape, modes);
    planes *= mode;
  }
  return planes;
}

}  // namespace

std::size_t dimensions_of(std::string_view shape) { return shape_named(shape).directions; }

std::uint64_t coefficients_of(std::string_view shape, std::span<const std::uint64_t> modes) {
  const std::size_t directions = dimensions_of(shape);
  const auto is_possible = [](std::uint64_t mode) { return mode > 0 && mode <= most_modes; };
  if (modes.size() != directions || !std::ranges::all_of(modes, is_possible)) refuse_modes(shape, modes);
  const std::uint64_t a = modes[0];
  const std::uint64_t b = directions > 1 ? modes[1] : 1;
  const std::uint64_t c = directions > 2 ? modes[2] : 1;
  const auto require = [&](bool condition) {
    if (!condition) refuse_modes(shape, modes);
  };
  if (shape == "Triangle") {
    require(a <= b);
    return triangle(a, b);
  }
  if (shape == "Prism") {
    require(a <= c);
    return b * triangle(a, c);
  }
  if (shape == "Tetrahedron") {
    require(a <= b && b <= c);
    return tetrahedron(a, b, c);
  }
  if (shape == "Pyramid") {
    require(a <= c && b <= c);
    return pyramid(a, b, c);
  }
  return a * b * c;
}

std::uint64_t element_coefficients(const Expansion& expansion, std::span<const std::uint64_t> modes) {
  const std::size_t own = dimensions_of(expansion.shape);
  if (modes.size() != expansion.basis.size() || modes.size() < own) refuse_modes(expansion.shape, modes);
  return checked_multiply(coefficients_of(expansion.shape, modes.first(own)), planes_of(expansion, modes));
}

void check_expansion(const Expansion& expansion) {
  const Shape& shape = shape_named(expansion.shape);
  const auto refuse = [&](const std::string& what) {
    throw Error(ErrorKind::bad_file, "an expansion on " + expansion.shape + "s " + what);
  };
  const std::size_t homogeneous = expansion.homogeneous_directions();
  if (homogeneous > shape.most_homogeneous) {
    refuse("has " + std::to_string(homogeneous) + " homogeneous directions");
  }
  if (expansion.basis.size() != shape.directions + homogeneous) {
    refuse("has " + std::to_string(expansion.basis.size()) + " bases for " +
           std::to_string(shape.directions + homogeneous) + " directions");
  }
  if (!expansion.is_mixed() && expansion.modes.size() != expansion.basis.size()) {
    refuse("has " + std::to_string(expansion.modes.size()) + " numbers of modes for " +
           std::to_string(expansion.basis.size()) + " directions");
  }
  if (homogeneous == 0 && (!expansion.y_ids.empty() || !expansion.z_ids.empty() || !expansion.strip_ids.empty())) {
    refuse("has planes or lines without a homogeneous direction");
  }
  if (homogeneous == 1 && !expansion.y_ids.empty()) refuse("has lines, but one homogeneous direction");
  if (homogeneous == 2 && expansion.y_ids.size() != expansion.z_ids.size()) {
    refuse("has " + std::to_string(expansion.y_ids.size()) + " positions of lines along y and " +
           std::to_string(expansion.z_ids.size()) + " along z");
  }
  if (!expansion.is_mixed()) static_cast<void>(element_coefficients(expansion, expansion.modes));
}

}  // namespace quire
