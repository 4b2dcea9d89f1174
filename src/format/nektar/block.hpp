#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "format/nektar/range_list.hpp"
#include "quire/base/error.hpp"
#include "quire/model/expansion.hpp"
#include "quire/plan/record.hpp"

namespace quire::nektar {

/// Elements of one shape, and the variables that they carry: what the specification calls a block.
struct Block {
  Expansion expansion;
  std::vector<std::string> variables;
  std::uint64_t elements = 0;
  std::uint64_t coefficients = 0;  ///< of one variable
};

/// Splits the SHAPE of a file into the name of the shape, its homogeneous directions (as many lengths are expected) and
/// strips (specs/nektar-fld.md section 1.1).
struct ShapeText {
  std::string shape;
  std::size_t homogeneous = 0;
  bool strips = false;
};
[[nodiscard]] ShapeText parse_shape(const std::string& text);
[[nodiscard]] std::string shape_text(const Expansion& expansion);

/// Takes a SHAPE and, once they are known, the lengths. Throws bad_file errors if they do not fit.
void set_shape(Expansion& expansion, const ShapeText& shape, std::vector<double> lengths);

/// What stands behind `UNIORDER:` or `MIXORDER:`.
struct OrderText {
  bool is_mixed = false;
  std::vector<std::uint64_t> modes;
};
[[nodiscard]] OrderText parse_order(const std::string& text);

/// The coefficients of elements with the modes of all, one behind the other. Throws bad_file errors.
[[nodiscard]] std::uint64_t mixed_coefficients(const Expansion& expansion, std::span<const std::uint64_t> modes);
/// Sets the number of coefficients of a block whose elements all have one order. Throws bad_file errors.
void count_uniform(Block& block);

/// Says in an error about the number of values of a block what may be behind it: pyramids had another number before
/// April 2017 (specs/nektar-fld.md section 1.3).
[[nodiscard]] Error advised_on_count(Error error, const Expansion& expansion);

/// Throws bad_file errors for variables without a name, or two of one name.
void check_variables(std::vector<std::string_view> variables);

/// What blocks of one table have in common.
[[nodiscard]] std::string kind_of(const Block& block);

/// Whether blocks of one kind go to one table: then no list of tables grows with the ranks that have written a file.
enum class Blocks : std::uint8_t { joined, each };

/// The runs of the columns of a table whose rows stand in these pieces, with `records` rows in all. `like` tells byte
/// order and path. What stands in one piece are runs like any others.
[[nodiscard]] std::vector<Run> runs_in_pieces(const Run& like, std::vector<Piece> pieces, std::uint64_t records,
                                              std::vector<Cell> cells, bool by_cell);

/// Adds blocks to a step as tables: of coefficients, named by the shape, and of elements.
class BlockTables {
 public:
  explicit BlockTables(StepLayout& step) : step_(step) {}
  /// The runs hold the cells of the coefficients' columns (variables), and of the elements' (id, modes).
  void add(Block block, Place coefficients, Place elements);

 private:
  StepLayout& step_;
  std::map<std::string, std::uint64_t, std::less<>> of_shape_;
};

}  // namespace quire::nektar
