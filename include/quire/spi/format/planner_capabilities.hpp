#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "quire/model/value.hpp"
#include "quire/spi/format/planner.hpp"
#include "quire/spi/plan/chunks.hpp"

namespace quire {

// What only some planners do (WritePlanner::capabilities()). Each is an object of the planner and lives as long.

/// Places steps only after inspecting their values, because types and the bytes of strings do not determine the size.
class ValueWeigher {
 public:
  /// Pure. Adds the size of the values of the views to the weights of an accepted part: all of them, or in a streamed
  /// step one block after another. Cached results are dropped by WritePlanner::advance(). Throws type errors (unless
  /// `lossy`) and unsupported errors.
  virtual void weigh(StepPart& part, bool lossy) const = 0;

 protected:
  ~ValueWeigher() = default;
};

/// Encodes rows of tables in groups. Such steps need some more collectives.
class RowGroupCodec {
 public:
  /// Pure. The groups of rows of a table of an accepted step, the same on all ranks. A group belongs to the rank that
  /// holds its first row (open rows belong to rank 0); weights are not used; the runs of a placement are opaque, one
  /// for each column, and contain the groups of this rank consecutively.
  [[nodiscard]] virtual Grouping grouping(const StepDescription& step, std::size_t table) const = 0;
  /// Pure. Encodes values of one column, as accepted, contiguous and in native byte order: a group, or the beginning of
  /// the last one.
  [[nodiscard]] virtual PackedGroup pack_group(const StepDescription& step, std::size_t table, std::size_t column,
                                               std::span<const std::byte> values) const = 0;
  /// Rank 0. The extent of the group that holds the open rows of a column, and the inverse of pack_group().
  [[nodiscard]] virtual Extent open_group(const StepDescription& step, std::size_t table, std::size_t column) const = 0;
  [[nodiscard]] virtual std::vector<std::byte> unpack_group(const StepDescription& step, std::size_t table,
                                                            std::size_t column,
                                                            std::span<const std::byte> bytes) const = 0;

 protected:
  ~RowGroupCodec() = default;
};

/// Encodes elements of fields in chunks. Such steps need some more collectives.
class FieldChunkCodec {
 public:
  /// Pure. The shape of the chunks in which elements of a field of an accepted step are encoded, the same on all ranks;
  /// empty: the field is not chunked. A chunk belongs to the rank that writes its first element, or else to the lowest
  /// rank that writes any; elements that no rank writes are zeros, chunks without elements are not stored. The runs of
  /// a placement are opaque then, one for each component, and contain all its chunks consecutively.
  [[nodiscard]] virtual std::vector<std::uint64_t> chunk_shape(const StepDescription& step,
                                                               std::size_t field) const = 0;
  /// Pure. Encodes the elements of a whole chunk of a field, as accepted, in native byte order.
  [[nodiscard]] virtual PackedGroup pack_chunk(const StepDescription& step, std::size_t field,
                                               std::span<const std::byte> values) const = 0;
  /// Pure. The extents of an existing field that a step enlarges; empty if there is none. Chunks with elements inside
  /// and outside of them are encoded again.
  [[nodiscard]] virtual std::vector<std::uint64_t> held_extents(const StepDescription& step,
                                                                std::size_t field) const = 0;
  /// Rank 0. The location of a chunk of such a field, by its index in the new extents.
  [[nodiscard]] virtual Chunk held_chunk(const StepDescription& step, std::size_t field, std::size_t component,
                                         std::uint64_t index) const = 0;
  /// The inverse of pack_chunk().
  [[nodiscard]] virtual std::vector<std::byte> unpack_chunk(const StepDescription& step, std::size_t field,
                                                            const Chunk& chunk,
                                                            std::span<const std::byte> bytes) const = 0;

 protected:
  ~FieldChunkCodec() = default;
};

/// Gives rows offsets in the file that depend only on their numbers, so that ranks can choose the rows they write.
class RowPlacer {
 public:
  /// Throws unsupported errors, with advice, unless this holds for every row of a table of an accepted step.
  virtual void require_row_places(const StepDescription& step, std::size_t table) const = 0;

 protected:
  ~RowPlacer() = default;
};

/// The table that records the zones of another one.
struct ZoneTable {
  Table table;  ///< named, with all columns; those of limits have the type of the column or constant that they limit
  Zones zones;
};

/// Records the rows that a rank writes to a table as a zone of the table.
class ZoneRecorder {
 public:
  /// Pure. The table that records the zones of a table of a step before it is accepted; no value if it has none.
  [[nodiscard]] virtual std::optional<ZoneTable> zones_of(const StepDescription& step, std::size_t table) const = 0;
  /// Pure. The rows of a table on the lower ranks, from WritePlanner::measure() of these.
  [[nodiscard]] virtual std::uint64_t rows_before(const Measure& before, std::size_t table) const = 0;

 protected:
  ~ZoneRecorder() = default;
};

/// Adds attributes to a file at any time.
class AttributeAdder {
 public:
  /// Adds one attribute, to an existing file or at any later time; it is written with the next publication, of a step
  /// or at close. Throws conflict errors for one that the existing file has, unless the options allow replacing it.
  virtual void add_to_file(const Attribute& attribute) = 0;

 protected:
  ~AttributeAdder() = default;
};

/// Keeps other files inside the file.
class AttachmentWriter {
 public:
  /// Rank 0. Keeps an attachment until the next publication, of a step or at close, writes it; without `bytes` the
  /// attachment of this name is deleted. Throws usage errors for invalid names, conflict errors for a name in use
  /// (unless `replace`), missing errors for a missing one.
  virtual void attach(const std::string& name, std::optional<std::vector<std::byte>> bytes, bool replace) = 0;

 protected:
  ~AttachmentWriter() = default;
};

/// Names the files of an output that is a directory, or a set of files (quire/spi/plan/member.hpp).
class FileSetNames {
 public:
  /// The name of member 0 inside the created directory; empty if the path itself is member 0.
  [[nodiscard]] virtual std::string entry() const { return {}; }
  /// The name of a member in the directory of member 0, whose name is `first`. Empty after the last possible member.
  [[nodiscard]] virtual std::string member_name(const std::string& first, std::uint64_t member) const = 0;
  /// Whether a file in the directory of `first` may belong to such a set, by its name: a new set removes it first.
  [[nodiscard]] virtual bool is_member(const std::string& first, std::string_view name) const = 0;
  /// Whether the name alone determines that. Otherwise only files named by an existing first file
  /// (Format::named_members) are removed or replaced; any other file with the name of a new member is an error.
  [[nodiscard]] virtual bool names_determine_members() const { return true; }

 protected:
  ~FileSetNames() = default;
};

}  // namespace quire
