#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "format/nektar/one_step.hpp"
#include "format/nektar/payload.hpp"
#include "format/nektar/xml_block.hpp"
#include "format/nektar/xml_scanner.hpp"

namespace quire::nektar {

/// Of the files in a directory, by their names, those that hold the elements of one rank each, in the order of the
/// ranks.
[[nodiscard]] std::vector<std::string> part_names(std::span<const std::string> names);

/// Describes fields in XML: one file, or the parts that an index names. The places of blocks are found without reading
/// them; a rank that is told these places needs no look through the file.
class XmlDescriber final : public OneStepDescriber {
 public:
  /// `set`: the names of all files that belong together, this one first, where no index tells them.
  XmlDescriber(std::shared_ptr<ByteSource> bytes, DescribeContext context, std::vector<std::string> set = {});

  [[nodiscard]] std::optional<StepLayout> verified(std::uint64_t index) override;
  /// The blocks that are whole, if any are: of a directory also those in parts that are there.
  [[nodiscard]] std::optional<StepLayout> salvage(std::uint64_t index) override;
  void adopt(std::uint64_t index, const StepLayout& layout) override;
  void read_opaque(std::uint64_t index, const std::string& object, std::uint64_t component, const Slice& rows,
                   const View& out) override;

 private:
  /// One file that the index of a directory names.
  struct IndexEntry {
    std::optional<RangeList> ids;
    std::uint64_t offset = 0;  ///< of the entry in the index
  };

  void describe() override;
  /// All blocks of all files; with `only_whole` those that can be read, and what is wrong with the others as warnings.
  void describe_files(bool only_whole);
  /// Goes through all values of the block whose tables are `table` and the next one.
  void decode(std::size_t table);
  void drop_damaged_blocks();
  /// Compares the blocks of a part with what the index says of it.
  void check_part(std::uint64_t member, std::size_t first_table);
  /// If the file is the index of a directory: its parts.
  void read_index();
  void take_set(std::vector<std::string> set);
  void describe_file(std::uint64_t member, BlockTables& tables);
  void add_metadata_of(XmlScanner& scanner, const XmlElement& element);
  void add_block(XmlScanner& scanner, std::uint64_t member, const XmlElement& element, BlockTables& tables);
  /// The bytes of a file of the set.
  [[nodiscard]] std::shared_ptr<ByteSource> source(std::uint64_t member);
  [[nodiscard]] std::string path_of(std::uint64_t member) const;
  /// The tag of the block whose tables are `index` and the next one.
  [[nodiscard]] const XmlBlock& block_of(std::size_t table);
  /// What is read from: the step, or what is saved of a damaged one.
  [[nodiscard]] const StepLayout& read_layout();
  void read_values(std::size_t table, std::size_t column, const Slice& rows, std::span<double> out);

  std::shared_ptr<ByteSource> bytes_;
  std::vector<IndexEntry> index_;  ///< of members 1 and on
  bool parts_without_index_ = false;
  RangeList ids_;  ///< of the blocks of the part that was described last
  std::optional<StepLayout> salvaged_;
  std::uint64_t open_member_ = 0;
  std::shared_ptr<ByteSource> open_part_;  ///< the bytes of that member, if it is not the first file

  // The block that was read last.
  std::optional<std::uint64_t> block_at_;  ///< its address
  XmlBlock block_;
  std::shared_ptr<ByteSource> part_;  ///< the file that it stands in
  std::optional<PayloadReader> payload_;
  std::vector<double> values_;  ///< all of it, if it fits the budget
};

}  // namespace quire::nektar
