#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "format/nektar/payload.hpp"
#include "format/nektar/xml_block.hpp"

namespace quire::nektar {

/// Where a block stands: the address of its start tag, and of the text between the tags, which follows. How long the
/// text is at most: the longest one of all that are one table, for only where each begins is kept.
struct XmlPlace {
  std::uint64_t tag = 0;
  std::uint64_t payload = 0;
  std::uint64_t longest = 0;
};

/// Reads blocks in XML, each of which is compressed as a whole: as many as the budget allows stay decoded.
class XmlBlockReader {
 public:
  /// The bytes of a file of a set.
  using Source = std::function<std::shared_ptr<ByteSource>(std::uint64_t member)>;
  XmlBlockReader(Source source, std::uint64_t memory_budget) : source_(std::move(source)), budget_(memory_budget) {}

  /// What the start tag says; until the next call.
  [[nodiscard]] const XmlBlock& block(const XmlPlace& place);
  /// Coefficients of a variable, of those of the block.
  void read(const XmlPlace& place, std::size_t variable, const Slice& rows, std::span<double> out);
  /// Looks at all coefficients.
  void verify(const XmlPlace& place);

 private:
  struct Entry {
    std::uint64_t tag = 0;
    XmlBlock block;
    std::vector<double> values;  ///< all of them, once they were asked for, if they fit the budget
    std::uint64_t bytes = 0;
  };
  [[nodiscard]] Entry& entry(const XmlPlace& place);
  /// The payload of a block that is read in pieces, or for the first time.
  [[nodiscard]] PayloadReader& payload(const XmlPlace& place, const XmlBlock& block);
  /// Reads values of all of a block, in the order of the file.
  void read_payload(const XmlPlace& place, const XmlBlock& block, std::uint64_t first, std::span<double> out);
  /// Forgets the blocks that were asked for first.
  void make_room();

  Source source_;
  std::uint64_t budget_;
  std::list<Entry> entries_;
  std::unordered_map<std::uint64_t, std::list<Entry>::iterator> by_tag_;
  std::uint64_t bytes_ = 0;
  // The payload that was read last.
  std::uint64_t open_tag_ = 0;
  std::shared_ptr<ByteSource> part_;
  std::optional<PayloadReader> payload_;
};

}  // namespace quire::nektar
