#pragma once

// The options of the reader of each format as types that convert to Options. Members are in alphabetical
// order. Written by scripts/write_options.py from the tables of the formats.

#include <cstdint>
#include <optional>
#include <string>

#include "quire/format/given_options.hpp"

namespace quire {

// NOLINTBEGIN(google-explicit-constructor): they are passed as Options

/// Options of the reader of h5part files. Texts and numbers are checked when the file is opened.
struct H5partReadOptions {
  /// bytes of decoded chunks that each rank keeps for its next reads; 0: none; default: 2097152
  std::optional<std::int64_t> chunk_cache{};
  /// read the complete steps of a truncated file; default: false
  std::optional<bool> cut{};
  /// read the meshes of a file that also has steps; default: false
  std::optional<bool> meshes{};
  /// the name of the groups of steps before the #; empty: guessed
  std::optional<std::string> step_name{};
  /// refuse steps whose columns differ in length; default: false
  std::optional<bool> strict{};
  /// read bytes of damaged compressed data that no checksum confirms; default: false
  std::optional<bool> unconfirmed{};
  /// read datasets that claim far more elements than were written; default: false
  std::optional<bool> unwritten{};

  operator Options() const {
    return GivenOptions()
        .add("chunk_cache", chunk_cache)
        .add("cut", cut)
        .add("meshes", meshes)
        .add("step_name", step_name)
        .add("strict", strict)
        .add("unconfirmed", unconfirmed)
        .add("unwritten", unwritten)
        .all();
  }
};

/// Options of the reader of hdf5 files. Texts and numbers are checked when the file is opened.
struct Hdf5ReadOptions {
  /// bytes of decoded chunks that each rank keeps for its next reads; 0: none; default: 2097152
  std::optional<std::int64_t> chunk_cache{};
  /// comma-separated paths of two-dimensional datasets that are tables
  std::optional<std::string> columns{};
  /// read the datasets of a truncated file that are whole; default: false
  std::optional<bool> cut{};
  /// how other two-dimensional datasets are read; fields, columns; default: fields
  std::optional<std::string> matrices{};
  /// read bytes of damaged compressed data that no checksum confirms; default: false
  std::optional<bool> unconfirmed{};
  /// read datasets that claim far more elements than were written; default: false
  std::optional<bool> unwritten{};

  operator Options() const {
    return GivenOptions()
        .add("chunk_cache", chunk_cache)
        .add("columns", columns)
        .add("cut", cut)
        .add("matrices", matrices)
        .add("unconfirmed", unconfirmed)
        .add("unwritten", unwritten)
        .all();
  }
};

/// Options of the reader of nektar files. Texts and numbers are checked when the file is opened.
struct NektarReadOptions {
  /// blocks of one kind as one table, or one table for each block that a rank wrote; joined, each; default: joined
  std::optional<std::string> blocks{};
  /// bytes of decoded chunks that each rank keeps for its next reads; 0: none; default: 2097152
  std::optional<std::int64_t> chunk_cache{};
  /// XML: all files of a set, separated by commas, starting with the one that is opened; set by default for a directory
  /// without an index
  std::optional<std::string> parts{};
  /// read bytes of damaged compressed data that no checksum confirms; default: false
  std::optional<bool> unconfirmed{};

  operator Options() const {
    return GivenOptions()
        .add("blocks", blocks)
        .add("chunk_cache", chunk_cache)
        .add("parts", parts)
        .add("unconfirmed", unconfirmed)
        .all();
  }
};

/// Options of the reader of openpmd files. Texts and numbers are checked when the file is opened.
struct OpenpmdReadOptions {
  /// bytes of decoded chunks that each rank keeps for its next reads; 0: none; default: 2097152
  std::optional<std::int64_t> chunk_cache{};
  /// conditions on positions read only particle patches that can match; default: true
  std::optional<bool> patches{};
  /// all files of a series with one for each iteration are read as one; default: true
  std::optional<bool> series{};
  /// read bytes of damaged compressed data that no checksum confirms; default: false
  std::optional<bool> unconfirmed{};
  /// read datasets that claim far more elements than were written; default: false
  std::optional<bool> unwritten{};

  operator Options() const {
    return GivenOptions()
        .add("chunk_cache", chunk_cache)
        .add("patches", patches)
        .add("series", series)
        .add("unconfirmed", unconfirmed)
        .add("unwritten", unwritten)
        .all();
  }
};

/// Options of the reader of sdds files. Texts and numbers are checked when the file is opened.
struct SddsReadOptions {
  /// accept names with characters that the format forbids; default: false
  std::optional<bool> any_names{};
  /// read text data without row counts, as some old programs write them; default: false
  std::optional<bool> no_row_counts{};
  /// raise errors for defects that can be tolerated, instead of warnings; default: false
  std::optional<bool> strict{};
  /// read bytes of damaged compressed data that no checksum confirms; default: false
  std::optional<bool> unconfirmed{};
  /// read \" in texts of the header as "; default: false
  std::optional<bool> unescape_quotes{};

  operator Options() const {
    return GivenOptions()
        .add("any_names", any_names)
        .add("no_row_counts", no_row_counts)
        .add("strict", strict)
        .add("unconfirmed", unconfirmed)
        .add("unescape_quotes", unescape_quotes)
        .all();
  }
};

/// Options of the reader of sion files. Texts and numbers are checked when the file is opened.
struct SionReadOptions {
  /// use copies of the writer in place of missing files; default: false
  std::optional<bool> buddy{};
  /// open cut files and sets with missing files, to save the remaining streams; default: false
  std::optional<bool> cut{};
  /// accept newer versions, and chunks that run over their end; default: false
  std::optional<bool> lenient{};
  /// show merged streams as stored, even if the file has their origins; default: false
  std::optional<bool> merged{};
  /// read bytes of damaged compressed data that no checksum confirms; default: false
  std::optional<bool> unconfirmed{};

  operator Options() const {
    return GivenOptions()
        .add("buddy", buddy)
        .add("cut", cut)
        .add("lenient", lenient)
        .add("merged", merged)
        .add("unconfirmed", unconfirmed)
        .all();
  }
};
// NOLINTEND(google-explicit-constructor)

}  // namespace quire
