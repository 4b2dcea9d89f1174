#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "format/nektar/one_step.hpp"
#include "format/nektar/xml/block.hpp"
#include "format/nektar/xml/held_elements.hpp"
#include "format/nektar/xml/reader.hpp"
#include "format/nektar/xml_scanner.hpp"
#include "quire/spi/plan/member.hpp"

namespace quire::nektar {

/// Describes fields in XML: one file, or the parts of an index. The places of blocks are found without reading the
/// blocks. A rank that adopts these places need not scan the file.
class XmlDescriber final : public OneStepDescriber, public DamageReader {
 public:
  /// `set`: the names of all files of the set, this one first, if there is no index.
  XmlDescriber(std::shared_ptr<ByteSource> bytes, DescribeContext context, Blocks blocks,
               std::vector<std::string> set = {});

  [[nodiscard]] DescriberCapabilities capabilities() override { return {.opaque = this, .damage = this}; }
  [[nodiscard]] std::optional<StepLayout> verified(std::uint64_t index) override;
  /// The step with the whole blocks, if there are any: of a directory, those in existing parts, listed or not.
  [[nodiscard]] std::optional<StepLayout> salvage(std::uint64_t index) override;
  void adopt(std::uint64_t index, const StepLayout& layout) override;
  void read_opaque(std::uint64_t index, const std::string& object, std::uint64_t component, const Slice& rows,
                   const View& out) override;

 private:
  /// A file in the index of a directory.
  struct IndexEntry {
    std::optional<RangeList> ids;
    std::uint64_t offset = 0;  ///< of the entry in the index
    bool is_listed = true;     ///< false: a part with elements that the index does not list, for salvage() only
  };
  /// The blocks that are one table, with the place and the first row of each.
  struct Joined {
    Block block;
    ByteOrder order = ByteOrder::little;
    std::vector<Piece> payloads;
    std::vector<Piece> tags;
    std::uint64_t longest_payload = 0;
    std::uint64_t longest_tag = 0;
  };
  /// The part of some rows that is in one block.
  struct Part {
    XmlPlace place;
    Slice rows;                ///< of the block
    std::uint64_t before = 0;  ///< requested rows before this part
  };

  /// Runs `work` on a part; errors are given the name of its file.
  template <class Work>
  void in_file_of(const Part& part, Work&& work) const {
    try {
      work();
    } catch (Error& error) {
      if (error.file().empty()) error.in_file(path_of(member_of(part.place.tag)));
      throw;
    }
  }

  void describe() override;
  /// Describes all blocks of all files; if `only_whole_`, the readable ones, with warnings for the others.
  void describe_files();
  /// Runs `work`; if `only_whole_`, an error is a warning that names the file.
  template <class Work>
  void attempt(std::uint64_t member, Work&& work);
  /// Compares the blocks of a part with the index.
  void check_part(std::uint64_t member);
  /// Records a contradiction between index and parts: it is a warning for readers and an error for a check.
  void contradict(const std::string& name, const std::string& what);
  /// Throws the error of damaged values of a step.
  void verify_payloads(const StepLayout& step);
  /// Adds all contradictions except the first `passed` to the warnings of the file.
  void report_contradictions(std::size_t passed);
  /// Records a contradiction for every part that the index does not list and that has elements or cannot be read.
  void check_unlisted();
  /// A part in the directory that the index does not list.
  struct Unlisted {
    std::string name;
    bool is_readable = true;
  };
  /// The unlisted parts that have elements or cannot be read.
  [[nodiscard]] std::vector<Unlisted> unlisted_parts();
  /// Adds them after those that the index lists.
  void take_unlisted();
  [[nodiscard]] bool is_unlisted(std::uint64_t member) const;
  /// If a listed part cannot be read to its end, the elements in the index replace those of its blocks.
  void hold_listed(std::uint64_t member);
  /// Throws an error for a block that is damaged, or that an unlisted part repeats.
  void check_kept(std::uint64_t member, const XmlPlace& place, const XmlBlock& block);
  /// Reads the parts if the file is the index of a directory.
  void read_index();
  void add_entry(XmlScanner& scanner, const XmlElement& element);
  /// Throws a bad_file error for an index without entries if there are parts with elements.
  void refuse_empty_index();
  void take_set(std::vector<std::string> set);
  void describe_file(std::uint64_t member);
  void add_metadata_of(XmlScanner& scanner, const XmlElement& element);
  void add_block(XmlScanner& scanner, std::uint64_t member, const XmlElement& element);
  void add_table(Joined& joined, BlockTables& tables);
  /// The bytes of a file of the set.
  [[nodiscard]] std::shared_ptr<ByteSource> source(std::uint64_t member);
  [[nodiscard]] std::string path_of(std::uint64_t member) const;
  /// The places of rows of a table, block by block.
  [[nodiscard]] std::vector<Part> parts_of(std::size_t table, const Slice& rows);
  /// The step that is read: the described one, or the salvaged one.
  [[nodiscard]] const StepLayout& read_layout();
  void read_numbers(const Part& part, std::size_t column, std::span<std::uint32_t> out);

  std::shared_ptr<ByteSource> bytes_;
  Blocks blocks_;
  bool is_adopted_ = false;  ///< the step was found by another rank
  bool only_whole_ = false;
  std::vector<Joined> joined_;
  std::map<std::string, std::size_t> known_;  ///< indices in it, by what the blocks have in common
  std::vector<IndexEntry> index_;             ///< of members 1 and up
  std::set<std::string> listed_;              ///< their names
  bool parts_without_index_ = false;
  std::vector<Error> contradictions_;
  std::optional<HeldElements> held_;  ///< of the parts so far, if some parts are not listed
  std::string doubtful_;              ///< the first listed part whose elements are unknown
  RangeList ids_;                     ///< of the blocks of the part that was described last,
  RangeList tagged_ids_;              ///< and of all its blocks with readable tags, kept or not
  std::uint64_t unread_ = 0;          ///< the number of its unreadable tags, plus 1 if its end was not reached
  std::optional<StepLayout> salvaged_;
  std::uint64_t open_member_ = 0;
  std::shared_ptr<ByteSource> open_part_;  ///< the bytes of this member, if it is not the first file
  XmlBlockReader reader_;
};

}  // namespace quire::nektar
