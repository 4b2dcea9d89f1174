#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "format/nektar/xml/block.hpp"
#include "format/nektar/xml/payload.hpp"

namespace quire::nektar {

/// The number of values of a block that are held decoded at a time.
inline constexpr std::size_t values_at_once = std::size_t{32} << 10;

/// The place of a block: the addresses of its start tag and of the text after it. The length of the text is an upper
/// bound, the longest of all blocks in the table, since only the address of each block is stored.
struct XmlPlace {
  std::uint64_t tag = 0;
  std::uint64_t payload = 0;
  std::uint64_t longest = 0;
};

/// Reads blocks in XML, each of which is compressed as a whole. As many as fit into the budget are kept decoded.
class XmlBlockReader {
 public:
  /// Returns the bytes of a file of a set.
  using Source = std::function<std::shared_ptr<ByteSource>(std::uint64_t member)>;
  XmlBlockReader(Source source, std::uint64_t memory_budget) : source_(std::move(source)), budget_(memory_budget) {}

  /// The contents of the start tag, valid until the next call.
  [[nodiscard]] const XmlBlock& block(const XmlPlace& place);
  /// Reads coefficients of a variable; `rows` are rows of the block.
  void read(const XmlPlace& place, std::size_t variable, const Slice& rows, std::span<double> out);
  /// Decodes all coefficients.
  void verify(const XmlPlace& place);

 private:
  struct Entry {
    std::uint64_t tag = 0;
    XmlBlock block;
    std::vector<double> values;  ///< all values, after the first read, if they fit into the budget
    std::uint64_t bytes = 0;
  };
  [[nodiscard]] Entry& entry(const XmlPlace& place);
  /// The payload of a block that is read in pieces or for the first time.
  [[nodiscard]] PayloadReader& payload(const XmlPlace& place, const XmlBlock& block);
  /// Reads values of all variables of a block, in the order of the file.
  void read_payload(const XmlPlace& place, const XmlBlock& block, std::uint64_t first, std::span<double> out);
  /// Drops the least recently used blocks.
  void make_room();

  Source source_;
  std::uint64_t budget_;
  std::list<Entry> entries_;
  std::unordered_map<std::uint64_t, std::list<Entry>::iterator> by_tag_;
  std::uint64_t bytes_ = 0;
  // The last payload that was read.
  std::uint64_t open_tag_ = 0;
  std::shared_ptr<ByteSource> part_;
  std::optional<PayloadReader> payload_;
};

}  // namespace quire::nektar
