#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "format/nektar/payload.hpp"
#include "format/nektar/xml_block.hpp"
#include "format/nektar/xml_scanner.hpp"
#include "quire/format/format.hpp"

namespace quire::nektar {

/// Of the files in a directory, by their names, those that hold the elements of one rank each, in the order of the
/// ranks.
[[nodiscard]] std::vector<std::string> part_names(std::span<const std::string> names);

/// Describes fields in XML: one file, or the parts that an index names. The places of blocks are found without reading
/// them; a rank that is told these places needs no look through the file.
class XmlDescriber final : public Describer {
 public:
  /// `set`: the names of all files that belong together, this one first, where no index tells them.
  XmlDescriber(std::shared_ptr<ByteSource> bytes, DescribeContext context, std::vector<std::string> set = {});

  [[nodiscard]] const FileDescription& file() const override { return description_; }
  [[nodiscard]] std::uint64_t steps() override { return 1; }
  [[nodiscard]] std::int64_t step_number(std::uint64_t index) override;
  [[nodiscard]] std::optional<StepLayout> step(std::uint64_t index) override;
  [[nodiscard]] std::optional<StepLayout> verified(std::uint64_t index) override;
  void adopt(std::uint64_t index, const StepLayout& layout) override;
  void read_opaque(std::uint64_t index, const std::string& object, std::uint64_t component, const Slice& rows,
                   const View& out) override;

 private:
  /// One file that the index of a directory names.
  struct IndexEntry {
    std::optional<RangeList> ids;
    std::uint64_t offset = 0;  ///< of the entry in the index
  };

  void describe();
  /// If the file is the index of a directory: its parts.
  void read_index();
  void take_set(std::vector<std::string> set);
  void describe_file(std::uint64_t member, BlockTables& tables);
  void add_metadata_of(XmlScanner& scanner, const XmlElement& element);
  void add_block(XmlScanner& scanner, std::uint64_t member, const XmlElement& element, BlockTables& tables);
  /// The bytes of a file of the set.
  [[nodiscard]] std::shared_ptr<ByteSource> source(std::uint64_t member);
  [[nodiscard]] std::string path_of(std::uint64_t member) const;
  [[nodiscard]] const StepLayout& layout();
  /// The tag of the block whose tables are `index` and the next one.
  [[nodiscard]] const XmlBlock& block_of(std::size_t table);
  void read_values(std::size_t table, std::size_t column, const Slice& rows, std::span<double> out);
  template <class Work>
  auto guarded(Work&& work);

  std::shared_ptr<ByteSource> bytes_;
  DescribeContext context_;
  FileDescription description_;
  std::optional<StepLayout> step_;
  std::vector<IndexEntry> index_;  ///< of members 1 and on
  bool parts_without_index_ = false;
  std::uint64_t open_member_ = 0;
  std::shared_ptr<ByteSource> open_part_;  ///< the bytes of that member, if it is not the first file

  // The block that was read last.
  std::optional<std::size_t> block_table_;
  XmlBlock block_;
  std::shared_ptr<ByteSource> part_;  ///< the file that it stands in
  std::optional<PayloadReader> payload_;
  std::vector<double> values_;  ///< all of it, if it fits the budget
};

}  // namespace quire::nektar
