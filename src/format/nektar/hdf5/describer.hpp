#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "format/hdf5/library/datasets.hpp"
#include "format/hdf5/library/kept_datasets.hpp"
#include "format/hdf5/library/open_file.hpp"
#include "format/nektar/basis.hpp"
#include "format/nektar/block.hpp"
#include "format/nektar/hdf5/rows.hpp"
#include "format/nektar/one_step.hpp"

namespace quire::nektar {

/// Whether the root of an HDF5 file has the group of Nektar++. False for damaged files.
[[nodiscard]] bool holds_fields(const std::shared_ptr<ByteSource>& bytes);

/// Describes fields in one HDF5 file (specs/nektar-fld.md sections 5 and 6). Every row of the decomposition is a block;
/// blocks of one kind are one table, unless one table for each is requested.
class H5Describer final : public OneStepDescriber, public Repairer {
 public:
  /// Chunks are read by the HDF5 library, with a cache of `cache_bytes` for decoded chunks.
  H5Describer(std::shared_ptr<ByteSource> bytes, DescribeContext context, Blocks blocks, std::uint64_t cache_bytes);

  [[nodiscard]] DescriberCapabilities capabilities() override { return {.opaque = this, .repairer = this}; }
  void read_opaque(std::uint64_t index, const std::string& object, std::uint64_t component, const Slice& rows,
                   const View& out) override;
  [[nodiscard]] Publication repair() override { return file_->repair(); }

 private:
  /// The contents of the group of a kind of blocks.
  struct BlockType {
    Block block;  ///< without elements
    bool is_mixed = false;
    BasisNumbers basis;
  };
  /// A one-dimensional dataset with the values of all blocks, one block after another.
  struct Line {
    std::string name;
    hdf5::DatasetDescription data;
    [[nodiscard]] std::uint64_t size() const noexcept { return data.extents.empty() ? 0 : data.extents.front(); }
  };
  /// The place of a column that only the HDF5 library can read: every `step`-th element of a line, starting at `first`.
  struct Strided {
    const Line* line = nullptr;
    std::uint64_t first = 0;
    std::uint64_t step = 1;
  };

  void describe() override;
  void describe_blocks();
  void check_version(hid_t group);
  void read_metadata(hid_t group);
  void open_lines(hid_t group, bool is_reworked);
  [[nodiscard]] const Line& line(Part part) const;
  [[nodiscard]] Line open_line(hid_t group, const std::string& name);
  /// Throws bad_file errors for a dataset that has values but no storage in the file.
  void check_written(hid_t dataset, const std::string& name);
  /// Throws bad_file errors for rows that do not cover the datasets.
  void check_rows(const std::vector<DecompositionRow>& rows, const std::string& name, bool is_reworked) const;
  /// Throws bad_file errors for ids that do not fit into a block.
  void check_ids(Part part);
  /// Reads values of a line. Its dataset stays open.
  void read_line(const Line& line, const Slice& part, const View& out);
  [[nodiscard]] std::vector<std::uint64_t> numbers(const Line& line, const Slice& part);
  [[nodiscard]] std::vector<std::uint64_t> numbers(Part part, const Slice& where);
  /// Reads the groups that the rows name, and their bases with the one numbering of the file.
  void read_types(hid_t group, const std::vector<DecompositionRow>& rows);
  [[nodiscard]] BlockType read_type(hid_t group, const std::string& name);
  /// The block of a row, with planes, elements and coefficients. Throws bad_file errors that name its group.
  [[nodiscard]] Block block_of(const DecompositionRow& row);
  void add_block(Block block, const DecompositionRow& row, BlockTables& tables);
  /// Sets the types of the columns of the last two tables to those in the file.
  void set_types();
  /// Adds blocks of one kind as one table.
  void add_joined(const std::vector<DecompositionRow>& rows, BlockTables& tables);
  /// Whether all values of all lines have addresses in the file, as joined blocks require.
  [[nodiscard]] bool can_join() const;
  [[nodiscard]] std::uint64_t count_mixed(const Block& block, const Slice& orders);
  /// The cells of every `columns`-th element of a line that belong to one block.
  [[nodiscard]] Place place_columns(Part part, const Slice& where, std::size_t columns, bool interleaved);
  void keep_opaque(const std::string& table, const Place& place, Part part, const Slice& where,
                   std::size_t first_column, bool interleaved);

  Blocks blocks_;
  std::shared_ptr<hdf5::OpenFile> file_;
  hdf5::KeptDatasets kept_;
  std::map<Part, Line> lines_;
  std::map<std::uint64_t, BlockType> types_;
  std::map<std::string, Strided, std::less<>> opaque_;  ///< by "TABLE/COLUMN"
};

}  // namespace quire::nektar
