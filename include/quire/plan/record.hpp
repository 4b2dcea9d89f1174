#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "quire/base/endian.hpp"
#include "quire/model/description.hpp"
#include "quire/model/type.hpp"
#include "quire/plan/chunks.hpp"

namespace quire {

/// One value inside a record.
struct Cell {
  std::uint64_t column = 0;  ///< which column of the table (or component of the field) it belongs to
  Type type = Type::float64;
  template <class Archive>
  void archive(Archive& a) {
    a(column, type);
  }
};

/// Where every `every`-th record of variable size begins: a bounded sample, so that a rank can start near its rows.
struct Marks {
  std::uint64_t every = 0;
  std::vector<std::uint64_t> offsets;  ///< offsets[i] is the absolute offset of record i * every
  template <class Archive>
  void archive(Archive& a) {
    a(every, offsets);
  }
};

/// How values become text. Both read back to the same strings; numbers may lose their last digits in the second one.
enum class TextStyle : std::uint8_t {
  lossless,   ///< the shortest digits that keep every number; nothing that a careless reader could take for a comment
  canonical,  ///< as the reference implementation of the field writes: digits and blanks as by printf
};

/// How records that are written as text are cut into values: blank-separated tokens with quotes, escapes and comments
/// (specs/sdds.md sections 3.1 and 3.4 to 3.8).
struct TextLayout {
  std::int64_t lines_per_row = 1;    ///< 0: line ends mean nothing
  std::vector<std::int64_t> widths;  ///< of each cell's field in bytes; 0: a token; < 0: white space around is dropped

  // Where text is read:
  bool strict = false;  ///< numbers with text behind them and integers beyond their type are refused

  // Where text is written:
  TextStyle style = TextStyle::lossless;
  std::uint64_t values_per_line = 0;  ///< of an array: a line ends behind so many values, and behind its last one
  std::uint64_t first_value = 0;      ///< of an array: which of its values is the first of the run,
  std::uint64_t values = 0;           ///< and how many it has

  template <class Archive>
  void archive(Archive& a) {
    a(lines_per_row, widths, style, values_per_line, first_value, values, strict);
  }
};

/// Some of the records of a run that stand by themselves in the file.
struct Piece {
  std::uint64_t first = 0;   ///< which record of the run is its first one; it ends where the next piece begins
  std::uint64_t offset = 0;  ///< where it stands
  template <class Archive>
  void archive(Archive& a) {
    a(first, offset);
  }
};

/// Records one behind the other in the file: the one way in which tables and fields of every format are laid out.
///
/// Rows of an interleaved table are records of many cells; a contiguous column is a run with one cell.
/// A string cell is a 32-bit byte count in `order` and the bytes; all other cells have the size of their type.
/// float80 cells in big-endian runs are stored as specs/sdds.md section 4.3 says.
struct Run {
  std::uint64_t offset = 0;
  std::uint64_t records = 0;
  std::uint64_t record_bytes = 0;  ///< 0 if the records have no fixed size
  std::uint64_t bytes = 0;         ///< of the whole run
  ByteOrder order = native_order;
  std::vector<Cell> cells;         ///< in file order
  Marks marks;                     ///< only where record_bytes is 0
  std::optional<TextLayout> text;  ///< the records are lines of text, not cells of bytes; record_bytes is 0
  /// The records are an array in chunks, in C order: each is one element or, where it takes as much as all elements
  /// along the last axis, these. The run's own offset means nothing then.
  std::optional<ChunkedLayout> chunks;
  /// The records of fixed size stand in pieces, by rising first records, none of them empty: what many ranks wrote of
  /// one kind. The run's own offset means nothing then. `by_cell`: inside a piece all values of the first cell, then
  /// all of the next one, instead of record by record.
  std::vector<Piece> pieces = {};
  bool by_cell = false;
  bool opaque = false;  ///< the bytes cannot be addressed; the format itself must read them
  /// The path of the records inside the file, where the file is a container in which other programs find objects by
  /// their paths (HDF5): for references from outside.
  std::string path = {};
  bool is_part = false;  ///< what is found there holds more than these records
  template <class Archive>
  void archive(Archive& a) {
    a(offset, records, record_bytes, bytes, order, cells, marks, text, chunks, pieces, by_cell, opaque, path, is_part);
  }
};

/// Where a table or a field stands. Each column is a cell of exactly one run.
struct Place {
  std::vector<Run> runs;
  template <class Archive>
  void archive(Archive& a) {
    a(runs);
  }
};

/// A step as described from the file: what it holds and where.
struct StepLayout {
  StepDescription description;
  std::vector<Place> tables;  ///< one for each of description.tables
  std::vector<Place> fields;  ///< one for each of description.fields; a run per component, records in C order
  std::uint64_t offset = 0;   ///< of the first byte of the step; 0 where the format has no such thing
  std::uint64_t end = 0;      ///< one behind the last byte of the step
  template <class Archive>
  void archive(Archive& a) {
    a(description, tables, fields, offset, end);
  }
};

}  // namespace quire
