#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "format/nektar/held_elements.hpp"
#include "format/nektar/one_step.hpp"
#include "format/nektar/xml_block.hpp"
#include "format/nektar/xml_reader.hpp"
#include "format/nektar/xml_scanner.hpp"
#include "quire/plan/member.hpp"

namespace quire::nektar {

/// Describes fields in XML: one file, or the parts that an index names. The places of blocks are found without reading
/// them; a rank that is told these places needs no look through the file.
class XmlDescriber final : public OneStepDescriber {
 public:
  /// `set`: the names of all files that belong together, this one first, where no index tells them.
  XmlDescriber(std::shared_ptr<ByteSource> bytes, DescribeContext context, Blocks blocks,
               std::vector<std::string> set = {});

  [[nodiscard]] std::optional<StepLayout> verified(std::uint64_t index) override;
  /// The blocks that are whole, if any are: of a directory those in parts that are there, listed or not.
  [[nodiscard]] std::optional<StepLayout> salvage(std::uint64_t index) override;
  void adopt(std::uint64_t index, const StepLayout& layout) override;
  void read_opaque(std::uint64_t index, const std::string& object, std::uint64_t component, const Slice& rows,
                   const View& out) override;

 private:
  /// One file that the index of a directory names.
  struct IndexEntry {
    std::optional<RangeList> ids;
    std::uint64_t offset = 0;  ///< of the entry in the index
    bool is_listed = true;     ///< else a part with elements that the index leaves out, for salvage() alone
  };
  /// The blocks that are one table: of each where it stands, and which of the rows are its.
  struct Joined {
    Block block;
    ByteOrder order = ByteOrder::little;
    std::vector<Piece> payloads;
    std::vector<Piece> tags;
    std::uint64_t longest_payload = 0;
    std::uint64_t longest_tag = 0;
  };
  /// The part of rows that stand in one block.
  struct Part {
    XmlPlace place;
    Slice rows;                ///< of the block
    std::uint64_t before = 0;  ///< rows that were asked for and stand before
  };

  /// Runs `work` on a part; what it throws names the file in which that stands.
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
  /// All blocks of all files; if `only_whole_` those that can be read, and what is wrong with others as warnings.
  void describe_files();
  /// Runs `work`; if `only_whole_`, what it throws is a warning that names a file.
  template <class Work>
  void attempt(std::uint64_t member, Work&& work);
  /// Compares the blocks of a part with what the index says of it.
  void check_part(std::uint64_t member);
  /// Keeps in mind that the index says something else than the parts: those who read are warned, a check fails.
  void contradict(const std::string& name, const std::string& what);
  /// Throws what is wrong with the values of a step.
  void verify_payloads(const StepLayout& step);
  /// Tells of all contradictions but the first so many as warnings of the file.
  void tell_contradictions(std::size_t passed);
  /// Parts in the directory that the index does not list must have no elements.
  void check_unlisted();
  /// A part in the directory that the index does not list.
  struct Unlisted {
    std::string name;
    bool is_readable = true;
  };
  /// Those with elements, and those that cannot be read.
  [[nodiscard]] std::vector<Unlisted> unlisted_parts();
  /// Puts them behind those that the index lists.
  void take_unlisted();
  [[nodiscard]] bool is_unlisted(std::uint64_t member) const;
  /// Where a listed part cannot be read to its end, what the index says of it takes the place of its blocks.
  void hold_listed(std::uint64_t member);
  /// Throws what is wrong with a block of which only what is whole counts, or which a part that no index lists repeats.
  void check_kept(std::uint64_t member, const XmlPlace& place, const XmlBlock& block);
  /// If the file is the index of a directory: its parts.
  void read_index();
  void add_entry(XmlScanner& scanner, const XmlElement& element);
  /// Throws a bad_file error for an index without entries beside parts with elements.
  void refuse_empty_index();
  void take_set(std::vector<std::string> set);
  void describe_file(std::uint64_t member);
  void add_metadata_of(XmlScanner& scanner, const XmlElement& element);
  void add_block(XmlScanner& scanner, std::uint64_t member, const XmlElement& element);
  void add_table(Joined& joined, BlockTables& tables);
  /// The bytes of a file of the set.
  [[nodiscard]] std::shared_ptr<ByteSource> source(std::uint64_t member);
  [[nodiscard]] std::string path_of(std::uint64_t member) const;
  /// Where rows of a table stand, block by block.
  [[nodiscard]] std::vector<Part> parts_of(std::size_t table, const Slice& rows);
  /// What is read from: the step, or what is saved of a damaged one.
  [[nodiscard]] const StepLayout& read_layout();
  void read_numbers(const Part& part, std::size_t column, std::span<std::uint32_t> out);

  std::shared_ptr<ByteSource> bytes_;
  Blocks blocks_;
  bool is_adopted_ = false;  ///< the step is what another rank has found, as far as this one was told
  bool only_whole_ = false;
  std::vector<Joined> joined_;
  std::map<std::string, std::size_t> known_;  ///< places in it, by what the blocks have in common
  std::vector<IndexEntry> index_;             ///< of members 1 and on
  std::set<std::string> listed_;              ///< their names
  bool parts_without_index_ = false;
  std::vector<Error> contradictions_;
  std::optional<HeldElements> held_;  ///< by the parts before, if there are some that the index does not list
  std::string doubtful_;              ///< the first listed part that may hold nobody knows which elements
  RangeList ids_;                     ///< of the blocks of the part that was described last,
  RangeList tagged_ids_;              ///< and of all whose tags can be read, whether or not they are kept
  std::uint64_t unread_ = 0;          ///< how many tags of it could not be read, and its end
  std::optional<StepLayout> salvaged_;
  std::uint64_t open_member_ = 0;
  std::shared_ptr<ByteSource> open_part_;  ///< the bytes of that member, if it is not the first file
  XmlBlockReader reader_;
};

}  // namespace quire::nektar
