#include "moments.hpp"

#include <cmath>
#include <string>

#include "exact_sum.hpp"

namespace fodo {

namespace {

struct CoordinateText {
  const char* name;
  const char* unit;
  const char* description;
};

constexpr std::array<CoordinateText, coordinate_count> texts{{
    {"x", "m", "horizontal position"},
    {"px", "1", "horizontal momentum Px/P0"},
    {"y", "m", "vertical position"},
    {"py", "1", "vertical momentum Py/P0"},
    {"z", "m", "position ahead of the reference particle"},
    {"delta", "1", "relative momentum deviation (P-P0)/P0"},
}};

/// Sums of products about the centroid: six squares, then qp of the three planes.
constexpr std::size_t product_count = coordinate_count + 3;

std::array<ExactSum, product_count> products(const Bunch& bunch, const std::array<double, coordinate_count>& centroid) {
  std::array<ExactSum, product_count> sums;
  for (std::size_t i = 0; i < bunch.size(); ++i) {
    std::array<double, coordinate_count> from{};
    for (std::size_t c = 0; c < coordinate_count; ++c) {
      from[c] = bunch.coordinates[c][i] - centroid[c];
      sums[c].add(from[c] * from[c]);
    }
    for (std::size_t plane = 0; plane < 3; ++plane) {
      sums[coordinate_count + plane].add(from[2 * plane] * from[2 * plane + 1]);
    }
  }
  return sums;
}

}  // namespace

Moments measure(const Bunch& bunch, quire::Comm& comm) {
  Moments moments;
  std::array<ExactSum, coordinate_count + 1> sums;
  sums.back().add(static_cast<double>(bunch.size()));
  for (std::size_t c = 0; c < coordinate_count; ++c) {
    for (const double value : bunch.coordinates[c]) sums[c].add(value);
  }
  sum_over_ranks(sums, comm);
  const double count = sums.back().rounded();
  moments.particles = static_cast<std::uint64_t>(count);
  if (moments.particles == 0) return moments;
  for (std::size_t c = 0; c < coordinate_count; ++c) moments.centroid[c] = sums[c].rounded() / count;

  auto second = products(bunch, moments.centroid);
  sum_over_ranks(second, comm);
  for (std::size_t c = 0; c < coordinate_count; ++c) moments.rms[c] = std::sqrt(second[c].rounded() / count);
  for (std::size_t plane = 0; plane < 3; ++plane) {
    const double qq = second[2 * plane].rounded() / count;
    const double pp = second[2 * plane + 1].rounded() / count;
    const double qp = second[coordinate_count + plane].rounded() / count;
    moments.emittance[plane] = std::sqrt(std::fmax(0.0, qq * pp - qp * qp));
  }
  return moments;
}

quire::Attribute attribute(const std::string& name, quire::Value value, const std::string& unit,
                           const std::string& description) {
  quire::Attribute result;
  result.name = name;
  result.type = value.type();
  result.unit = unit;
  result.description = description;
  result.value = std::move(value);
  return result;
}

std::vector<quire::Attribute> attributes_of(const Moments& moments) {
  std::vector<quire::Attribute> all;
  all.push_back(
      attribute("particles", quire::Value(static_cast<std::int64_t>(moments.particles)), "", "number of particles"));
  for (std::size_t c = 0; c < coordinate_count; ++c) {
    all.push_back(attribute(std::string("C") + texts[c].name, quire::Value(moments.centroid[c]), texts[c].unit,
                            std::string("centroid of the ") + texts[c].description));
  }
  for (std::size_t c = 0; c < coordinate_count; ++c) {
    all.push_back(attribute(std::string("S") + texts[c].name, quire::Value(moments.rms[c]), texts[c].unit,
                            std::string("rms of the ") + texts[c].description));
  }
  for (std::size_t plane = 0; plane < 3; ++plane) {
    const std::string name = texts[2 * plane].name;
    all.push_back(
        attribute("e" + name, quire::Value(moments.emittance[plane]), "m", "projected geometric emittance in " + name));
  }
  return all;
}

quire::Column column_of(Coordinate coordinate) {
  const CoordinateText& text = texts[coordinate];
  quire::Column column;
  column.name = text.name;
  column.type = quire::Type::float64;
  column.unit = text.unit;
  column.description = text.description;
  return column;
}

}  // namespace fodo
