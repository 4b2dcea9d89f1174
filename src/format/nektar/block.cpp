#include "format/nektar/block.hpp"

#include <algorithm>
#include <utility>

#include "quire/base/error.hpp"
#include "quire/model/type.hpp"
#include "quire/spi/base/archive.hpp"
#include "quire/spi/base/checked.hpp"

namespace quire::nektar {
namespace {

constexpr std::string_view one_direction = "-HomogenousExp1D";  // sic
constexpr std::string_view two_directions = "-HomogenousExp2D";
constexpr std::string_view with_strips = "-Strips";

}  // namespace

ShapeText parse_shape(const std::string& text) {
  const std::size_t dash = std::min(text.find('-'), text.size());
  ShapeText shape{.shape = text.substr(0, dash)};
  if (dash == text.size()) return shape;
  shape.homogeneous = text.find("Exp1D", dash) != std::string::npos ? 1 : 2;
  shape.strips = text.find("Strips", dash) != std::string::npos;
  return shape;
}

std::string shape_text(const Expansion& expansion) {
  std::string text = expansion.shape;
  if (expansion.homogeneous_directions() == 1) text += one_direction;
  if (expansion.homogeneous_directions() == 2) text += two_directions;
  if (expansion.strips) text += with_strips;
  return text;
}

void set_shape(Expansion& expansion, const ShapeText& shape, std::vector<double> lengths) {
  expansion.shape = shape.shape;
  expansion.strips = shape.strips;
  if (lengths.size() != shape.homogeneous) {
    throw Error(ErrorKind::bad_file, "there are " + std::to_string(lengths.size()) + " homogeneous lengths for " +
                                         std::to_string(shape.homogeneous) + " homogeneous directions");
  }
  expansion.lengths = std::move(lengths);
}

OrderText parse_order(const std::string& text) {
  constexpr std::size_t keyword = 9;
  OrderText order;
  order.is_mixed = text.starts_with("MIXORDER:");
  if (!order.is_mixed && !text.starts_with("UNIORDER:")) {
    throw Error(ErrorKind::bad_file, "the modes are neither UNIORDER nor MIXORDER").on("NUMMODESPERDIR");
  }
  order.modes = parse_numbers(std::string_view(text).substr(keyword));
  return order;
}

std::uint64_t mixed_coefficients(const Expansion& expansion, std::span<const std::uint64_t> modes) {
  const std::size_t directions = expansion.basis.size();
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i + directions <= modes.size(); i += directions) {
    sum = checked_add(sum, element_coefficients(expansion, modes.subspan(i, directions)));
  }
  return sum;
}

void count_uniform(Block& block) {
  block.coefficients = checked_multiply(block.elements, element_coefficients(block.expansion, block.expansion.modes));
}

Error advised_on_count(Error error, const Expansion& expansion) {
  if (expansion.shape != "Pyramid" || error.kind() != ErrorKind::bad_file || !error.advice().empty()) return error;
  return error.advise(
      "files from before April 2017 count the coefficients of pyramids differently, and no current program reads them");
}

void check_variables(std::vector<std::string_view> variables) {
  std::ranges::sort(variables);
  if (!variables.empty() && variables.front().empty()) throw Error(ErrorKind::bad_file, "a variable has no name");
  const auto twice = std::ranges::adjacent_find(variables);
  if (twice == variables.end()) return;
  throw Error(ErrorKind::bad_file, "a variable occurs twice").on(std::string(*twice));
}

std::string kind_of(const Block& block) {
  Expansion expansion = block.expansion;
  expansion.origin.clear();
  const auto bytes = pack(block.variables);
  const auto more = pack(expansion);
  std::string kind(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return kind.append(reinterpret_cast<const char*>(more.data()), more.size());
}

std::vector<Run> runs_in_pieces(const Run& like, std::vector<Piece> pieces, std::uint64_t records,
                                std::vector<Cell> cells, bool by_cell) {
  Run base;
  base.order = like.order;
  base.path = like.path;
  base.records = records;
  if (pieces.size() == 1) base.offset = pieces.front().offset;
  const auto finished = [&](Run run, std::vector<Cell> own) {
    run.cells = std::move(own);
    for (const Cell& cell : run.cells) run.record_bytes += size_of(cell.type);
    run.bytes = checked_multiply(run.records, run.record_bytes);
    return run;
  };
  std::vector<Run> runs;
  if (pieces.size() > 1) {
    base.pieces = std::move(pieces);
    base.by_cell = by_cell;
    runs.push_back(finished(std::move(base), std::move(cells)));
  } else if (!by_cell) {
    runs.push_back(finished(std::move(base), std::move(cells)));
  } else {
    for (const Cell& cell : cells) {
      runs.push_back(finished(base, {cell}));
      base.offset += runs.back().bytes;
    }
  }
  return runs;
}

void BlockTables::add(Block block, Place coefficients, Place elements) {
  const std::uint64_t count = ++of_shape_[block.expansion.shape];
  Table values;
  values.name = block.expansion.shape + (count == 1 ? "" : "_" + std::to_string(count));
  values.rows = block.coefficients;
  for (const std::string& variable : block.variables) {
    Column column;
    column.name = variable;
    values.columns.push_back(std::move(column));
  }
  Table rows;
  rows.name = values.name + "_elements";
  rows.rows = block.elements;
  const auto add_column = [&](std::string name) {
    Column column;
    column.name = std::move(name);
    column.type = Type::uint32;
    rows.columns.push_back(std::move(column));
  };
  add_column(id_column());
  for (std::size_t i = 0; block.expansion.is_mixed() && i < block.expansion.basis.size(); ++i) {
    add_column(modes_column(i));
  }
  block.expansion.elements = rows.name;
  values.expansion = std::move(block.expansion);
  step_.description.tables.push_back(std::move(values));
  step_.description.tables.push_back(std::move(rows));
  step_.tables.push_back(std::move(coefficients));
  step_.tables.push_back(std::move(elements));
}

}  // namespace quire::nektar
