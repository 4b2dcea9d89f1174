#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "format/nektar/range_list.hpp"
#include "quire/base/error.hpp"
#include "quire/model/description.hpp"
#include "quire/spi/plan/record.hpp"

namespace quire::nektar {

/// Elements of one shape and their variables: a block of the specification.
struct Block {
  Expansion expansion;
  std::vector<std::string> variables;
  std::uint64_t elements = 0;
  std::uint64_t coefficients = 0;  ///< of one variable
};

/// The SHAPE of a file, split into the name of the shape, the number of homogeneous directions (and of lengths), and
/// strips (specs/nektar-fld.md section 1.1).
struct ShapeText {
  std::string shape;
  std::size_t homogeneous = 0;
  bool strips = false;
};
[[nodiscard]] ShapeText parse_shape(const std::string& text);
[[nodiscard]] std::string shape_text(const Expansion& expansion);

/// Sets the shape and the lengths. Throws bad_file errors if they do not match.
void set_shape(Expansion& expansion, const ShapeText& shape, std::vector<double> lengths);

/// The text after `UNIORDER:` or `MIXORDER:`.
struct OrderText {
  bool is_mixed = false;
  std::vector<std::uint64_t> modes;
};
[[nodiscard]] OrderText parse_order(const std::string& text);

/// The number of coefficients of elements whose modes are given one element after another. Throws bad_file errors.
[[nodiscard]] std::uint64_t mixed_coefficients(const Expansion& expansion, std::span<const std::uint64_t> modes);
/// Sets the number of coefficients of a block whose elements have the same order. Throws bad_file errors.
void count_uniform(Block& block);

/// Adds to an error about the number of values of a block that pyramids had another number before April 2017
/// (specs/nektar-fld.md section 1.3).
[[nodiscard]] Error advised_on_count(Error error, const Expansion& expansion);

/// Throws bad_file errors for variables without a name and for repeated names.
void check_variables(std::vector<std::string_view> variables);

/// Equal for blocks that can be one table.
[[nodiscard]] std::string kind_of(const Block& block);

/// Whether blocks of one kind are one table. If so, the number of tables does not grow with the ranks that wrote a
/// file.
enum class Blocks : std::uint8_t { joined, each };

/// The runs of the columns of a table whose rows are stored in these pieces, with `records` rows in all. `like` gives
/// byte order and path. A single piece gives plain runs.
[[nodiscard]] std::vector<Run> runs_in_pieces(const Run& like, std::vector<Piece> pieces, std::uint64_t records,
                                              std::vector<Cell> cells, bool by_cell);

/// Adds blocks to a step as pairs of tables: coefficients, named after the shape, and elements.
class BlockTables {
 public:
  explicit BlockTables(StepLayout& step) : step_(step) {}
  /// The runs contain the cells of the columns of coefficients (variables) and of elements (id, modes).
  void add(Block block, Place coefficients, Place elements);

 private:
  StepLayout& step_;
  std::map<std::string, std::uint64_t, std::less<>> of_shape_;
};

}  // namespace quire::nektar
