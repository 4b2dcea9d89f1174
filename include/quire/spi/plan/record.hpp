#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "quire/model/description.hpp"
#include "quire/model/type.hpp"
#include "quire/spi/base/endian.hpp"
#include "quire/spi/plan/chunks.hpp"

namespace quire {

/// One value inside a record.
struct Cell {
  std::uint64_t column = 0;  ///< the column of the table (or component of the field)
  Type type = Type::float64;
  std::uint64_t text_bytes = 0;  ///< of a string of fixed size (Column::text_bytes)
  template <class Archive>
  void archive(Archive& a) {
    a(column, type, text_bytes);
  }
};

/// The bytes of a cell; 0 for strings of any size.
[[nodiscard]] inline std::uint64_t bytes_of(const Cell& cell) noexcept {
  return cell.type == Type::string ? cell.text_bytes : size_of(cell.type);
}

/// The offset of every `every`-th record of variable size: a bounded sample, so that a rank can start near its rows.
struct Marks {
  std::uint64_t every = 0;
  std::vector<std::uint64_t> offsets;  ///< offsets[i] is the absolute offset of record i * every
  template <class Archive>
  void archive(Archive& a) {
    a(every, offsets);
  }
};

/// How values are written as text. Strings always read back unchanged; `canonical` may lose the last digits of numbers.
enum class TextStyle : std::uint8_t {
  lossless,   ///< the shortest digits that preserve every number; nothing that readers may mistake for a comment
  canonical,  ///< as the reference implementation: digits and blanks as by printf
};

/// How records of text are split into values: blank-separated tokens with quotes, escapes and comments
/// (specs/sdds.md sections 3.1 and 3.4 to 3.8).
struct TextLayout {
  std::int64_t lines_per_row = 1;    ///< 0: line ends are white space
  std::vector<std::int64_t> widths;  ///< of each cell's field in bytes; 0: a token; < 0: surrounding space is dropped

  // For reading:
  bool strict = false;  ///< numbers followed by text and integers out of range are errors

  // For writing:
  TextStyle style = TextStyle::lossless;
  std::uint64_t values_per_line = 0;  ///< of an array: a line ends after so many values, and after the last one
  std::uint64_t first_value = 0;      ///< of an array: the index of the first value of the run
  std::uint64_t values = 0;           ///< of an array: the number of its values

  template <class Archive>
  void archive(Archive& a) {
    a(lines_per_row, widths, style, values_per_line, first_value, values, strict);
  }
};

/// A part of the records of a run that is stored separately in the file.
struct Piece {
  std::uint64_t first = 0;   ///< its first record in the run; it ends where the next piece begins
  std::uint64_t offset = 0;  ///< in the file
  template <class Archive>
  void archive(Archive& a) {
    a(first, offset);
  }
};

/// Consecutive records in the file: the one way in which tables and fields of every format are laid out.
///
/// Rows of an interleaved table are records of many cells; a contiguous column is a run with one cell.
/// A string cell is a 32-bit byte count in `order` and the bytes; in records of fixed size it has `text_bytes`, text
/// followed by zeros. All other cells have the size of their type.
/// float80 cells in big-endian runs are stored as in specs/sdds.md section 4.3.
struct Run {
  std::uint64_t offset = 0;
  std::uint64_t records = 0;
  std::uint64_t record_bytes = 0;  ///< 0 if the records have no fixed size
  std::uint64_t bytes = 0;         ///< of the whole run
  ByteOrder order = native_order;
  std::vector<Cell> cells;         ///< in file order
  Marks marks;                     ///< only where record_bytes is 0
  std::optional<TextLayout> text;  ///< the records are lines of text, not cells of bytes; record_bytes is 0
  /// The records are a chunked array in C order: each is one element, or all elements along the last axis if it is as
  /// large as these. The run's own offset is unused then.
  std::optional<ChunkedLayout> chunks;
  /// The records of fixed size are stored in pieces, by rising first records, none of them empty: written by many
  /// ranks. The run's own offset is unused then. `by_cell`: each piece holds all values of the first cell, then all of
  /// the next one, instead of whole records.
  std::vector<Piece> pieces = {};
  bool by_cell = false;
  bool opaque = false;  ///< the bytes cannot be addressed; the format itself must read them
  /// The path of the records inside the file, for references from outside, if the file is a container with named
  /// objects (HDF5).
  std::string path = {};
  bool is_part = false;  ///< the object at this path holds more than these records
  template <class Archive>
  void archive(Archive& a) {
    a(offset, records, record_bytes, bytes, order, cells, marks, text, chunks, pieces, by_cell, opaque, path, is_part);
  }
};

/// The location of a table or a field. Each column is a cell of exactly one run.
struct Place {
  std::vector<Run> runs;
  template <class Archive>
  void archive(Archive& a) {
    a(runs);
  }
};

/// A step as described from the file: its contents and their location.
struct StepLayout {
  StepDescription description;
  std::vector<Place> tables;  ///< one for each of description.tables
  std::vector<Place> fields;  ///< one for each of description.fields; a run per component, records in C order
  std::uint64_t offset = 0;   ///< of the first byte of the step; 0 if the format has no such offset
  std::uint64_t end = 0;      ///< offset after the last byte of the step
  template <class Archive>
  void archive(Archive& a) {
    a(description, tables, fields, offset, end);
  }
};

}  // namespace quire
