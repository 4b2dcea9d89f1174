#pragma once

// The options of the writer of each format as types that convert to Options. Members are in alphabetical
// order. Written by scripts/write_options.py from the tables of the formats.

#include <cstdint>
#include <optional>
#include <string>

#include "quire/format/given_options.hpp"

namespace quire {

// NOLINTBEGIN(google-explicit-constructor): they are passed as Options

/// Options of the writer of h5part files. Texts and numbers are checked when the file is opened.
struct H5partWriteOptions {
  /// long datasets start at multiples of this many bytes; default: 4096
  std::optional<std::int64_t> alignment{};
  /// size in bytes from which a dataset is long; default: 65536
  std::optional<std::int64_t> alignment_threshold{};
  /// files of one step: store checksums of all pieces next to the file, for later checks; default: false
  std::optional<bool> checksums{};
  /// rows in a chunk of a column, whose length is then unlimited; 0: contiguous, or 65536 with a filter; default: 0
  std::optional<std::int64_t> chunk{};
  /// of the whole file; suffix: by .gz, .xz or .lzma at the end of the name; suffix, none, gzip, xz; default: suffix
  std::optional<std::string> compression{};
  /// 0 (fast) to 9 (small); else 6 for gzip, 2 for xz
  std::optional<std::int64_t> compression_level{};
  /// a step whose number exists: refuse, replace, add or overwrite; default: refuse
  std::optional<std::string> existing{};
  /// elements in a chunk of a field along each axis, slowest first, such as 16x16x16, or one number for all axes; the
  /// extents are then unlimited. Default: contiguous, or up to 65536 elements with a filter
  std::optional<std::string> field_chunk{};
  /// compress each chunk of a column or field; none, deflate, zstd; default: none
  std::optional<std::string> filter{};
  /// a step with the number of the last one adds rows to it; needs chunks; default: false
  std::optional<bool> grow{};
  /// level of the filter: 0 to 9 for deflate (else 6), 1 to 22 for zstd (else 3)
  std::optional<std::int64_t> level{};
  /// the HDF5 release whose structures a new file may have; older releases cannot read them; earliest, v18, v110;
  /// default: earliest
  std::optional<std::string> library_version{};
  /// the tables are unstructured meshes, which belong to no step; default: false
  std::optional<bool> meshes{};
  /// bytes of one call for values that are written as they are; default: 4194304
  std::optional<std::int64_t> piece{};
  /// bytes of a step that commit_async copies before it waits; default: 268435456
  std::optional<std::int64_t> pool{};
  /// whole: the old file stays until the new one is complete and durable; suited: the same for files of one step;
  /// suited, direct, whole; default: suited
  std::optional<std::string> replacement{};
  /// group the bytes of values by significance before the filter; default: true
  std::optional<bool> shuffle{};
  /// write the metadata of a new file to NAME-m.h5 and raw data to NAME-r.h5 (HDF5's split driver); default: false
  std::optional<bool> split{};
  /// bytes of the buffer for values that are encoded; default: 1048576
  std::optional<std::int64_t> staging{};
  /// the name of the groups of steps before the #; default: Step
  std::optional<std::string> step_name{};
  /// least characters of a step's number, zero padded; default: 1
  std::optional<std::int64_t> step_width{};
  /// servers of a parallel file system for a new file; -1: all; default: 0
  std::optional<std::int64_t> stripe_count{};
  /// bytes that go to one server at a time; default: 0
  std::optional<std::int64_t> stripe_size{};
  /// store the limits of each block of 4096 rows in an index next to the file, so that conditions read less; auto: of
  /// tables of at least 2^23 rows; auto, true, false; default: auto
  std::optional<std::string> zones{};

  operator Options() const {
    return GivenOptions()
        .add("alignment", alignment)
        .add("alignment_threshold", alignment_threshold)
        .add("checksums", checksums)
        .add("chunk", chunk)
        .add("compression", compression)
        .add("compression_level", compression_level)
        .add("existing", existing)
        .add("field_chunk", field_chunk)
        .add("filter", filter)
        .add("grow", grow)
        .add("level", level)
        .add("library_version", library_version)
        .add("meshes", meshes)
        .add("piece", piece)
        .add("pool", pool)
        .add("replacement", replacement)
        .add("shuffle", shuffle)
        .add("split", split)
        .add("staging", staging)
        .add("step_name", step_name)
        .add("step_width", step_width)
        .add("stripe_count", stripe_count)
        .add("stripe_size", stripe_size)
        .add("zones", zones)
        .all();
  }
};

/// Options of the writer of hdf5 files. Texts and numbers are checked when the file is opened.
struct Hdf5WriteOptions {
  /// long datasets start at multiples of this many bytes; default: 4096
  std::optional<std::int64_t> alignment{};
  /// size in bytes from which a dataset is long; default: 65536
  std::optional<std::int64_t> alignment_threshold{};
  /// files of one step: store checksums of all pieces next to the file, for later checks; default: false
  std::optional<bool> checksums{};
  /// rows in a chunk of a column, whose length is then unlimited; 0: contiguous, or 65536 with a filter; default: 0
  std::optional<std::int64_t> chunk{};
  /// of the whole file; suffix: by .gz, .xz or .lzma at the end of the name; suffix, none, gzip, xz; default: suffix
  std::optional<std::string> compression{};
  /// 0 (fast) to 9 (small); else 6 for gzip, 2 for xz
  std::optional<std::int64_t> compression_level{};
  /// the name of the matrix of a table without a name; default: table
  std::optional<std::string> dataset{};
  /// elements in a chunk of a field along each axis, slowest first, such as 16x16x16, or one number for all axes; the
  /// extents are then unlimited. Default: contiguous, or up to 65536 elements with a filter
  std::optional<std::string> field_chunk{};
  /// compress each chunk of a column or field; none, deflate, zstd; default: none
  std::optional<std::string> filter{};
  /// further commits of the step add rows and elements to chunked datasets; default: false
  std::optional<bool> grow{};
  /// a table has one dataset for each column, or one for all; columns, matrix; default: columns
  std::optional<std::string> layout{};
  /// level of the filter: 0 to 9 for deflate (else 6), 1 to 22 for zstd (else 3)
  std::optional<std::int64_t> level{};
  /// the HDF5 release whose structures a new file may have; older releases cannot read them; earliest, v18, v110;
  /// default: earliest
  std::optional<std::string> library_version{};
  /// bytes of one call for values that are written as they are; default: 4194304
  std::optional<std::int64_t> piece{};
  /// bytes of a step that commit_async copies before it waits; default: 268435456
  std::optional<std::int64_t> pool{};
  /// whole: the old file stays until the new one is complete and durable; suited: the same for files of one step;
  /// suited, direct, whole; default: suited
  std::optional<std::string> replacement{};
  /// group the bytes of values by significance before the filter; default: true
  std::optional<bool> shuffle{};
  /// write the metadata of a new file to NAME-m.h5 and raw data to NAME-r.h5 (HDF5's split driver); default: false
  std::optional<bool> split{};
  /// bytes of the buffer for values that are encoded; default: 1048576
  std::optional<std::int64_t> staging{};
  /// servers of a parallel file system for a new file; -1: all; default: 0
  std::optional<std::int64_t> stripe_count{};
  /// bytes that go to one server at a time; default: 0
  std::optional<std::int64_t> stripe_size{};
  /// store the limits of each block of 4096 rows in an index next to the file, so that conditions read less; auto: of
  /// tables of at least 2^23 rows; auto, true, false; default: auto
  std::optional<std::string> zones{};

  operator Options() const {
    return GivenOptions()
        .add("alignment", alignment)
        .add("alignment_threshold", alignment_threshold)
        .add("checksums", checksums)
        .add("chunk", chunk)
        .add("compression", compression)
        .add("compression_level", compression_level)
        .add("dataset", dataset)
        .add("field_chunk", field_chunk)
        .add("filter", filter)
        .add("grow", grow)
        .add("layout", layout)
        .add("level", level)
        .add("library_version", library_version)
        .add("piece", piece)
        .add("pool", pool)
        .add("replacement", replacement)
        .add("shuffle", shuffle)
        .add("split", split)
        .add("staging", staging)
        .add("stripe_count", stripe_count)
        .add("stripe_size", stripe_size)
        .add("zones", zones)
        .all();
  }
};

/// Options of the writer of nektar files. Texts and numbers are checked when the file is opened.
struct NektarWriteOptions {
  /// long datasets start at multiples of this many bytes; default: 4096
  std::optional<std::int64_t> alignment{};
  /// size in bytes from which a dataset is long; default: 65536
  std::optional<std::int64_t> alignment_threshold{};
  /// files of one step: store checksums of all pieces next to the file, for later checks; default: false
  std::optional<bool> checksums{};
  /// of the whole file; suffix: by .gz, .xz or .lzma at the end of the name; suffix, none, gzip, xz; default: suffix
  std::optional<std::string> compression{};
  /// 0 (fast) to 9 (small); else 6 for gzip, 2 for xz
  std::optional<std::int64_t> compression_level{};
  /// where the file was written, if the metadata have no name; here: the name of this machine
  std::optional<std::string> hostname{};
  /// XML: bytes of compressed blocks that are kept until they are written; other blocks are compressed twice; default:
  /// 33554432
  std::optional<std::int64_t> kept_text{};
  /// XML: blocks of more bytes are split; default: 8388608
  std::optional<std::int64_t> largest_block{};
  /// one HDF5 file, one XML file, a directory with an XML file of each rank, or a multifile with a stream of each rank;
  /// hdf5, xml, directory, streams; default: hdf5
  std::optional<std::string> layout{};
  /// bytes of one call for values that are written as they are; default: 4194304
  std::optional<std::int64_t> piece{};
  /// bytes of a step that commit_async copies before it waits; default: 268435456
  std::optional<std::int64_t> pool{};
  /// whole: the old file stays until the new one is complete and durable; suited: the same for files of one step;
  /// suited, direct, whole; default: suited
  std::optional<std::string> replacement{};
  /// bytes of the buffer for values that are encoded; default: 1048576
  std::optional<std::int64_t> staging{};
  /// servers of a parallel file system for a new file; -1: all; default: 0
  std::optional<std::int64_t> stripe_count{};
  /// bytes that go to one server at a time; default: 0
  std::optional<std::int64_t> stripe_size{};
  /// when the file was written, if the metadata have no time; now: the current time
  std::optional<std::string> timestamp{};
  /// the version of the program, if the metadata have none; default: 5.6.0
  std::optional<std::string> version{};
  /// store the limits of each block of 4096 rows in an index next to the file, so that conditions read less; auto: of
  /// tables of at least 2^23 rows; auto, true, false; default: auto
  std::optional<std::string> zones{};

  operator Options() const {
    return GivenOptions()
        .add("alignment", alignment)
        .add("alignment_threshold", alignment_threshold)
        .add("checksums", checksums)
        .add("compression", compression)
        .add("compression_level", compression_level)
        .add("hostname", hostname)
        .add("kept_text", kept_text)
        .add("largest_block", largest_block)
        .add("layout", layout)
        .add("piece", piece)
        .add("pool", pool)
        .add("replacement", replacement)
        .add("staging", staging)
        .add("stripe_count", stripe_count)
        .add("stripe_size", stripe_size)
        .add("timestamp", timestamp)
        .add("version", version)
        .add("zones", zones)
        .all();
  }
};

/// Options of the writer of openpmd files. Texts and numbers are checked when the file is opened.
struct OpenpmdWriteOptions {
  /// long datasets start at multiples of this many bytes; default: 4096
  std::optional<std::int64_t> alignment{};
  /// size in bytes from which a dataset is long; default: 65536
  std::optional<std::int64_t> alignment_threshold{};
  /// files of one step: store checksums of all pieces next to the file, for later checks; default: false
  std::optional<bool> checksums{};
  /// rows in a chunk of a column, whose length is then unlimited; 0: contiguous, or 65536 with a filter; default: 0
  std::optional<std::int64_t> chunk{};
  /// of the whole file; suffix: by .gz, .xz or .lzma at the end of the name; suffix, none, gzip, xz; default: suffix
  std::optional<std::string> compression{};
  /// 0 (fast) to 9 (small); else 6 for gzip, 2 for xz
  std::optional<std::int64_t> compression_level{};
  /// elements in a chunk of a field along each axis, slowest first, such as 16x16x16, or one number for all axes; the
  /// extents are then unlimited. Default: contiguous, or up to 65536 elements with a filter
  std::optional<std::string> field_chunk{};
  /// compress each chunk of a column or field; none, deflate, zstd; default: none
  std::optional<std::string> filter{};
  /// the names of the files of a series, each with one step: diag_%06T
  std::optional<std::string> iteration_format{};
  /// level of the filter: 0 to 9 for deflate (else 6), 1 to 22 for zstd (else 3)
  std::optional<std::int64_t> level{};
  /// the HDF5 release whose structures a new file may have; older releases cannot read them; earliest, v18, v110;
  /// default: earliest
  std::optional<std::string> library_version{};
  /// record the particles of each rank as a particle patch; default: false
  std::optional<bool> patches{};
  /// bytes of one call for values that are written as they are; default: 4194304
  std::optional<std::int64_t> piece{};
  /// bytes of a step that commit_async copies before it waits; default: 268435456
  std::optional<std::int64_t> pool{};
  /// whole: the old file stays until the new one is complete and durable; suited: the same for files of one step;
  /// suited, direct, whole; default: suited
  std::optional<std::string> replacement{};
  /// group the bytes of values by significance before the filter; default: true
  std::optional<bool> shuffle{};
  /// the name of the species of a table without a name; default: beam
  std::optional<std::string> species{};
  /// write the metadata of a new file to NAME-m.h5 and raw data to NAME-r.h5 (HDF5's split driver); default: false
  std::optional<bool> split{};
  /// bytes of the buffer for values that are encoded; default: 1048576
  std::optional<std::int64_t> staging{};
  /// servers of a parallel file system for a new file; -1: all; default: 0
  std::optional<std::int64_t> stripe_count{};
  /// bytes that go to one server at a time; default: 0
  std::optional<std::int64_t> stripe_size{};
  /// store the limits of each block of 4096 rows in an index next to the file, so that conditions read less; auto: of
  /// tables of at least 2^23 rows; auto, true, false; default: auto
  std::optional<std::string> zones{};

  operator Options() const {
    return GivenOptions()
        .add("alignment", alignment)
        .add("alignment_threshold", alignment_threshold)
        .add("checksums", checksums)
        .add("chunk", chunk)
        .add("compression", compression)
        .add("compression_level", compression_level)
        .add("field_chunk", field_chunk)
        .add("filter", filter)
        .add("iteration_format", iteration_format)
        .add("level", level)
        .add("library_version", library_version)
        .add("patches", patches)
        .add("piece", piece)
        .add("pool", pool)
        .add("replacement", replacement)
        .add("shuffle", shuffle)
        .add("species", species)
        .add("split", split)
        .add("staging", staging)
        .add("stripe_count", stripe_count)
        .add("stripe_size", stripe_size)
        .add("zones", zones)
        .all();
  }
};

/// Options of the writer of sdds files. Texts and numbers are checked when the file is opened.
struct SddsWriteOptions {
  /// of all numbers in the data; native, little, big; default: native
  std::optional<std::string> byte_order{};
  /// write the bytes of the reference implementation; text then has 16 digits, too few to keep every number; default:
  /// false
  std::optional<bool> canonical{};
  /// files of one step: store checksums of all pieces next to the file, for later checks; default: false
  std::optional<bool> checksums{};
  /// of the whole file; suffix: by .gz, .xz or .lzma at the end of the name; suffix, none, gzip, xz; default: suffix
  std::optional<std::string> compression{};
  /// 0 (fast) to 9 (small); else 6 for gzip, 2 for xz
  std::optional<std::int64_t> compression_level{};
  /// let the last page grow: a step with its number adds rows; its row count is ahead by up to this many (usually 500);
  /// default: 0
  std::optional<std::int64_t> fixed_row_count{};
  /// of text; 0: readers ignore line ends; default: 1
  std::optional<std::int64_t> lines_per_row{};
  /// whether the values of a row or those of a column are contiguous; default: row
  std::optional<std::string> major_order{};
  /// of the data: numbers as they are, or text; binary, ascii; default: binary
  std::optional<std::string> mode{};
  /// of text: empty lines end the rows of a page; other programs cannot recognize an unfinished page; default: false
  std::optional<bool> no_row_counts{};
  /// bytes of one call for values that are written as they are; default: 4194304
  std::optional<std::int64_t> piece{};
  /// bytes of a step that commit_async copies before it waits; default: 268435456
  std::optional<std::int64_t> pool{};
  /// whole: the old file stays until the new one is complete and durable; suited: the same for files of one step;
  /// suited, direct, whole; default: suited
  std::optional<std::string> replacement{};
  /// bytes of the buffer for values that are encoded; default: 1048576
  std::optional<std::int64_t> staging{};
  /// store the numbers of the steps in the parameter Step; default: true
  std::optional<bool> step_parameter{};
  /// of the parameter Step: long, unless the first number needs more bits, or long64 (version 5 of the format);
  /// default: long
  std::optional<std::string> step_type{};
  /// servers of a parallel file system for a new file; -1: all; default: 0
  std::optional<std::int64_t> stripe_count{};
  /// bytes that go to one server at a time; default: 0
  std::optional<std::int64_t> stripe_size{};
  /// of the format, 1 to 5; 0: the lowest that holds the content; default: 0
  std::optional<std::int64_t> version{};
  /// store the limits of each block of 4096 rows in an index next to the file, so that conditions read less; auto: of
  /// tables of at least 2^23 rows; auto, true, false; default: auto
  std::optional<std::string> zones{};

  operator Options() const {
    return GivenOptions()
        .add("byte_order", byte_order)
        .add("canonical", canonical)
        .add("checksums", checksums)
        .add("compression", compression)
        .add("compression_level", compression_level)
        .add("fixed_row_count", fixed_row_count)
        .add("lines_per_row", lines_per_row)
        .add("major_order", major_order)
        .add("mode", mode)
        .add("no_row_counts", no_row_counts)
        .add("piece", piece)
        .add("pool", pool)
        .add("replacement", replacement)
        .add("staging", staging)
        .add("step_parameter", step_parameter)
        .add("step_type", step_type)
        .add("stripe_count", stripe_count)
        .add("stripe_size", stripe_size)
        .add("version", version)
        .add("zones", zones)
        .all();
  }
};

/// Options of the writer of sion files. Texts and numbers are checked when the file is opened.
struct SionWriteOptions {
  /// of the file system: chunks begin at multiples of it (compact: 1); default: 4096
  std::optional<std::int64_t> block_size{};
  /// of all numbers of the metadata; native, little, big; default: native
  std::optional<std::string> byte_order{};
  /// files of one step: store checksums of all pieces next to the file, for later checks; default: false
  std::optional<bool> checksums{};
  /// approximate number of tasks in a group; 0: as the reference chooses; default: 0
  std::optional<std::int64_t> collsize{};
  /// of the whole file; suffix: by .gz, .xz or .lzma at the end of the name; suffix, none, gzip, xz; default: suffix
  std::optional<std::string> compression{};
  /// 0 (fast) to 9 (small); else 6 for gzip, 2 for xz
  std::optional<std::int64_t> compression_level{};
  /// number of copies of each file, each written by another group of tasks; default: 0
  std::optional<std::int64_t> copies{};
  /// a note for readers of the data; native: as byte_order; native, little, big; default: native
  std::optional<std::string> data_byte_order{};
  /// number of physical files; auto: as many as the machine writes at once, at most 4 for each node; default: 1
  std::optional<std::string> files{};
  /// of the reference, that would have written these bytes; parallel, serial, mapped; default: parallel
  std::optional<std::string> interface {};
  /// streams are records with keys; default: false
  std::optional<bool> keys{};
  /// how tasks share space: each its own blocks, groups in blocks of theirs, or in the stream of one of the group;
  /// collmsa: groups of collsize tasks, whose first ones are the first tasks of all; plain, collective, merge, collmsa;
  /// default: plain
  std::optional<std::string> mode{};
  /// note written pieces in a second file, for quire recover, until the file is complete; default: true
  std::optional<bool> notes{};
  /// whether merged files store the origins of their bytes after their end; auto: in the compact style; auto, kept,
  /// dropped; default: auto
  std::optional<std::string> origins{};
  /// bytes of one call for values that are written as they are; default: 4194304
  std::optional<std::int64_t> piece{};
  /// bytes of a step that commit_async copies before it waits; default: 268435456
  std::optional<std::int64_t> pool{};
  /// whole: the old file stays until the new one is complete and durable; suited: the same for files of one step;
  /// suited, direct, whole; default: suited
  std::optional<std::string> replacement{};
  /// bytes of the buffer for values that are encoded; default: 1048576
  std::optional<std::int64_t> staging{};
  /// the name in the header; nothing: the path as given
  std::optional<std::string> stored_name{};
  /// servers of a parallel file system for a new file; -1: all; default: 0
  std::optional<std::int64_t> stripe_count{};
  /// bytes that go to one server at a time; default: 0
  std::optional<std::int64_t> stripe_size{};
  /// the bytes of the reference, or chunks without unused space; reference, compact; default: reference
  std::optional<std::string> style{};
  /// store the limits of each block of 4096 rows in an index next to the file, so that conditions read less; auto: of
  /// tables of at least 2^23 rows; auto, true, false; default: auto
  std::optional<std::string> zones{};

  operator Options() const {
    return GivenOptions()
        .add("block_size", block_size)
        .add("byte_order", byte_order)
        .add("checksums", checksums)
        .add("collsize", collsize)
        .add("compression", compression)
        .add("compression_level", compression_level)
        .add("copies", copies)
        .add("data_byte_order", data_byte_order)
        .add("files", files)
        .add("interface", interface)
        .add("keys", keys)
        .add("mode", mode)
        .add("notes", notes)
        .add("origins", origins)
        .add("piece", piece)
        .add("pool", pool)
        .add("replacement", replacement)
        .add("staging", staging)
        .add("stored_name", stored_name)
        .add("stripe_count", stripe_count)
        .add("stripe_size", stripe_size)
        .add("style", style)
        .add("zones", zones)
        .all();
  }
};
// NOLINTEND(google-explicit-constructor)

}  // namespace quire
